// The mail of one mailbox that is in memory, and whoever waits for it.

import type { Inbox, Mail } from "./bus.ts";

export interface Unread extends Pick<Inbox, "wait" | "interrupt"> {
  /** Oldest first. */
  readonly mail: readonly Mail[];
  /** Of all contents together. */
  readonly length: number;
  add(mail: Mail): void;
  /** Leaves out everything up to `position`. */
  drop(position: number): void;
}

export function createUnread(waiting: readonly Mail[]): Unread {
  const mail = [...waiting];
  let length = lengthOf(mail);
  const sleepers = new Set<() => void>();
  let interruption: AbortController | undefined;
  return {
    mail,
    get length() {
      return length;
    },
    add(fresh) {
      mail.push(fresh);
      length += fresh.message.content.length;
      if (isAbort(fresh)) interruption?.abort();
      for (const wake of sleepers) wake();
    },
    drop(position) {
      const rest = mail.findIndex((one) => one.position > position);
      length -= lengthOf(mail.splice(0, rest === -1 ? mail.length : rest));
      if (interruption?.signal.aborted) interruption = undefined;
    },
    wait: (signal) =>
      new Promise((resolve) => {
        if (mail.length > 0 || signal.aborted) return resolve();
        const wake = (): void => {
          sleepers.delete(wake);
          signal.removeEventListener("abort", wake);
          resolve();
        };
        sleepers.add(wake);
        signal.addEventListener("abort", wake, { once: true });
      }),
    interrupt() {
      if (interruption) return interruption.signal;
      interruption = new AbortController();
      if (mail.some(isAbort)) interruption.abort();
      return interruption.signal;
    },
  };
}

function lengthOf(mail: readonly Mail[]): number {
  return mail.reduce((sum, { message }) => sum + message.content.length, 0);
}

function isAbort({ message }: Mail): boolean {
  return message.delivery === "abort";
}

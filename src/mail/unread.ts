// The mail of one mailbox that is in memory, and whoever waits for it.

import { isControlsOwn, laneOf } from "../domain/message/message.ts";
import type { Inbox, Mail } from "./bus.ts";

export interface Unread extends Pick<Inbox, "wait" | "interrupt" | "ahead" | "heard"> {
  /** Oldest first. */
  readonly mail: readonly Mail[];
  /** Of all contents together. */
  readonly length: number;
  /** The same of what `ahead` shows. */
  readonly lengthAhead: number;
  add(mail: Mail): void;
  /** Adds mail that stands further back than all that is here to what `ahead` shows, if it is Control's. */
  addAhead(mail: Mail): void;
  /** Leaves out everything up to `position`. */
  drop(position: number): void;
}

export function createUnread(waiting: readonly Mail[]): Unread {
  const mail = createPile();
  const ahead = createPile();
  const sleepers = new Set<() => void>();
  const listeners = new Set<() => void>();
  let isNews = false;
  let interruption: AbortController | undefined;
  const addAhead = (fresh: Mail): void => {
    if (!isControlsOwn(fresh.message) || !ahead.put(fresh)) return;
    isNews = true;
    for (const wake of listeners) wake();
  };
  const add = (fresh: Mail): void => {
    mail.put(fresh);
    addAhead(fresh);
    if (isAbort(fresh)) interruption?.abort();
    for (const wake of sleepers) wake();
  };
  for (const one of waiting) add(one);
  return {
    mail: mail.all,
    get length() {
      return mail.length;
    },
    get lengthAhead() {
      return ahead.length;
    },
    add,
    addAhead,
    drop(position) {
      mail.drop(position);
      ahead.drop(position);
      if (interruption?.signal.aborted) interruption = undefined;
    },
    wait: (signal) => (mail.all.length > 0 ? Promise.resolve() : woken(sleepers, signal)),
    ahead() {
      isNews = false;
      return [...ahead.all];
    },
    heard: (signal) => (isNews ? Promise.resolve() : woken(listeners, signal)),
    interrupt() {
      if (interruption) return interruption.signal;
      interruption = new AbortController();
      if (mail.all.some(isAbort)) interruption.abort();
      return interruption.signal;
    },
  };
}

/** Mail in the order of its positions. */
function createPile() {
  const all: Mail[] = [];
  let length = 0;
  return {
    all: all as readonly Mail[],
    get length() {
      return length;
    },
    /** False for what is there already. */
    put(fresh: Mail): boolean {
      const before = all.findLastIndex(({ position }) => position <= fresh.position);
      if (all[before]?.position === fresh.position) return false;
      all.splice(before + 1, 0, fresh);
      length += fresh.message.content.length;
      return true;
    },
    drop(position: number): void {
      let end = 0;
      while (end < all.length && all[end]!.position <= position) length -= all[end++]!.message.content.length;
      if (end > 0) all.splice(0, end);
    },
  };
}

/** Resolves when `waiting` is woken, or when `signal` aborts. */
function woken(waiting: Set<() => void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const wake = (): void => {
      waiting.delete(wake);
      signal.removeEventListener("abort", wake);
      resolve();
    };
    waiting.add(wake);
    signal.addEventListener("abort", wake, { once: true });
  });
}

function isAbort({ message }: Mail): boolean {
  return laneOf(message) === "abort";
}

// What is said to this process of mailboxes that it reads: on one channel for all of them, and in one word what was delivered
// at one blow. Agents of another process are not heard of.

import { randomUUID } from "node:crypto";
import { legionKeys } from "../scripts/keys.ts";
import { parseWakes, type Wake } from "../scripts/mail.ts";
import type { LegionPlace } from "../scripts/scope.ts";

export interface Ear {
  /** Where mailboxes say what is new, once `hearMail` has told them. */
  readonly channel: string;
  /** Calls `hear` for each word of the mailbox with this wake channel from when it resolves; returns how to stop. */
  listen(wake: string, hear: (wake: Wake) => void): Promise<() => void>;
  close(): void;
}

export function createEar({ link, legion }: LegionPlace): Ear {
  const channel = legionKeys(legion).ear(randomUUID());
  const readers = new Map<string, (wake: Wake) => void>();
  let listening: Promise<() => void> | undefined;
  const spread = (text: string): void => {
    for (const [of, wake] of parseWakes(text)) readers.get(of)?.(wake);
  };
  return {
    channel,
    async listen(wake, hear) {
      listening ??= link.listen(channel, spread);
      try {
        await listening;
      } catch (error) {
        listening = undefined;
        throw error;
      }
      readers.set(wake, hear);
      return () => void readers.delete(wake);
    },
    close: () => void listening?.then((stop) => stop()).catch(() => undefined),
  };
}

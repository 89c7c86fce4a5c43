// Keeps a session with Redis: opens another one when it is lost, for ever.

import { setTimeout as delay } from "node:timers/promises";
import type { Session } from "./session.ts";

export interface Up {
  readonly state: "up";
  readonly session: Session;
}

export interface Down {
  readonly state: "down";
  /** For people. */
  readonly reason: string;
  /** Milliseconds since 1970. */
  readonly sinceMs: number;
}

export interface RedisLine {
  readonly now: Up | Down;
  /** `listener` is called when it is up again, before anything is asked. Returns how to stop. */
  onReturn(listener: (session: Session) => void): () => void;
  /** Waits for the answers to what was asked before. */
  close(): Promise<void>;
}

export interface LineOptions {
  open(): Promise<Session>;
  /** What went wrong, for people. */
  explain(cause: unknown): string;
}

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2_000;

/** Rejects with what `open` rejects with: the first time there is one try. */
export async function openLine({ open, explain }: LineOptions): Promise<RedisLine> {
  const listeners = new Set<(session: Session) => void>();
  const closing = new AbortController();
  let now: Up | Down = down("it was never up");
  let returning = Promise.resolve();

  const keep = (session: Session) => {
    now = { state: "up", session };
    const { signal } = session.life;
    signal.addEventListener("abort", () => {
      if (closing.signal.aborted) return;
      now = down(explain(signal.reason));
      returning = comeBack(now.sinceMs);
    });
  };
  /** Undefined when it is closing. */
  const reopen = async (sinceMs: number): Promise<Session | undefined> => {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      await delay(pauseMs, undefined, { signal: closing.signal }).catch(() => "closing");
      if (closing.signal.aborted) return undefined;
      try {
        return await open();
      } catch (error) {
        now = down(explain(error), sinceMs);
      }
    }
  };
  const comeBack = async (sinceMs: number) => {
    const session = await reopen(sinceMs);
    if (!session) return;
    keep(session);
    for (const listener of listeners) listener(session);
  };

  keep(await open());
  return {
    get now() {
      return now;
    },
    onReturn(listener) {
      const call = (session: Session) => listener(session);
      listeners.add(call);
      return () => void listeners.delete(call);
    },
    async close() {
      closing.abort();
      await returning;
      const last = now;
      now = down("this process has closed the link");
      if (last.state === "down") return;
      // One that is lost meanwhile has nothing left to answer.
      await last.session.client.quit().catch(() => "lost");
      last.session.life.abort();
    },
  };
}

function down(reason: string, sinceMs = Date.now()): Down {
  return { state: "down", reason, sinceMs };
}

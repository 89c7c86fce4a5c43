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

export interface Line {
  readonly now: Up | Down;
  /** `listener` is called when it is up again. Returns how to stop. */
  onReturn(listener: () => void): () => void;
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
export async function openLine({ open, explain }: LineOptions): Promise<Line> {
  const listeners = new Set<() => void>();
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
  const comeBack = async (sinceMs: number) => {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      await delay(pauseMs, undefined, { signal: closing.signal }).catch(() => "closing");
      if (closing.signal.aborted) return;
      try {
        keep(await open());
        break;
      } catch (error) {
        now = down(explain(error), sinceMs);
      }
    }
    for (const listener of listeners) listener();
  };

  keep(await open());
  return {
    get now() {
      return now;
    },
    onReturn(listener) {
      const call = () => listener();
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

// What an agent's log keeps of what is outside the legion, or outside the log: prompts are made of the log alone.

import type { Taint } from "../message/taint.ts";

/** What a module found outside the legion holds from here on, in place of what it found before. */
export interface OfferedEvent {
  readonly kind: "offered";
  readonly module: string;
  /** JSON. */
  readonly offer: string;
}

/** What the next prompts show from outside the log, in place of what was recalled for this key before. */
export interface RecalledEvent {
  readonly kind: "recalled";
  readonly module: string;
  readonly key: string;
  readonly content: string;
  /** Where it stood there: a number of that log. */
  readonly from?: number;
  readonly taint?: Taint;
}

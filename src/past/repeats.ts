import { crc32 } from "node:zlib";
import type { Call, EventOf } from "../domain/event/event.ts";

export interface Repeat {
  readonly call: Pick<Call, "action" | "parameters">;
  count: number;
}

const REMEMBERED_CALLS = 64;

/** From so many times on the same call with the same result is a loop. */
export const LOOP_REPEATS = 3;

/**
 * Counts that `call` came to this result, once more or for the first time, and returns how often it has; the oldest of many are
 * forgotten.
 */
export function countRepeat(
  repeats: Map<string, Repeat>,
  call: Call,
  { outcome, content }: EventOf<"result">,
): number {
  const asked = JSON.stringify([call.action, call.parameters, outcome]);
  const key = `${nameOf(asked)}:${nameOf(content)}`;
  const repeat = repeats.get(key) ?? { call, count: 0 };
  repeat.count++;
  repeats.delete(key);
  repeats.set(key, repeat);
  const [oldest] = repeats.size > REMEMBERED_CALLS ? repeats.keys() : [];
  if (oldest !== undefined) repeats.delete(oldest);
  return repeat.count;
}

/** Of this many characters. */
const SHORT = 64;

/** What is short stands for itself: a sum costs more. */
function nameOf(text: string): string {
  return `${text.length}:${text.length <= SHORT ? text : crc32(text)}`;
}

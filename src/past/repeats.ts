import { crc32 } from "node:zlib";
import type { Call, EventOf } from "../domain/event/event.ts";

export interface Repeat {
  readonly call: Call;
  count: number;
}

const REMEMBERED_CALLS = 64;

/** Counts that `call` came to this result, once more or for the first time; the oldest of many are forgotten. */
export function countRepeat(
  repeats: Map<string, Repeat>,
  call: Call,
  { outcome, content }: EventOf<"result">,
): void {
  const asked = JSON.stringify([call.action, call.parameters, outcome]);
  // Apart, so that a long content need not be written as JSON.
  const key = `${asked.length}:${crc32(asked)}:${content.length}:${crc32(content)}`;
  const repeat = repeats.get(key) ?? { call, count: 0 };
  repeat.count++;
  repeats.delete(key);
  repeats.set(key, repeat);
  const [oldest] = repeats.keys();
  if (repeats.size > REMEMBERED_CALLS && oldest !== undefined) repeats.delete(oldest);
}

// Texts of which a log holds what changed, made whole by code that shares nothing with the runtime.

import type { Event } from "../../src/domain/event/event.ts";

type Part = string | readonly [from: number, length: number];
type Raw = Event & {
  readonly patches?: readonly (readonly [
    path: readonly unknown[],
    of: number,
    since: number,
    parts: readonly Part[],
  ])[];
};

/** Nothing, where two owners wrote into one log and a change stands on what the other one said. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The same events, oldest first, with pinned messages and state as they were said. */
export function restored(records: readonly Event[]): readonly Event[] {
  /** By event and place. */
  const texts = new Map<string, string>();
  return records.map((record) => {
    const { patches = [], ...event } = record as Raw;
    const whole = (name: string, path: readonly unknown[], value: unknown): unknown => {
      const patch = patches.find(([at]) => at.join() === path.join());
      const base = patch && (texts.get(`${patch[1]} ${name}`) ?? "");
      const text = patch
        ? patch[3]
            .map((part) => (typeof part === "string" ? part : base!.slice(part[0], part[0] + part[1])))
            .join("")
        : typeof value === "string"
          ? value
          : JSON.stringify(value);
      texts.set(`${event.seq} ${name}`, text);
      return !patch || value === "" ? (patch ? text : value) : parsed(text);
    };
    if (event.kind === "prompted" && event.pinned !== undefined)
      return { ...event, pinned: whole("pinned", ["pinned"], event.pinned) as string };
    if (event.kind === "edited") whole(`${event.module} ${event.key}`, ["value"], event.value);
    if (event.kind !== "result" || !event.state) return event;
    const state = event.state.map(
      ([module, key, value], index) =>
        [module, key, whole(`${module} ${key}`, ["state", index, 2], value)] as const,
    );
    return { ...event, state };
  });
}

import type { Call, Event } from "../../src/domain/event/event.ts";

/** The call that each result is of, by the result's number. Ids begin again with each decision: it is the newest before it. */
export function callsOf(events: readonly Event[]): ReadonlyMap<number, Call> {
  const newest = new Map<string, Call>();
  const calls = new Map<number, Call>();
  for (const event of events) {
    if (event.kind === "decision") for (const call of event.calls) newest.set(call.id, call);
    const call = event.kind === "result" && event.call !== null ? newest.get(event.call) : undefined;
    if (call) calls.set(event.seq, call);
  }
  return calls;
}

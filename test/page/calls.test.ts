import { expect, it } from "vitest";
import { callsOf } from "../../page/agent/calls.ts";
import type { Event } from "../../src/domain/event/event.ts";
import { NOOP } from "../workshop.ts";
import { createWorld } from "../world.ts";

/** As of a provider that begins to count anew with each answer. */
function counted(event: Event): Event {
  if (event.kind === "result") return { ...event, call: "call-1" };
  if (event.kind !== "decision") return event;
  return { ...event, calls: event.calls.map((call) => ({ ...call, id: "call-1" })) };
}

it("tells of each result the call that it is of, though ids begin again with each decision", async () => {
  const note = { calls: [{ action: "writeNote", parameters: { title: "a", content: "b" } }] };
  const goal = { calls: [{ action: "addGoal", parameters: { goal: "c" } }] };
  const world = await createWorld({ "1": { script: [note, goal, NOOP] } });
  await world.say("1", "Work");
  await world.idle();
  const events = (await world.events("1")).map(counted);
  const calls = callsOf(events);
  const results = events.filter(({ kind }) => kind === "result");
  expect(results.map(({ seq }) => calls.get(seq)?.action)).toEqual(["writeNote", "addGoal", "noop"]);
});

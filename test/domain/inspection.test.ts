import { expect, it } from "vitest";
import { createInspector } from "../../src/domain/inspection.ts";
import { createWorld } from "../world.ts";

const call = (action: string, parameters: Readonly<Record<string, unknown>>) => ({
  calls: [{ action, parameters }],
});

it("shows watchers what came of each call once, as ok or error, and what was sent where it is sent and taken in", async () => {
  const script = [call("addGoal", { goal: "Greet" }), call("dance", {}), call("noop", {})];
  const world = await createWorld({ 1: { script } });
  await world.say("1", "Begin.");
  await world.idle();
  const seen = world.seen.flatMap((one) =>
    one.kind === "event" ? [{ ...one.event, agent: one.agent }] : [],
  );
  expect(seen.filter(({ kind }) => kind === "result")).toMatchObject([
    { agent: "1", outcome: "ok", content: "Goal added." },
    { agent: "1", outcome: "error", content: expect.stringContaining("Unknown action `dance`") },
    { agent: "1", outcome: "idle" },
  ]);
  const id = "0>1#1";
  const words = seen.filter(({ kind }) => kind === "notice" || kind === "message");
  expect(words).toMatchObject([
    { agent: "0", reason: "said", sends: [{ id }] },
    { agent: "1", message: { id } },
  ]);
});

it("drops a watcher that throws, and nobody else", () => {
  const seen: string[] = [];
  const inspector = createInspector(({ kind }) => seen.push(kind));
  let shown = 0;
  inspector.watch(() => {
    shown++;
    throw new Error("no paper");
  });
  for (let n = 0; n < 2; n++) inspector.inspect({ kind: "live:state", agent: "1", state: "idle" });
  expect([seen, shown]).toEqual([["live:state", "live:state"], 1]);
});

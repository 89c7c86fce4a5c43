import { expect, it } from "vitest";
import { agent, answer, asking, deploy, questionOf } from "../../agent/act/asking.ts";
import { describeDifference } from "../../../src/legion/replay/difference.ts";
import { replay, replayLegion } from "./replays.ts";
import type { World } from "../../world.ts";

it("a replay takes verdicts from the tape: it asks nobody and runs nothing", async () => {
  const { world, done, modules, question } = await asking({}, {}, deploy("test"));
  await answer(world, question, "approved");
  await world.until((seen) => seen.kind === "event" && seen.event.kind === "result");
  await answer(world, await questionOf(world), "approved").catch(() => undefined);
  await world.until((seen) => seen.kind === "event" && seen.event.kind === "approval" && seen.event.seq > 9);
  const next = world.legion.questions()[0];
  if (next) await world.legion.deny(next.id, "not there");
  await world.idle();
  await world.stop();
  expect(done).toEqual(["prod"]);
  const today = agent([deploy("prod"), deploy("test")], { modules });
  const { difference } = await replay(world.project, "1", today);
  expect(difference && describeDifference(difference)).toBeUndefined();
  const whole = await replayLegion(world.project, { 1: today });
  expect(whole.difference && describeDifference(whole.difference)).toBeUndefined();
  expect(done).toEqual(["prod"]);
});

it.each<[string, (world: World, question: string) => Promise<unknown>]>([
  ["a yes", (world, question) => answer(world, question, "approved")],
  ["a no", (world, question) => answer(world, question, "denied")],
  ["another word", (world) => world.say("1", "leave that")],
])("a replay takes %s from the tape that came after two restarts", async (_, say) => {
  const { world, modules } = await asking({}, {}, deploy("test"));
  const again = await world.restart({ 1: agent([], { modules }) });
  const third = await again.restart();
  await say(third, await questionOf(third));
  await third.idle();
  await third.stop();
  const today = agent([], { modules });
  const { difference } = await replay(world.project, "1", today);
  expect(difference && describeDifference(difference)).toBeUndefined();
  const whole = await replayLegion(world.project, { 1: today });
  expect(whole.difference && describeDifference(whole.difference)).toBeUndefined();
});

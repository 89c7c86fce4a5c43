import { expect, it } from "vitest";
import { agent, answer, asking, deploy, questionOf } from "../../agent/act/asking.ts";
import { describeDifference } from "../../../src/legion/replay/difference.ts";
import { replay, replayLegion } from "./replays.ts";

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

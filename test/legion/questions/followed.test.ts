// Two agents ask at once: one hears a no with a reason, and acts on it; nobody answers the other.

import { expect, it } from "vitest";
import type { ModelRequest } from "../../../src/domain/model.ts";
import { createScriptedModel, type ScriptedAnswer } from "../../../src/model/scripted/scripted.ts";
import { agent, answer, deploy, DEPLOY_AND_LOOK, questionOf, shop } from "../../agent/act/asking.ts";
import { createHandClock } from "../../hand-clock.ts";
import { NOOP, story, textOf } from "../../workshop.ts";
import { createWorld } from "../../world.ts";

const DAY_MS = 86_400_000;

/** Deploys to where it is told to; to production, as long as nobody minds. */
function obedient(request: ModelRequest): ScriptedAnswer {
  const text = textOf(request);
  if (text.includes("deployed to")) return NOOP;
  return deploy(/use the (\w+) system/.exec(text)?.[1] ?? "prod");
}

it("a no is followed by its reason, and a question that nobody answered by the rest of its decision", async () => {
  const clock = createHandClock();
  const { done, modules } = shop();
  const model = createScriptedModel(obedient);
  const world = await createWorld(
    { 1: { model, policy: [], modules }, 2: agent([DEPLOY_AND_LOOK], { modules }) },
    { clock },
  );
  await world.say(["1", "2"], "Deploy.");
  const first = await questionOf(world, "1");
  const unanswered = await questionOf(world, "2");
  expect(world.legion.questions()).toHaveLength(2);

  await answer(world, first, "denied", "use the test system");
  await world.until(
    (seen) =>
      seen.kind === "live:state" && seen.agent === "1" && seen.reason !== first && seen.state === "asking",
  );
  expect(textOf(model.requests[1]!)).toContain("Control said no: use the test system.");
  const second = world.agent("1").standing.reason;
  expect(world.legion.questions().find(({ id }) => id === second)).toMatchObject({
    touches: [{ kind: "anything", call: 'deploy {"to":"test"}' }],
  });
  await answer(world, second, "approved");
  await world.until(
    (seen) => seen.kind === "live:state" && seen.agent === "1" && seen.state === "idle" && done.length > 0,
  );
  expect(done).toEqual(["test"]);

  clock.advance(DAY_MS - 1);
  expect(world.agent("2").standing).toMatchObject({ state: "asking", reason: unanswered });
  clock.advance(1);
  await world.idle();
  expect((await story(world, "2")).filter((line) => /^(ok|error):/.test(line))).toEqual([
    expect.stringContaining("error: Nobody answered in time"),
    "ok: looked",
  ]);
  expect(done).toEqual(["test"]);
});

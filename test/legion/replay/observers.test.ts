import { describe, expect, it } from "vitest";
import type { Director } from "../../../src/domain/authoring/director.ts";
import { createHandClock } from "../../hand-clock.ts";
import { courseOf, POLITE, QUIET } from "../../observed.ts";
import { answerTo, scribeOf, scripted } from "../../scenarios/memory/scribe/listening.ts";
import { createWorld, readEvents, type WorldAgent } from "../../world.ts";
import { replay, replayLegion } from "./replays.ts";

/** A legion with a scribe whose model makes mistakes now and then; a session that ends, and one that does not. */
async function recorded(more: Partial<WorldAgent> = {}) {
  const clock = createHandClock();
  const model = scripted(({ tools }, index) => (index % 4 === 1 ? "What?" : answerTo(tools[0]?.name, index)));
  const world = await createWorld({ "1": POLITE, "2": QUIET, scribe: scribeOf(model, more) }, { clock });
  for (let n = 1; n <= 4; n++) {
    await world.say(["1", "2"], `Word ${n}`);
    await world.idle();
  }
  clock.advance(30 * 60_000);
  await world.idle();
  await world.say("1", "Once more");
  await world.idle();
  const course = courseOf(await world.events("scribe"));
  await world.stop();
  return { project: world.project, course, asked: model.requests.length };
}

const unasked = scripted(() => {
  throw new Error("No model is asked in a replay.");
});

describe("an observer that is replayed", () => {
  it("does what it did, by rules and by what its model said, without any of the logs that it observed", async () => {
    const { project, course, asked } = await recorded();
    expect(course.filter((line) => line === "asked")).toHaveLength(asked);
    const decisions = course.filter((line) => /^(?:rules|model):/.test(line)).length;
    expect(await replay(project, "scribe", scribeOf(unasked))).toEqual({ decisions });
  });

  it("does so with the whole legion, whose logs come out the same", async () => {
    const { project, course } = await recorded();
    const again = await replayLegion(project, { "1": POLITE, "2": QUIET, scribe: scribeOf(unasked) });
    expect(again.difference).toBeUndefined();
    expect(courseOf(await readEvents(again.project, "scribe"))).toEqual(course);
  });

  it("goes on by rules where it did so at its limit", async () => {
    const limited: Partial<WorldAgent> = { limits: { steps: 3 }, atLimit: "extracts" };
    const { project, course, asked } = await recorded(limited);
    expect(asked).toBe(3);
    expect(course.filter((line) => line.startsWith("rules: add_entry")).length).toBeGreaterThan(3);
    const decisions = course.filter((line) => /^(?:rules|model):/.test(line)).length;
    expect(await replay(project, "scribe", scribeOf(unasked, limited))).toEqual({ decisions });
    const again = await replayLegion(project, {
      ...{ "1": POLITE, "2": QUIET },
      scribe: scribeOf(unasked, limited),
    });
    expect(again.difference).toBeUndefined();
  });

  it("differs where its rules are others today", async () => {
    const { project } = await recorded();
    const director: Director = { name: "other", direct: () => ({ kind: "end", text: "No." }) };
    const { difference } = await replay(project, "scribe", scribeOf(unasked, { director }));
    expect(difference?.part).toMatch(/^event \d+: decision$/);
  });
});

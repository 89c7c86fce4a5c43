// What a scribe does where a limit leaves no room for its model.

import { describe, expect, it } from "vitest";
import { createFileBackend } from "../../../../src/storage/files/backend.ts";
import { courseOf, QUIET } from "../../../observed.ts";
import { createWorld, type World, type WorldAgent } from "../../../world.ts";
import { contextsOf, entriesOf, obliging, scribeOf } from "./listening.ts";

const EXTRACTS: Partial<WorldAgent> = { atLimit: "extracts" };

async function hear(world: World, from: number, to: number): Promise<void> {
  for (let n = from; n <= to; n++) {
    await world.say("1", `Word ${n}.`);
    await world.idle();
  }
}

const keptBy = async ({ project }: World) =>
  (await entriesOf(createFileBackend(project))).map(({ raw, summarised }) => `${summarised}: ${raw}`);

describe("a scribe that goes on with extracts at its limit", () => {
  it("asks its model no more than it may, and keeps everything else by rules, at no cost", async () => {
    const model = obliging();
    const scribe = scribeOf(model, { ...EXTRACTS, limits: { steps: 2 } });
    const world = await createWorld({ "1": QUIET, scribe });
    await hear(world, 1, 7);
    expect(model.requests).toHaveLength(2);
    expect(await keptBy(world)).toEqual([
      ...["model: Word 1.", "model: Word 2."],
      ...["rules: Word 3.", "rules: Word 4.", "rules: Word 5.", "rules: Word 6.", "rules: Word 7."],
    ]);
    const [context] = await contextsOf(createFileBackend(world.project));
    expect(context?.content).toMatch(/^# Timeline\n- .* Control: Word 1\.\n.*\n.*\n.*\n.*\n.*Word 6\.$/);
    const { memory, presence } = world.agent("scribe");
    expect(memory.ledger.spent.steps).toBe(2);
    expect(presence.standing.state).toBe("idle");
    expect(courseOf(await world.events("scribe")).filter((line) => line === "asked")).toHaveLength(2);
    const byRules = (await world.kinds("scribe", "decision")).filter(
      ({ calls }) => calls[0]?.action === "add_entry",
    );
    expect(byRules.map(({ model: by, text }) => (by === "rules" ? text : ""))).toEqual([
      ...["", ""],
      ...Array.from({ length: 5 }, () => "this agent may make 2 model calls"),
    ]);
    expect(await world.kinds("0", "message")).toEqual([]);
  });

  it("does so in the place of a limit of the whole legion, too", async () => {
    const model = obliging();
    const world = await createWorld(
      { "1": QUIET, scribe: scribeOf(model, EXTRACTS) },
      { limits: { steps: 3 } },
    );
    await hear(world, 1, 2);
    expect(model.requests.length + (await world.kinds("1", "prompted")).length).toBeLessThanOrEqual(3);
    expect((await keptBy(world)).map((line) => line.replace(/^.*: /, ""))).toEqual(["Word 1.", "Word 2."]);
    expect(world.agent("scribe").presence.standing.state).toBe("idle");
  });

  it("takes up what it had parked at, and asks its model again when there is room", async () => {
    const parked = await createWorld({ "1": QUIET, scribe: scribeOf(obliging(), { limits: { steps: 1 } }) });
    await hear(parked, 1, 3);
    expect(parked.agent("scribe").presence.standing.state).toBe("parked");
    expect(await keptBy(parked)).toEqual(["model: Word 1."]);
    const limited = scribeOf(obliging(), { ...EXTRACTS, limits: { steps: 1 } });
    const extracting = await parked.restart({ "1": QUIET, scribe: limited });
    await extracting.idle();
    const raised = await extracting.restart({ "1": QUIET, scribe: scribeOf(obliging(), EXTRACTS) });
    await hear(raised, 4, 4);
    expect(await keptBy(raised)).toEqual([
      ...["model: Word 1.", "rules: Word 2.", "rules: Word 3.", "model: Word 4."],
    ]);
  });
});

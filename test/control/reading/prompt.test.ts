import { describe, expect, it } from "vitest";
import { readPrompt, readSteps } from "../../../src/control/reading/prompt.ts";
import { createFileReader } from "../../../src/storage/files/reader/reader.ts";
import { goals } from "../../../modules/goals.ts";
import { promptAt } from "../../../src/legion/replay/past-prompt.ts";
import { createWorld } from "../../world.ts";

const GOAL = { calls: [{ action: "addGoal", parameters: { goal: "Sail" } }] };
const UNKNOWN = { calls: [{ action: "swim", parameters: {} }] };

async function sailed() {
  const usage = { input: 100, output: 5, cacheRead: 80, cacheWrite: 10 };
  const script = [GOAL, { text: "Ahoy", usage }];
  const world = await createWorld({ "1": { script, modules: [goals], protocol: "tools" } });
  await world.say("1", "Plan it");
  await world.idle();
  const [first, second] = await world.kinds("1", "decision");
  const results = await world.kinds("1", "result");
  return { reader: createFileReader(world.project), first: first!, second: second!, result: results[0]! };
}

describe("the prompt of an agent", () => {
  it("is that of the decision, against the one before it: what is the same, new and changed, and what it came to", async () => {
    const { reader, first, second } = await sailed();
    const shown = await readPrompt(reader, "1", second.seq);
    expect([shown.at, shown.before]).toEqual([second.seq, first.seq]);
    const changes = new Map(shown.parts.map(({ title, change }) => [title, change]));
    expect(changes.get("System")).toBe("same");
    expect([changes.get("User"), changes.get("Results"), changes.get("Assistant")]).toEqual([
      "same",
      "new",
      "new",
    ]);
    const pinned = shown.parts.at(-1)!;
    expect(pinned).toMatchObject({ title: "Pinned messages", change: "changed" });
    expect(pinned.text).toContain("Sail");
    expect("was" in pinned && pinned.was).not.toContain("Sail");
    expect(shown.gone).toEqual([]);
    expect(shown.call).toMatchObject({ input: 100, output: 5, cacheRead: 80, cacheWrite: 10 });
  });

  it("of any other event is the newest by then; the first is compared with nothing, and before it there is none", async () => {
    const { reader, first, result } = await sailed();
    const shown = await readPrompt(reader, "1", result.seq);
    expect([shown.at, shown.before]).toEqual([first.seq, null]);
    expect(shown.parts.every(({ change }) => change === "new")).toBe(true);
    const call = await readPrompt(reader, "1", first.seq - 1);
    expect([call.at, call.call]).toEqual([first.seq - 1, null]);
    await expect(readPrompt(reader, "1", 1)).rejects.toMatchObject({
      code: "REFUSED",
      message: "up to event 1 the model of Agent 1 was shown nothing",
    });
    await expect(readPrompt(reader, "1", 999)).rejects.toMatchObject({
      code: "USAGE",
    });
  });

  it("of no event is what would be shown next, against the newest", async () => {
    const { reader, second } = await sailed();
    const next = () => promptAt(reader, "1", second.seq);
    const shown = await readPrompt(reader, "1", next);
    expect([shown.at, shown.before, shown.call]).toEqual([null, second.seq, null]);
    expect(shown.parts.every(({ change }) => change === "same")).toBe(true);
  });

  it("is the same where all are read one after the other, or some, behind mistakes, a summary and a branch", async () => {
    const steps = [GOAL, UNKNOWN, GOAL, { text: "" }, GOAL, GOAL];
    const script = [...steps, ...steps, ...steps, { text: "Ahoy" }, GOAL, { text: "Land" }];
    const profile = { window: 4_000 };
    const world = await createWorld({ "1": { script, profile, modules: [goals], errors: "forget" } });
    await world.say("1", "Plan it");
    await world.idle();
    const early = (await world.kinds("1", "result"))[3]!.seq;
    await (
      await world.legion.fork({ agent: "1", at: early })
    ).done;
    await world.say("1", "Plan it otherwise");
    await world.idle();
    const reader = createFileReader(world.project);
    const decisions = (await world.kinds("1", "decision")).map(({ seq }) => seq);
    for (const chosen of [decisions, decisions.filter((_, index) => index % 3 === 1)]) {
      let told: readonly object[] = [];
      let steps = 0;
      for await (const { keeps, compared, ...step } of readSteps(reader, "1", new Set(chosen))) {
        const alone = await readPrompt(reader, "1", step.at!);
        const parts = alone.parts.map(({ title, text, tokens }) => ({ title, text, tokens }));
        expect(step).toEqual({ at: alone.at, before: alone.before, call: alone.call, parts });
        expect(compared?.gone ?? []).toEqual(alone.gone);
        expect(compared?.parts ?? []).toEqual(
          compared ? alone.parts.slice(compared.start, alone.parts.length - compared.end) : [],
        );
        const end = step.parts.length - keeps[1];
        const again = [
          ...told.slice(0, keeps[0]),
          ...parts.slice(keeps[0], end),
          ...told.slice(told.length - keeps[1]),
        ];
        expect(again).toEqual(parts);
        told = parts;
        steps++;
      }
      expect(steps).toBe(chosen.length);
    }
  });
});

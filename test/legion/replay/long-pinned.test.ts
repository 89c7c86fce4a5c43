// Of a long list of goals the log has what changed. Whoever reads it is told what was there, as before.

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { NOOP } from "../../workshop.ts";
import { createWorld, readEvents, type WorldAgent } from "../../world.ts";
import { describeDifference } from "../../../src/legion/replay/difference.ts";
import { promptAt } from "../../../src/legion/replay/past-prompt.ts";
import { createRedactor } from "../../../src/base/redaction/redactor.ts";
import { createScriptedModel, type ScriptedAnswer } from "../../../src/model/scripted/scripted.ts";
import { createFileReader } from "../../../src/storage/files/reader/reader.ts";
import { legionPaths } from "../../../src/storage/folder/paths.ts";
import { calls, modulesWith, never } from "./recorded.ts";
import { replay } from "./replays.ts";

const SECRET = "sk-ant-x9Kq72fLmZ0vB3tYw";

function step(n: number): ScriptedAnswer {
  const text = `goal ${n}: see to part ${n} of the work, and to all that depends on it`;
  if (n === 12) return calls(["addGoal", { goal: `use ${SECRET.slice(0, 11)}` }]);
  if (n === 13) return calls(["addGoal", { goal: `${SECRET} opens the door` }]);
  if (n < 20)
    return calls(["addGoal", { goal: text }], ["writeNote", { title: `note ${n}`, content: text.repeat(8) }]);
  if (n < 30)
    return calls(
      ["completeGoal", { goalNumber: n - 11 }],
      ["writeNote", { title: `note ${n - 14}`, content: `${text.repeat(8)}!` }],
    );
  return NOOP;
}

describe("an agent with a long list of goals", () => {
  it("was shown what its log says, is replayed, and leaves of each change little, also behind branches and starts", async () => {
    const shown: string[] = [];
    const model = () => {
      let n = 0;
      return createScriptedModel(({ pinned }) => {
        shown.push(pinned);
        return step(n++);
      });
    };
    const agent: WorldAgent = { model: model(), modules: modulesWith(never) };
    const redactor = createRedactor([{ name: "KEY", value: SECRET }]);
    const world = await createWorld({ 1: agent }, { redactor });
    await world.say("1", "Go.");
    await world.idle();
    const results = await world.kinds("1", "result");
    await world.legion.fork({ agent: "1", at: results[14]!.seq }).then(({ done }) => done);
    await world.idle();
    await world.stop();
    const again = await world.restart({ 1: { ...agent, model: model() } });
    await again.say("1", "And?");
    await again.idle();
    await again.stop();
    const { project } = again;
    const reader = createFileReader(project);
    const events = await readEvents(project, "1");
    const decisions = events.filter(({ kind }) => kind === "decision");
    const told: string[] = [];
    for (const { seq } of decisions) told.push((await promptAt(reader, "1", seq)).pinned);
    expect(told).toEqual(shown);
    const alone = await replay(project, "1", { ...agent, model: model() });
    expect(alone.difference && describeDifference(alone.difference)).toBe(undefined);
    const folder = legionPaths(project).agent("1");
    const log = join(folder, "log");
    const written = await Promise.all((await readdir(log)).map((name) => readFile(join(log, name), "utf8")));
    expect(written.join("").length).toBeLessThan(JSON.stringify(events).length / 2);
    expect(written.join("")).toContain("[redacted:KEY] opens the door");
    expect(written.join("")).not.toContain(SECRET);
    const state = (await reader.state("1", modulesWith(never))).modules.get("goals")?.get("goals");
    expect(JSON.parse(await readFile(join(folder, "goals.json"), "utf8"))).toEqual({ goals: state });
  });
});

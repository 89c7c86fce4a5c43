import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { core } from "../../../modules/core.ts";
import { system } from "../../../modules/system/index.ts";
import { createRedactor } from "../../../src/base/redaction/redactor.ts";
import { openWorld, temporaryFolder, type WorldOptions } from "../../world.ts";

const SECRET = "s3cret-s3cret-s3cret";
const REDACTOR = createRedactor([{ name: "API_KEY", value: SECRET }]);

/** What an agent's calls left in its folder of the home, and their results, after it wrote `x` and `key.txt`. */
async function afterWriting(options: WorldOptions = {}) {
  const project = await temporaryFolder();
  writeFileSync(join(project, "x"), "old");
  writeFileSync(join(project, "key.txt"), `token = ${SECRET}`);
  const write = (path: string) => ({ action: "writeFile", parameters: { path, content: "new" } });
  const agent = {
    modules: [core, system],
    script: [{ calls: [write("x"), write("key.txt")] }, { calls: [{ action: "noop" }] }],
  };
  const world = await openWorld(project, { 1: agent }, { ...options, redactor: REDACTOR });
  await world.say("1", "Go.");
  await world.idle();
  const results = (await world.kinds("1", "result")).slice(0, 2);
  await world.stop();
  const folder = join(project, ".ai-legion/agents/1/undo");
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return { results, texts: names.map((name) => readFileSync(join(folder, name), "utf8")) };
}

describe("what an agent replaced", () => {
  it("is in its own folder of the home, and the result names what is not: a file with a secret", async () => {
    const { results, texts } = await afterWriting();
    expect(results.map(({ outcome }) => outcome)).toEqual(["ok", "ok"]);
    expect(results.map(({ unkept }) => unkept)).toEqual([
      undefined,
      [{ path: "key.txt", why: "it holds a secret" }],
    ]);
    expect(texts).toContain("old");
    expect(texts.join()).not.toContain(SECRET);
  });

  it("is nowhere where the settings say so", async () => {
    const { results, texts } = await afterWriting({ undo: "off" });
    expect(results.map(({ outcome, unkept }) => [outcome, unkept])).toEqual([
      ["ok", undefined],
      ["ok", undefined],
    ]);
    expect(texts).toEqual([]);
  });
});

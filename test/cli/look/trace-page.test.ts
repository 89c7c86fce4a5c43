import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { beforeAll, expect, it } from "vitest";
import type { SavedLine } from "../../../src/control/saved/record.ts";
import { createWorld, type World } from "../../world.ts";
import { legion } from "../legion.ts";
import { buildProgram } from "../program.ts";

beforeAll(buildProgram, 120_000);

const send = (to: string) => ({
  calls: [{ action: "sendMessage", parameters: { targetAgentId: to, message: "Look." } }],
});
const noop = { calls: [{ action: "noop" }] };

/** 1 passes a task on to 2; 3 has one of its own. */
async function apart(): Promise<World> {
  const world = await createWorld({
    1: { script: [send("2"), noop, noop] },
    2: { script: [noop, noop] },
    3: { script: [noop, noop] },
  });
  await world.say("1", "Find the key.");
  await world.idle();
  await world.say("3", "Shut the door.");
  await world.idle();
  await world.say("1", "Rest.");
  await world.idle();
  return world;
}

async function linesOf(cwd: string, ...options: readonly string[]): Promise<readonly SavedLine[]> {
  const { exitCode, out, err } = await legion(["trace", "--format", "html", ...options], { cwd });
  expect([exitCode, err]).toEqual([0, ""]);
  const [, packed] = /type="application\/octet-stream">([^<]*)<\/script>/.exec(out) ?? [];
  const text = gunzipSync(Buffer.from(packed!, "base64")).toString("utf8");
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as SavedLine);
}

const agentsIn = (lines: readonly SavedLine[]): readonly string[] => [
  ...new Set(lines.flatMap((line) => ("log" in line && line.event.kind !== "opened" ? [line.log] : []))),
];

it("a page holds all of the record, or what was chosen of it and nothing else", async () => {
  const { project } = await apart();
  const all = await linesOf(project);
  expect(agentsIn(all)).toEqual(["0", "1", "2", "3"]);
  const ofOne = await linesOf(project, "--agent", "3");
  expect(agentsIn(ofOne)).toEqual(["0", "3"]);
  expect(JSON.stringify(ofOne)).toContain("Shut the door.");
  expect(JSON.stringify(ofOne)).not.toMatch(/Find the key|Rest\./);
  const ofRoot = await linesOf(project, "--root", "0>1#1");
  expect(agentsIn(ofRoot)).toEqual(["0", "1", "2"]);
  expect(JSON.stringify(ofRoot)).not.toMatch(/Shut the door|Rest\./);
  const later = await linesOf(project, "--since", "2999-01-01", "--agent", "1");
  expect(agentsIn(later)).toEqual([]);
  expect(later[0]).toMatchObject({ only: { agents: ["1"], since: "2999-01-01T00:00:00.000Z" } });
});

it("each prompt is a list of parts that are kept once", async () => {
  const { project } = await apart();
  const lines = await linesOf(project);
  const parts = lines.flatMap((line) => ("part" in line ? [JSON.stringify(line.part)] : []));
  expect(new Set(parts).size).toBe(parts.length);
  const prompts = lines.flatMap((line) =>
    "prompt" in line && line.prompt === "1" && line.shows.at !== null ? [line.shows] : [],
  );
  const decisions = lines.filter(
    (line) => "log" in line && line.log === "1" && line.event.kind === "decision",
  );
  expect(prompts).toHaveLength(decisions.length);
  expect(prompts.every((shows) => shows.parts.every((part) => part < parts.length))).toBe(true);
  // Pinned messages, a decision and its result are what is new: what stood there before is not told again.
  expect(prompts.slice(1).every((shows) => shows.parts.length <= 4)).toBe(true);
});

it("is written to a file for its owner alone", async () => {
  const { project } = await apart();
  const order = ["trace", "--format", "html", "--output", "all.html"];
  expect((await legion(order, { cwd: project })).out).toBe("wrote all.html\n");
  const html = await readFile(join(project, "all.html"), "utf8");
  expect(html).toContain("default-src 'none'");
  expect(html).not.toMatch(/src="(?!data:)|href="(?!data:)/);
});

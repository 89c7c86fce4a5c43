// Logs, mail, verdicts and records that this person's machines did not write: a start that would go by them ends in one line.

import { existsSync } from "node:fs";
import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { createClock } from "../../src/base/clock.ts";
import type { Store } from "../../src/storage/contract/store.ts";
import { createFileBackend } from "../../src/storage/files/backend.ts";
import { createTempProject } from "../temp-project.ts";
import { legion } from "../cli/legion.ts";
import { expectRefused } from "./harm.ts";

const IDLE = ["--model", "offline", "--tick", "0", "--until-idle"];
const FOREIGN = /was not written on your machines; if you know it, `legion start --trust` takes it on/;
const AGENTS = ".ai-legion/agents";

/** Does `work` as another person, on a machine of theirs. */
async function asSomebodyElse<T>(work: () => Promise<T>): Promise<T> {
  const own = process.env["XDG_CONFIG_HOME"];
  process.env["XDG_CONFIG_HOME"] = await createTempProject();
  try {
    return await work();
  } finally {
    process.env["XDG_CONFIG_HOME"] = own;
  }
}

/** An agent that has worked, and has mail of Control's that it has not read: a letter, and the answer to a question. */
async function lived(): Promise<string> {
  const cwd = await createTempProject({
    "agents/legionnaire.md": "---\nmodules: [core, goals, notes]\n---\n",
    "script.yaml": "- Done.",
  });
  expect(await legion(["start", "1", ...IDLE, "--task", "note a: b"], { cwd })).toMatchObject({
    exitCode: 0,
  });
  await spoken(cwd, async ({ control }) => {
    await control.say(["1"], "note pwned: by a letter");
    await control.answer({ question: "1.5", verdict: "approved" });
  });
  return cwd;
}

/** What a command does where nobody runs. */
async function spoken(cwd: string, speak: (store: Store) => Promise<void>): Promise<void> {
  const store = await createFileBackend(cwd).openStore({ durability: "process", clock: createClock() });
  try {
    await speak(store);
  } finally {
    await store.close();
  }
}

/** One's own project in which these files are somebody else's. */
async function mixed(paths: readonly string[]): Promise<string> {
  const theirs = await asSomebodyElse(lived);
  const cwd = await lived();
  for (const path of paths) {
    await rm(join(cwd, AGENTS, path), { recursive: true, force: true });
    await mkdir(dirname(join(cwd, AGENTS, path)), { recursive: true });
    await cp(join(theirs, AGENTS, path), join(cwd, AGENTS, path), { recursive: true });
  }
  return cwd;
}

describe("hostile: trust", () => {
  it.each<[string, readonly string[]]>([
    ["the log of an agent", ["1/log", "1/blobs"]],
    ["the person's own log", ["0/log"]],
    ["a letter and a verdict in the mailbox of an agent", ["1/mailbox"]],
    ["the record of an agent", ["1/agent.json"]],
    ["the record of what was hosted last", ["0/agent.json"]],
  ])("state: somebody else wrote %s", async (_, paths) => {
    const cwd = await mixed(paths);
    const before = await readFile(join(cwd, AGENTS, "1/agent.json"), "utf8");
    for (const who of [[], ["1"], ["--only", "1"]]) {
      const { exitCode, err } = await legion(["start", ...who, ...IDLE], { cwd });
      expect({ who, exitCode, err }).toEqual({ who, exitCode: 2, err: expect.stringMatching(FOREIGN) });
      expect(err.trimEnd().split("\n")).toHaveLength(1);
    }
    expect(existsSync(join(cwd, AGENTS, "1/notes/pwned.txt"))).toBe(false);
    expect(await readFile(join(cwd, AGENTS, "1/agent.json"), "utf8")).toBe(before);
    expect(await legion(["start", ...IDLE, "--trust"], { cwd })).toMatchObject({ exitCode: 0 });
    expect(await legion(["start", ...IDLE], { cwd })).toMatchObject({ exitCode: 0, err: "" });
  });

  it.each<[string, (record: Record<string, unknown>) => unknown]>([
    ["another model", (record) => ({ ...record, model: "openai/dear" })],
    [
      "a policy in the person's name",
      (record) => ({ ...record, policy: [{ by: "you", as: "person", profile: "full", allow: ["run *"] }] }),
    ],
    ["no code", (record) => ({ ...record, mac: undefined })],
    ["another's name", (record) => ({ ...record, name: "Control" })],
  ])("state: one's own record was changed and has %s", async (_, change) => {
    const cwd = await lived();
    const path = join(cwd, AGENTS, "1/agent.json");
    const record = JSON.parse(await readFile(path, "utf8")) as Record<string, unknown>;
    await writeFile(path, JSON.stringify(change(record)));
    await expectRefused(FOREIGN, cwd);
  });

  it("state: a record is called a copy, which nobody would read", async () => {
    const cwd = await createTempProject({
      "script.yaml": "- Done.",
      [`${AGENTS}/0/copies.txt`]: "",
      [`${AGENTS}/0/agent.json`]: `{ "lastStart": { "agents": [{ "id": "1", "agent": "legionnaire" }], "flags": { "model": "openai/dear" } } }`,
    });
    await expectRefused(FOREIGN, cwd);
  });

  it("state: a record of an agent that rests here widens what others may do in its name", async () => {
    const cwd = await mixed(["1/agent.json"]);
    await spoken(cwd, async (store) => expect(await store.record("1")).toBeUndefined());
  });
});

// What the model of a scribe would be, or was, asked: words of its rules, and no introduction.

import { describe, expect, it } from "vitest";
import type { Event } from "../../../../src/domain/event/event.ts";
import type { ModelRequest } from "../../../../src/domain/model.ts";
import { createTempProject } from "../../../temp-project.ts";
import { readEvents } from "../../../world.ts";
import { legion } from "../../legion.ts";

const END = ["--until-idle", "--tick", "0"];
const ENTRY = { calls: [{ action: "add_entry", parameters: { summary: "Somebody said noop." } }] };
const CONTEXT = { calls: [{ action: "put_context", parameters: { content: "# Facts\nnoop" } }] };

const SCRIBE = `---
director: scribe
observe: all
memories: [main/legion]
model: scripted:answers.json
tick: 0
---
`;

async function listeningProject(answers: readonly unknown[], rules = SCRIBE): Promise<string> {
  const cwd = await createTempProject({
    "agents/scribe.md": rules,
    "answers.json": JSON.stringify(answers),
    "script.json": JSON.stringify([{ calls: [{ action: "noop" }] }, { calls: [{ action: "noop" }] }]),
  });
  const model = ["--model", "scripted:script.json"];
  await legion(["start", "1", ...model, "--task", "Work", ...END], { cwd });
  return cwd;
}

const talk = (cwd: string, task: string, ...argv: readonly string[]) =>
  legion(["start", ...argv, "--task", task, ...END], { cwd });

const prompt = (cwd: string, ...argv: readonly string[]) => legion(["prompt", "scribe", ...argv], { cwd });

async function requestOf(cwd: string, ...argv: readonly string[]): Promise<ModelRequest> {
  const { json, err } = await prompt(cwd, "--json", ...argv);
  expect(err).toBe("");
  return json[0] as ModelRequest;
}

const decisionsIn = async (cwd: string) =>
  (await readEvents(cwd, "scribe")).filter((event): event is Extract<Event, { kind: "decision" }> => {
    return event.kind === "decision";
  });

describe("legion prompt of a scribe", () => {
  it("shows what it was asked for a decision, and says of one by rules that nobody was asked", async () => {
    const cwd = await listeningProject([ENTRY]);
    await talk(cwd, "Remember the boat", "--agents", "1", "--scribe");
    const decisions = await decisionsIn(cwd);
    const asked = decisions.find(({ model }) => model !== "rules")!;
    const { system, turns, pinned, tools } = await requestOf(cwd, "--at", String(asked.seq));
    expect(system).toContain("Content:\n> Remember the boat");
    expect(system).toContain("Recent entries:\n(no entries yet)");
    expect([turns, pinned, tools.map(({ name }) => name)]).toEqual([
      [],
      "Execute the required operation.",
      ["add_entry"],
    ]);
    const byRules = decisions.find(({ model }) => model === "rules")!;
    const { exitCode, err } = await prompt(cwd, "--at", String(byRules.seq));
    expect(exitCode).toBe(1);
    expect(err).toBe(`legion: decision ${byRules.seq} was made by rules: the model was not asked\n`);
  });

  it("shows at rest what the message that waits will be asked with, to the letter", async () => {
    const cwd = await listeningProject([ENTRY, ENTRY, ENTRY]);
    await talk(cwd, "First", "--agents", "1", "--scribe");
    await talk(cwd, "Second", "--only", "1");
    const before = await readEvents(cwd, "scribe");
    const next = await requestOf(cwd);
    expect(next.system).toContain("Content:\n> Second");
    expect(next.system).toContain("user (0):\n> First");
    expect(await readEvents(cwd, "scribe")).toEqual(before);
    await legion(["start", "--only", "scribe", ...END], { cwd });
    const asked = (await decisionsIn(cwd)).find(
      ({ model, seq }) => model !== "rules" && seq > before.length,
    )!;
    expect(await requestOf(cwd, "--at", String(asked.seq))).toEqual(next);
    expect((await prompt(cwd)).out).not.toContain("You are scribe (agent id scribe)");
  });

  it("plays what its rules read as a session begins; and is the end of the session where nothing waits", async () => {
    const cwd = await listeningProject([ENTRY, CONTEXT]);
    await legion(["start", "--only", "1", "--scribe", ...END], { cwd });
    const silent = await prompt(cwd);
    expect(silent).toMatchObject({ exitCode: 0, err: "" });
    expect(silent.out).toContain("ENTRY CAPTURE RULES:");
    await talk(cwd, "First", "--only", "1");
    const first = await requestOf(cwd);
    expect(first.system).toContain("Previous session context:\n(no context yet)");
    expect(first.system).toContain("Content:\n> First");
    await legion(["start", "--only", "scribe", ...END], { cwd });
    const last = await requestOf(cwd);
    expect(last.tools.map(({ name }) => name)).toEqual(["put_context"]);
    expect(last.system).toMatch(/What was said since, word for word:\n\n.* user \(0\):\n> First/);
  });

  it("says where its rules go on without a model", async () => {
    const cwd = await listeningProject([], SCRIBE.replace("scripted:answers.json", "offline"));
    await talk(cwd, "First", "--agents", "1", "--scribe");
    await talk(cwd, "Second", "--only", "1");
    const { exitCode, err } = await prompt(cwd);
    expect(exitCode).toBe(1);
    expect(err).toBe(
      "legion: the next thing that scribe does is add_entry, by rules: its model is asked nothing for it\n",
    );
  });
});

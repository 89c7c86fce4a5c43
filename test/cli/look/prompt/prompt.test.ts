import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { packageDir } from "../../../../src/base/package.ts";
import { loadConfig } from "../../../../src/config/load-config.ts";
import { createLocalEnvironment } from "../../../../src/environment/local.ts";
import { startLegion } from "../../../../src/legion/legion.ts";
import type { ModelRequest } from "../../../../src/domain/model.ts";
import { findModel } from "../../../../src/model/registry/profiles.ts";
import {
  createScriptedModel,
  type ScriptedAnswer,
  type ScriptedModel,
} from "../../../../src/model/scripted/scripted.ts";
import { planRoster } from "../../../../src/legion/roster.ts";
import { createTempProject } from "../../../temp-project.ts";
import { createWorld, readEvents, type WorldAgent } from "../../../world.ts";
import { legion } from "../../legion.ts";

const calls = (...actions: readonly [string, object][]): ScriptedAnswer => ({
  calls: actions.map(([action, parameters]) => ({ action, parameters: { ...parameters } })),
});
const script: readonly ScriptedAnswer[] = [
  calls(["addGoal", { goal: "Read" }], ["writeNote", { title: "a", content: "b" }]),
  calls(["noSuchAction", {}]),
  calls(["addGoal", { goal: "Write" }]),
];
const textScript = ["addGoal\ngoal: Read", "???", "addGoal\ngoal: Write", "noop"];

/** What the model was asked for each decision, as the log numbers them. */
async function shownFor(agent: WorldAgent): Promise<{
  readonly project: string;
  readonly requests: readonly ModelRequest[];
  readonly decisions: readonly number[];
}> {
  const requests: ModelRequest[] = [];
  const answers = createScriptedModel(agent.script ?? [], agent.profile);
  const model: ScriptedModel = {
    ...answers,
    complete(request, run) {
      // The turns grow in place after this.
      requests.push({ ...request, turns: [...request.turns] });
      return answers.complete(request, run);
    },
  };
  const world = await createWorld({ "1": { ...agent, model } });
  await world.say("1", "Work");
  await world.idle();
  await world.say("1", "Once more");
  await world.idle();
  await world.stop();
  const decisions = (await world.kinds("1", "decision")).map(({ seq }) => seq);
  return { project: world.project, requests, decisions };
}

const toJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

it.each<[string, WorldAgent]>([
  ["native calls", { script }],
  ["native calls, with pinned messages at the top", { script, pin: "top" }],
  ["native calls, errors forgotten", { script, errors: "forget" }],
  ["actions as text", { script: textScript, protocol: "text" }],
  ["actions as text, errors forgotten", { script: textScript, protocol: "text", errors: "forget" }],
  ["the last call that a limit allows", { script, limits: { steps: 2 } }],
])("shows for every decision exactly what the model was shown: %s", async (_, agent) => {
  const { project, requests, decisions } = await shownFor(agent);
  expect(decisions.length).toBeGreaterThan(1);
  expect(requests).toHaveLength(decisions.length);
  for (const [index, seq] of decisions.entries()) {
    const { exitCode, json } = await legion(["prompt", "1", "--at", `${seq}`, "--json"], { cwd: project });
    expect(exitCode).toBe(0);
    expect(json).toEqual([toJson(requests[index])]);
  }
});

it("shows the prompt of a decision that followed a summary", async () => {
  const agent: WorldAgent = {
    script: (request, index) =>
      request.tools.length === 0
        ? "They worked."
        : calls(["writeNote", { title: `note ${index}`, content: "x".repeat(2_000) }]),
    threshold: 4_000,
    limits: { steps: 14 },
  };
  const { project, requests } = await shownFor(agent);
  const events = await readEvents(project, "1");
  const summaries = events.filter(({ kind }) => kind === "summary");
  expect(summaries.length).toBeGreaterThan(0);

  const asked = events.filter(({ kind }) => kind === "prompted");
  const decision = events.find(({ kind, seq }) => kind === "decision" && seq > summaries[0]!.seq)!;
  const { json } = await legion(["prompt", "1", "--at", `${decision.seq}`, "--json"], { cwd: project });
  const at = asked.findLastIndex(({ seq }) => seq < decision.seq);
  expect(json).toEqual([toJson(requests[at])]);

  const forSummary = asked.findLast(({ seq }) => seq < summaries[0]!.seq)!;
  const refused = await legion(["prompt", "1", "--at", `${forSummary.seq}`], { cwd: project });
  expect(refused).toMatchObject({ exitCode: 1, err: expect.stringContaining("no call for a decision") });
});

it("marks for people who said what", async () => {
  const { project, decisions } = await shownFor({ script });
  const { out } = await legion(["prompt", "1", "--at", `${decisions[1]}`], { cwd: project });
  expect(out).toMatch(/^=== SYSTEM ===\n--- CORE ---\n\nYou are Agent 1/);
  const headings = out.match(/^=== .* ===$/gm);
  expect(headings).toEqual([
    "=== SYSTEM ===",
    "=== TOOLS ===",
    "=== USER ===",
    "=== ASSISTANT ===",
    "=== RESULTS ===",
    "=== USER (pinned messages) ===",
  ]);
  expect(out).toContain("--- MESSAGE FROM CONTROL ---\n\nWork");
  expect(out).toContain('addGoal {"goal":"Read"}');
  expect(out).toContain("Goal added.");
  expect(out).toContain('1) "Read" [PENDING]');
});

it("says which number would do where there is no prompt", async () => {
  const { project, decisions } = await shownFor({ script: [] });
  const typed = async (seq: number) => legion(["prompt", "1", "--at", `${seq}`], { cwd: project });
  const [decision] = decisions;
  expect(await typed(9_999)).toMatchObject({
    exitCode: 2,
    err: expect.stringMatching(/^legion: there is no event 9999/),
  });
  expect(await typed(decision! + 1)).toMatchObject({
    exitCode: 2,
    err: `legion: event ${decision! + 1} (result) is no decision; name one, such as ${decision}\n`,
  });
  expect(await typed(1)).toMatchObject({
    exitCode: 2,
    err: expect.stringContaining("event 1 (opened) is no decision; name one\n"),
  });
});

it("refuses rather than guesses where the system prompt is gone", async () => {
  const { project, decisions } = await shownFor({ script });
  await rm(join(project, ".ai-legion/agents/1/blobs"), { recursive: true });
  const { exitCode, err } = await legion(["prompt", "1", "--at", `${decisions[0]}`], { cwd: project });
  expect(exitCode).toBe(1);
  expect(err).toContain("its system prompt is gone");
});

const DEFINITION = `---
name: keeper
description: Keeps things.
modules: [core, goals, notes, system, ./calendar.js]
---

You keep things.
`;
const CALENDAR = `export const calendar = { name: "calendar", actions: {}, instructions: () => "Dates are plain." };
`;
const NAME = "openai/gpt-4.1";

/** Runs agent 1 of `keeper` until it has nothing to do; returns what its model was asked. */
async function runKeeper(
  project: string,
  answers: readonly ScriptedAnswer[],
): Promise<readonly ModelRequest[]> {
  const env = { OPENAI_API_KEY: "none" };
  const flags = { model: NAME, agent: "keeper", commands: "allow" };
  const config = await loadConfig({ projectDir: project, env, flags });
  const places = { projectDir: project, packageDir };
  const { roles } = await planRoster({ kind: "count", count: 1 }, { config, places });
  const model = createScriptedModel(answers, { name: NAME, ...findModel(NAME).profile });
  const plans = roles.map(({ plan }) => ({ ...plan, model, tickMs: 0 }));
  const environment = createLocalEnvironment({});
  const sections = new Map<string, Readonly<Record<string, unknown>>>(Object.entries(config.modules));
  const settings = (module: string) => sections.get(module) ?? {};
  const settled = { limits: {}, durability: "process", delayMs: 0, heartbeatMs: "off" } as const;
  const running = await startLegion({ project, plans, environment, settings, ...settled });
  await running.untilIdle(new AbortController().signal);
  await running.stop();
  return model.requests.map((request) => toJson(request) as ModelRequest);
}

it("shows before a start, without any key, what the model is shown after it", async () => {
  const project = await createTempProject({ "agents/keeper.md": DEFINITION, "calendar.js": CALENDAR });
  await runKeeper(project, []);
  await legion(["send", "1", "Begin"], { cwd: project });
  await runKeeper(project, [calls(["addGoal", { goal: "Read" }]), calls(["noop", {}])]);
  await legion(["send", "1", "Go on"], { cwd: project });

  const { exitCode, err, json } = await legion(["prompt", "1", "--json", "--trust"], { cwd: project });
  expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
  const [asked] = await runKeeper(project, []);
  expect(json).toEqual([asked]);
  expect(asked!.system).toContain("You keep things.");
  expect(asked!.system).toContain("Dates are plain.");
  expect(asked!.system).toContain("Commands start there too.");
});

const LONG = "x".repeat(600_000);

it.each<[string, readonly (readonly string[])[]]>([
  [
    "for later, to one that rests",
    [
      ["Later.", "--follow-up"],
      ["Even later.", "--follow-up"],
    ],
  ],
  ["for later, and something for now", [["Later.", "--follow-up"], ["Now."]]],
  [
    "for later, and what withdraws it",
    [
      ["Later.", "--follow-up"],
      ["Now.", "--steer"],
    ],
  ],
  [
    "in all lanes, more than is shown at once",
    [[`1${LONG}`], [`2${LONG}`], [`3${LONG}`], ["Now.", "--steer"], ["4"]],
  ],
])("shows what the next start shows of what was said %s", async (_, said) => {
  const project = await createTempProject({ "agents/keeper.md": DEFINITION, "calendar.js": CALENDAR });
  await runKeeper(project, []);
  for (const words of said) await legion(["send", "1", ...words], { cwd: project });
  const { json } = await legion(["prompt", "1", "--json", "--trust"], { cwd: project });
  const [asked] = await runKeeper(
    project,
    Array.from(said, () => calls(["noop", {}])),
  );
  // A start is an event, too.
  const unnumbered = (value: unknown): string => JSON.stringify(value).replace(/as event \d+/g, "as event #");
  expect(unnumbered(json)).toBe(unnumbered([asked]));
});

it("shows what the definition of today says", async () => {
  const project = await createTempProject({ "agents/keeper.md": DEFINITION, "calendar.js": CALENDAR });
  await runKeeper(project, []);
  await writeFile(join(project, "agents/keeper.md"), DEFINITION.replace("You keep", "You throw away"));
  const { out } = await legion(["prompt", "1", "--trust"], { cwd: project });
  expect(out).toContain("You throw away things.");
});

it("cannot tell what an agent would be shown that no definition made", async () => {
  const world = await createWorld({ "1": {} });
  const { exitCode, err } = await legion(["prompt", "1"], { cwd: world.project });
  expect(exitCode).toBe(1);
  expect(err).toContain("was not made from a definition; legion prompt 1 --at <number> shows");
});

// A project with three MCP servers and twenty skills, and what an agent does there. All of it is real but the model and the clock.

import { readFileSync, writeFileSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Event } from "../../../src/domain/event/event.ts";
import type { ModelRequest } from "../../../src/domain/model.ts";
import { openLegionIn } from "../../../src/library/open.ts";
import { findModel } from "../../../src/model/registry/profiles.ts";
import { createScriptedModel, type ScriptedAnswer } from "../../../src/model/scripted/scripted.ts";
import { createTempProject } from "../../../src/testing/temp-project.ts";
import { legion } from "../../cli/legion.ts";
import { createHandClock } from "../../hand-clock.ts";
import { ownHome } from "../../own-config-home.ts";

const SERVER = join(import.meta.dirname, "servers.mjs");
/** As this one is described: the commands know it. */
const MODEL = "anthropic/claude-sonnet-5-5";
/** In mcp.json in this order. */
const SERVERS = ["weather", "desk", "stock"];
/** What was found outside counts so long. */
const UNTIL_LOOKED_AGAIN_MS = 31_000;
export const SKILL_FOLDERS = [".claude/skills", "skills"];

export interface Outside {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** The servers that were started, oldest first. */
  starts(): readonly string[];
  /** Deletes all of it. */
  remove(): Promise<void>;
}

/** Its person has trusted all of it. When that was, the server `desk` had one tool more than it has until somebody logs in. */
export async function createOutside(): Promise<Outside> {
  const { path: own, remove: removeOwn } = await createTempProject();
  const servers = SERVERS.map((name) => [name, { command: process.execPath, args: [SERVER, name, "."] }]);
  const { path: cwd, remove: removeProject } = await createTempProject({
    ...Object.fromEntries(Array.from({ length: 20 }, (_, index) => skill(index + 1)).flat()),
    ".mcp.json": JSON.stringify({ mcpServers: Object.fromEntries(servers) }),
  });
  const [starts, unlocked] = [join(cwd, "starts"), join(cwd, "unlocked")];
  const env = { PATH: process.env["PATH"] ?? "", HOME: own, ...ownHome() };
  await writeFile(unlocked, "");
  for (const argv of [
    ["trust", "--trust"],
    ["mcp", "allow", "desk"],
  ]) {
    const { exitCode, err } = await legion(argv, { cwd, env });
    if (exitCode !== 0) throw new Error(err);
  }
  await rm(unlocked);
  await rm(starts);
  return {
    cwd,
    env,
    starts: () => readFileSync(starts, "utf8").trim().split("\n"),
    async remove() {
      await removeProject();
      await removeOwn();
    },
  };
}

function skill(number: number): readonly (readonly [path: string, content: string])[] {
  const name = `craft-${String(number).padStart(2, "0")}`;
  const folder = `${SKILL_FOLDERS[number % 2]!}/${name}`;
  const front = `---\nname: ${name}\ndescription: How to do ${name} for boats, from the plan to the paint.\n---\n`;
  return [
    [`${folder}/SKILL.md`, `${front}\nFirst the keel. The wood is in notes.md.\n`],
    [`${folder}/notes.md`, "Oak, no pine.\n"],
  ];
}

type Step = ScriptedAnswer | (() => ScriptedAnswer);

const call = (action: string, parameters: Readonly<Record<string, unknown>> = {}): ScriptedAnswer => ({
  calls: [{ action, parameters }],
});
const forecast = call("weather__forecast", { city: "Oslo" });
const count = (part: string): ScriptedAnswer => call("stock__count", { part });

/** The decision, from 1, in which a server ends, and the one from which on another has a tool more. */
export const AT = { gone: 5, grown: 11 } as const;

/** Twenty decisions. */
function stepsOf({
  storm,
  wait,
}: {
  readonly storm: () => void;
  readonly wait: () => void;
}): readonly Step[] {
  const stormy = (): ScriptedAnswer => (storm(), forecast);
  const late = (part: string) => (): ScriptedAnswer => (wait(), count(part));
  return [
    ...[forecast, call("getSkill", { name: "craft-07" }), count("K-1")],
    call("readFile", { path: "skills/craft-07/notes.md" }),
    ...[stormy, count("K-2"), forecast, call("desk__log_in", { user: "Ada" })],
    ...[
      call("recordNote", { content: "Oak, no pine." }),
      late("K-3"),
      call("desk__close", { title: "Keel" }),
    ],
    ...[count("K-4"), call("recallNotes"), late("K-5"), count("K-6")],
    ...[call("readResource", { server: "stock", uri: "stock://plan" }), late("K-7"), count("K-8")],
    ...[call("getSkill", { name: "craft-20" }), "The boat is built."],
  ];
}

export interface Work {
  /** What the model was shown for each decision of agent 1. */
  readonly requests: readonly ModelRequest[];
  /** The log of agent 1. */
  readonly events: readonly Event[];
}

/** What agent 1 does, which has all of it, and agent 2 as well. */
export async function workTwenty({ cwd, env }: Outside): Promise<Work> {
  const clock = createHandClock();
  const steps = stepsOf({
    storm: () => writeFileSync(join(cwd, "storm"), ""),
    wait: () => clock.advance(UNTIL_LOOKED_AGAIN_MS),
  });
  const told = { name: MODEL, ...findModel(MODEL).profile };
  const model = createScriptedModel((_, index) => {
    const step = steps[index]!;
    return typeof step === "function" ? step() : step;
  }, told);
  const policy = { allow: ["action *__*", "action readResource"] };
  const opened = await openLegionIn({ env, clock }, { project: cwd, model, policy });
  try {
    const first = await opened.spawn("assistant");
    const other = createScriptedModel([count("K-0"), "Twelve."], told);
    const second = await opened.spawn({ agent: "assistant", model: other });
    await second.prompt("How many keels are there?");
    await first.prompt("Build a boat.");
  } finally {
    await opened.stop();
  }
  const events = (await legion(["log", "1", "--json"], { cwd, env })).json as readonly Event[];
  return { requests: model.requests, events };
}

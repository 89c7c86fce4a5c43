// A real legion whose agents run on the offline model, over a folder of files.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { core } from "../../../modules/core.ts";
import { goals } from "../../../modules/goals.ts";
import { messaging } from "../../../modules/messaging.ts";
import { notes } from "../../../modules/notes.ts";
import { system } from "../../../modules/system/index.ts";
import type { AgentId } from "../../../src/domain/message/message.ts";
import { PATH, readPath } from "../../../src/model/offline/paths.ts";
import { createOfflineModel } from "../../../src/model/offline/offline.ts";
import { openWorld, temporaryFolder, type World, type WorldAgent, type WorldOptions } from "../../world.ts";

export type Files = Readonly<Record<string, string | Uint8Array>>;

export const MODULES = [core, goals, notes, messaging, system];

export function offlineAgents(ids: readonly AgentId[], extra: Partial<WorldAgent> = {}) {
  return Object.fromEntries(
    ids.map((id) => [id, { model: createOfflineModel(), modules: MODULES, ...extra }]),
  );
}

/** `1` to `n`. */
export function idsTo(n: number): readonly AgentId[] {
  return Array.from({ length: n }, (_, index) => String(index + 1));
}

export async function createTeam(
  ids: readonly AgentId[],
  files: Files = {},
  { extra, ...options }: WorldOptions & { readonly extra?: Partial<WorldAgent> } = {},
): Promise<World> {
  const project = await temporaryFolder();
  await writeFiles(project, files);
  return openWorld(project, offlineAgents(ids, extra), options);
}

export async function writeFiles(folder: string, files: Files): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
}

/** What agents said to Control, oldest first. */
export async function toldControl(world: World): Promise<readonly string[]> {
  return (await world.kinds("0", "message")).map(({ message }) => withoutSizes(message.content));
}

/** How many bytes a file has is for those to say that read it. */
export function withoutSizes(text: string): string {
  return text.replace(/, \d+ bytes?\b/g, "");
}

/** Asks as Control, and gives what the agent answers to it. */
export async function asked(world: World, id: AgentId, text: string): Promise<readonly string[]> {
  const before = (await toldControl(world)).length;
  await world.say(id, text);
  await world.idle();
  return (await toldControl(world)).slice(before);
}

export interface Goal {
  readonly text: string;
  readonly complete: boolean;
}

export function goalsOf({ project }: World, id: AgentId): readonly Goal[] {
  const path = join(project, ".ai-legion/agents", id, "goals.json");
  if (!existsSync(path)) return [];
  return (JSON.parse(readFileSync(path, "utf8")) as { goals: Goal[] }).goals;
}

/** The notes on disk, as text. */
export function notesOf({ project }: World, id: AgentId): readonly string[] {
  const folder = join(project, ".ai-legion/agents", id, "notes");
  if (!existsSync(folder)) return [];
  return readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
}

export async function surveyOf({ project }: World, dir = "."): Promise<string> {
  return withoutSizes(await readFile(join(project, dir, "SURVEY.md"), "utf8"));
}

/** What `SURVEY.md` says of each file, by its path. */
export async function filesIn(world: World, dir = "."): Promise<ReadonlyMap<string, string>> {
  const [, list = ""] = (await surveyOf(world, dir)).split("\n## Files\n");
  const files = new Map<string, string>();
  let folder = "";
  for (const line of list.split("\n## ")[0]!.split("\n")) {
    if (line.startsWith("### ")) folder = readPath(line.slice("### ".length));
    const [, name, says] = new RegExp(`^- (${PATH}): (.*)$`).exec(line) ?? [];
    if (name !== undefined && says !== undefined) files.set(folder + readPath(name), says);
  }
  return files;
}

export async function decisionsOf(world: World, id: AgentId): Promise<number> {
  return (await world.kinds(id, "decision")).length;
}

/** A small project. */
export const PROJECT: Files = {
  "README.md": "# A project\n\n[badge]\n\nIt keeps the time\nfor *gardens*.\n\n## How to run it\n",
  "package.json":
    '{ "name": "a-project", "main": "./dist/index.js", "scripts": { "test": "vitest", "grow": "x" } }\n',
  ".gitignore": "dist/\n*.log\n!src/keep.log\n",
  "src/index.ts": "export function start(): void {}\nexport const version = 1;\n",
  "src/keep.log": "",
  "src/deep/er/part.py": "class Part:\n    pass\n",
  "src/logo.png": new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0, 1, 2]),
  "docs/guide.md": "# Guide\n",
  "test/index.test.ts": 'import "../src/index.ts";\n',
  "dist/index.js": "export const left = 1;\n",
  "node_modules/left/out.js": "module.exports = 1;\n",
  ".git/HEAD": "ref: refs/heads/main\n",
};
/** What a survey of it names. */
export const SURVEYED = Object.keys(PROJECT)
  .filter((path) => !/^(?:node_modules|\.git|dist)\//.test(path))
  .toSorted();

/** What must hold whenever a survey is over. */
export async function expectDone(world: World, ids: readonly string[]): Promise<string> {
  const told = (await toldControl(world)).filter((text) => text.startsWith("The survey of"));
  expect(told).toHaveLength(1);
  const walkers = /Walked by (.*)\. It is/.exec(told[0]!)?.[1]?.split(", ") ?? [];
  for (const id of ids) {
    expect(world.legion.agents.get(id)?.standing.state, `state of ${id}`).toBe("idle");
    if (walkers.includes(`Agent ${id}`)) expect(notesOf(world, id), `notes of ${id}`).not.toEqual([]);
    expect(
      goalsOf(world, id).filter(({ complete }) => !complete),
      `pending goals of ${id}`,
    ).toEqual([]);
  }
  return told[0]!;
}

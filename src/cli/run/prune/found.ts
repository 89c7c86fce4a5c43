// What could be deleted of a project: its runs, its agents, and the worktrees of both.

import { existsSync, lstatSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { isLegionError } from "../../../base/errors.ts";
import { CONTROL } from "../../../domain/message/message.ts";
import { endOfRun, readEnd } from "../../look/run-lines.ts";
import { sessionsOf } from "../../../storage/files/sessions.ts";
import { createFileReader, type FileReader } from "../../../storage/files/reader/reader.ts";
import { checkHome } from "../../../storage/folder/home.ts";
import { lockHolder } from "../../../storage/folder/lock.ts";
import { legionPaths, type LegionPaths } from "../../../storage/folder/paths.ts";
import { strangersIn } from "../../../storage/folder/strangers.ts";
import { listed, type Prunable, type PruneSite } from "./prunable.ts";
import { agedIn } from "./replaced.ts";
import { sizeIn } from "../../kit/sizes.ts";
import { treesIn } from "./trees.ts";

/** In the order in which they are shown. Writes nothing. */
export async function findPrunable(site: PruneSite): Promise<readonly Prunable[]> {
  const found: Prunable[] = [];
  for (const { home } of await sessionsOf(site.project))
    found.push(...(await prunableIn(legionPaths(site.project, home), site)));
  return [...found, ...(await prunableIn(legionPaths(site.project), site))];
}

/** The same of one home alone. */
export async function prunableIn(paths: LegionPaths, site: PruneSite): Promise<readonly Prunable[]> {
  const isOwn = paths.root === legionPaths(paths.project).root;
  const name = basename(paths.root);
  const { bytes } = isOwn ? { bytes: 0 } : sizeIn(paths.root, paths.workspaces);
  const run = { kind: "run", name, path: paths.root, bytes, paths } as const;
  try {
    if (isOwn)
      return [
        ...(await agentsOf(site, paths)),
        ...(await keptOf(site, paths)),
        ...(await treesOf(site, paths, "")),
      ];
    const strangers = strangersIn(paths);
    if (isForeign(paths.root, strangers)) return [{ ...run, ...FOREIGN }];
    await checkHome(paths, site.person);
    const keeps = strangers.length > 0 && `it holds what legion did not make: ${listed(strangers)}`;
    return [
      { ...run, ...(await standingOfRun(site, paths)), ...(keeps && { keeps }) },
      ...(await treesOf(site, paths, `${name}/`)),
    ];
  } catch (error) {
    if (isOwn || !isLegionError(error)) throw error;
    return [{ ...run, state: "?", usedMs: 0, mark: "", keeps: error.message }];
  }
}

const FOREIGN = {
  kind: "folder",
  ...{ state: "", usedMs: 0, mark: "", keeps: "it is no run: legion made nothing in it" },
} as const;

/** Is something in it, and nothing of a run? */
function isForeign(root: string, strangers: readonly string[]): boolean {
  return strangers.length > 0 && strangers.length === readdirSync(root).length;
}

type PruneStanding = Pick<Prunable, "state" | "usedMs" | "mark" | "keeps" | "risk">;

async function standingOfRun({ project, person }: PruneSite, paths: LegionPaths): Promise<PruneStanding> {
  const { root: home } = paths;
  const reader = createFileReader(project, { home, person });
  const { at, stored = { state: "unused", end: null } } = await endOfRun(reader);
  return { ...standing(stored), ...usedAt(at, home), ...(await openBy(paths, reader)) };
}

/** Where nothing was begun, when the folder was made, or something in it: in whole milliseconds, as the time now is. */
function usedAt(at: string | null, path: string): Pick<PruneStanding, "usedMs" | "mark"> {
  return { usedMs: Date.parse(at ?? "") || Math.floor(lstatSync(path).mtimeMs), mark: at ?? "" };
}

/** Only what was done, or never begun, is done with. */
function standing({
  state,
  end,
}: {
  readonly state: string;
  readonly end: string | null;
}): Pick<PruneStanding, "state" | "risk"> {
  if (end === "Submitted" || state === "unused") return { state };
  const why = state === "damaged" ? "nothing of its log can be read" : "it can be gone on with";
  return { state, risk: { option: "unfinished", why } };
}

async function agentsOf({ project, person }: PruneSite, paths: LegionPaths): Promise<readonly Prunable[]> {
  const reader = createFileReader(project, { person });
  const open = await openBy(paths, reader);
  const agents: Prunable[] = [];
  for (const agent of await reader.known()) {
    const path = paths.agent(agent);
    const end = await readEnd(agent, reader);
    const what = { kind: "agent", name: agent, path, bytes: sizeIn(path).bytes, paths, agent } as const;
    agents.push({ ...what, ...standing(end), ...usedAt(end.at, path), ...open });
  }
  return agents;
}

/** What is kept for `legion undo`, agent by agent, that of Control included. */
async function keptOf(
  { project, person, beforeMs }: PruneSite,
  paths: LegionPaths,
): Promise<readonly Prunable[]> {
  const reader = createFileReader(project, { person });
  const open = existsSync(paths.unfinishedUndo)
    ? { keeps: "an undo is not finished; the next start goes on with it" }
    : await openBy(paths, reader);
  return [CONTROL, ...(await reader.known())].flatMap((agent): readonly Prunable[] => {
    const path = join(paths.agent(agent), "undo");
    if (!lstatSync(path, { throwIfNoEntry: false })?.isDirectory()) return [];
    const aged = agedIn(path, beforeMs);
    const state = aged.parts ? "what was replaced, as far as it is old" : "what was replaced";
    return [{ kind: "undo", name: agent, path, paths, agent, state, ...aged, ...open }];
  });
}

async function treesOf(site: PruneSite, paths: LegionPaths, prefix: string): Promise<readonly Prunable[]> {
  const trees = await treesIn(paths, site, prefix);
  const reader = createFileReader(site.project, { home: paths.root, person: site.person });
  const open = trees.length > 0 ? await openBy(paths, reader) : {};
  return trees.map((tree) => ({ ...tree, ...open }));
}

/** Whoever has it open only for a moment is no obstacle. */
async function openBy(
  { lock }: LegionPaths,
  { disk }: Pick<FileReader, "disk">,
): Promise<Pick<Prunable, "keeps">> {
  const holder = await lockHolder(lock, disk);
  return holder?.role === "node" ? { keeps: `process ${holder.pid} has it open` } : {};
}

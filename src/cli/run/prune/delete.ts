// Deletes what was chosen, home by home, each while nobody else can open it. What is deleted is first moved away, as a whole: whoever is
// killed meanwhile leaves nothing half.

import { randomUUID } from "node:crypto";
import { existsSync, lstatSync, realpathSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { isLegionError, LegionError, messageOf } from "../../../base/errors.ts";
import { createDisk } from "../../../base/files/disk.ts";
import { createGit } from "../../../environment/workspace/git.ts";
import { projectRepository } from "../../../environment/workspace/repository.ts";
import { digestFolder, removeDigests } from "../../../storage/folder/cache/digest-file.ts";
import { removeKeptOfMany } from "../../../storage/files/reader/kept-of-many.ts";
import { removePast } from "../../../storage/folder/cache/past-file.ts";
import { removeWorktree } from "../../../environment/workspace/removal.ts";
import { freeTree } from "../../../environment/workspace/tree.ts";
import { settleHome } from "../../../legion/opening/purse.ts";
import { takeLock } from "../../../storage/folder/lock.ts";
import { legionPaths } from "../../../storage/folder/paths.ts";
import { belongsTo } from "./choice.ts";
import { prunableIn } from "./found.ts";
import type { Prunable, PruneSite } from "./prunable.ts";

export interface Pruned {
  readonly item: Prunable;
  /** Why it is still there; absent: it is not. */
  readonly failed?: string;
}

const LOCK_WAIT_MS = 1_000;
/** Nothing is deleted before what belongs to it. */
const ORDER: readonly Prunable["kind"][] = ["worktree", "undo", "agent", "run"];

export async function* deleteAll(items: readonly Prunable[], site: PruneSite): AsyncGenerator<Pruned> {
  for (const root of new Set(items.map(({ paths }) => paths.root))) {
    const here = items.filter(({ paths }) => paths.root === root);
    try {
      yield* deleteIn(here, site);
    } catch (error) {
      if (!isLegionError(error)) throw error;
      for (const item of here) yield { item, failed: error.message };
    }
  }
}

async function* deleteIn(items: readonly Prunable[], site: PruneSite): AsyncGenerator<Pruned> {
  const { paths } = items[0]!;
  const lock = await takeLock(paths.lock, createDisk(paths.tmp), { role: "command", waitMs: LOCK_WAIT_MS });
  try {
    const now = await prunableIn(paths, site);
    const left: Prunable[] = [];
    for (const item of items.toSorted((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind))) {
      const tree = left.find((other) => belongsTo(other, item));
      const used = isAsShown(item, now) ? undefined : "it was used meanwhile";
      const obstacle = tree ? `its ${tree.kind} ${tree.state} is still there` : used;
      const failed = obstacle ?? (await attempt(item, site));
      if (failed !== undefined) left.push(item);
      yield { item, ...(failed !== undefined && { failed }) };
    }
  } finally {
    await lock.release();
  }
}

function isAsShown(item: Prunable, now: readonly Prunable[]): boolean {
  const same = now.find(({ kind, name }) => kind === item.kind && name === item.name);
  return same?.mark === item.mark && same.keeps === undefined && same.risk?.why === item.risk?.why;
}

/** Resolves with why it could not be deleted, if so. */
async function attempt(item: Prunable, site: PruneSite): Promise<string | undefined> {
  const aside = join(legionPaths(site.project).tmp, `pruned-${randomUUID()}`);
  try {
    if (item.kind === "worktree") await removeTree(item, aside, site);
    else {
      if (item.kind !== "undo") await settleHome(item.paths.root, site.person, Date.now());
      await moveAside(item, aside);
    }
    if (item.kind === "agent") {
      await moveHome(item, `${aside}-home`);
      await removeDigests(digestFolder(item.paths), item.agent!);
      await removePast(item.paths, item.agent!);
      await removeKeptOfMany(item.paths);
    }
    for (const path of [aside, `${aside}-home`]) {
      freeTree(path);
      await rm(path, { recursive: true, force: true, maxRetries: 10 });
    }
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

async function removeTree(
  { path, state, agent }: Prunable,
  aside: string,
  { project, env }: PruneSite,
): Promise<void> {
  if (agent === undefined) throw new LegionError("DAMAGED", `${path} is nobody's`);
  const git = createGit(env);
  const repository = await projectRepository(project, git);
  await removeWorktree({ repository, root: path, branch: state }, aside, git);
}

/** What the commands of an agent had for themselves in a sandbox. */
async function moveHome({ paths, agent }: Prunable, aside: string): Promise<void> {
  const home = join(paths.root, "homes", agent!);
  if (existsSync(home)) await moveAside({ path: home }, aside);
}

/** Never by way of a link: what is there has to be where it says it is. */
async function moveAside({ path, parts }: Pick<Prunable, "path" | "parts">, aside: string): Promise<void> {
  if (!lstatSync(path).isDirectory() || realpathSync(path) !== path)
    throw new LegionError("DAMAGED", `${path} leads elsewhere by a link; delete it`);
  await mkdir(parts ? aside : join(aside, ".."), { recursive: true, mode: 0o700 });
  if (!parts) return rename(path, aside);
  // A call whose bytes are gone first would be one that nobody can take back: it goes before them.
  const calls = parts.filter((name) => name.endsWith(".json"));
  for (const name of [...calls, ...parts.filter((one) => !calls.includes(one))])
    await rename(join(path, name), join(aside, name));
}

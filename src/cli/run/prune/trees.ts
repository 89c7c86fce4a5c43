// The folders that agents of a home have for themselves, and what stands against deleting them.

import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { isLegionError } from "../../../base/errors.ts";
import { onceEach } from "../../../base/once-each.ts";
import { isAgentId } from "../../../domain/message/message.ts";
import { createGit } from "../../../environment/workspace/git.ts";
import { projectRepository } from "../../../environment/workspace/repository.ts";
import { standingOf } from "../../../environment/workspace/standing.ts";
import type { LegionPaths } from "../../../storage/folder/paths.ts";
import type { Ignored, Prunable, PruneSite } from "./prunable.ts";
import { sizeIn } from "../../kit/sizes.ts";

type TreeStanding = Pick<Prunable, "kind" | "usedMs" | "mark" | "risk" | "keeps" | "ignored">;

/** What git says of them is asked only where there are some. `prefix` stands before the ids of agents in their names. */
export async function treesIn(
  paths: LegionPaths,
  { project, env }: PruneSite,
  prefix: string,
): Promise<readonly Prunable[]> {
  const opened = onceEach(async () => {
    const git = createGit(env);
    return { git, repository: await projectRepository(project, git) };
  });
  const look = async (root: string, branch: string): Promise<TreeStanding> => {
    try {
      const { git, repository } = await opened("");
      const { isOurs, usedMs, keeps, lost, ignored } = await standingOf({ repository, root, branch }, git);
      const seen = { kind: isOurs ? "worktree" : "workspace", usedMs, mark: String(usedMs) } as const;
      if (keeps !== undefined) return { ...seen, keeps };
      const risk = lost === undefined ? undefined : ({ option: "unmerged", why: lost } as const);
      return { ...seen, ...(risk && { risk }), ...(ignored.length > 0 && { ignored: sum(root, ignored) }) };
    } catch (error) {
      if (!isLegionError(error)) throw error;
      return { kind: "workspace", usedMs: 0, mark: "", keeps: error.message };
    }
  };
  const trees: Prunable[] = [];
  for (const agent of foldersIn(paths.workspaces).filter(isAgentId)) {
    const [path, branch] = [join(paths.workspaces, agent), paths.branch(agent)];
    const standing = await look(path, branch);
    const state = standing.kind === "worktree" ? branch : "";
    const what = { name: `${prefix}${agent}`, state, path, paths, agent } as const;
    trees.push({ ...what, bytes: sizeIn(path).bytes, ...standing });
  }
  return trees;
}

function sum(root: string, paths: readonly string[]): Ignored {
  const sizes = paths.map((path) => sizeIn(join(root, path)));
  const total = (key: "files" | "bytes"): number => sizes.reduce((all, size) => all + size[key], 0);
  return { paths, files: total("files"), bytes: total("bytes") };
}

/** Names of real folders; none if `path` is no real one itself. */
function foldersIn(path: string): readonly string[] {
  if (!lstatSync(path, { throwIfNoEntry: false })?.isDirectory()) return [];
  const entries = readdirSync(path, { withFileTypes: true });
  return entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
}

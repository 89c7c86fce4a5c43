// What lies in a home and was not made by this program.

import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { CONTROL, isAgentId } from "../../domain/message/message.ts";
import type { LegionPaths } from "./paths.ts";

/** The names that this program gives to what lies in a home. */
const HOME_NAMES: ReadonlySet<string> = new Set([
  ...[".gitignore", "agents", "arrivals", "cache", "config.schema.json", "config.yaml", "corrupt", "homes"],
  ...["legion.sock", "lock", "logs", "memory", "runs", "set-aside", "tmp", "trajectory.json", "workspace-id"],
  ...["workspaces", "batch.json", "preds.json", "summary.json"],
  // What a person writes for it.
  ...["prompts", "skills"],
]);

/** In the folder of each task of a batch. */
const TASK = "task.json";

/** What programs leave that only look at a folder, and what was being written. */
const MARK = /^\.(DS_Store|nfs[0-9a-f]+|.+\.(swp|tmp))$/;

/** Did this program give `name` to what lies in the home `root`? */
export function isOfHome(root: string, name: string): boolean {
  return HOME_NAMES.has(name) || existsSync(join(root, name, TASK));
}

/** Their paths in the home; empty if all of it is this program's. What agents, or a person, write into its folders is no stranger. */
export function strangersIn({ root, agents, workspaces }: LegionPaths): readonly string[] {
  const inFolder = (folder: string, isOurs: (name: string) => boolean): readonly string[] =>
    namesIn(folder).filter((name) => !isOurs(name) && !MARK.test(name));
  const isAgents = (name: string): boolean => name === CONTROL || isAgentId(name);
  return [
    ...inFolder(root, (name) => isOfHome(root, name)),
    ...inFolder(agents, isAgents).map((name) => `agents/${name}`),
    ...inFolder(workspaces, isAgents).map((name) => `workspaces/${name}`),
  ];
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // Whoever uses it says what is wrong with it.
    return [];
  }
}

// What could be deleted, as it is shown, chosen and deleted.

import type { Variables } from "../../../base/process/variables.ts";
import type { LegionPaths } from "../../../storage/folder/paths.ts";
import type { PersonFolder } from "../../../storage/folder/person/folder.ts";
import type { DiskSize } from "../../kit/sizes.ts";

/** Something that may be deleted, or what keeps it. */
export interface Prunable {
  /**
   * `workspace`: a folder of an agent that is no worktree of the project; `folder`: one among the runs that is none; `undo`: what is kept of
   * what an agent replaced, or an undo did.
   */
  readonly kind: "run" | "agent" | "worktree" | "workspace" | "folder" | "undo";
  /** Of a run or folder its name; of the others the id of the agent, behind the name of its run. */
  readonly name: string;
  /** How it ended; of a worktree its branch; empty: nobody knows. */
  readonly state: string;
  /** When it was last used, in milliseconds since 1970; 0 if nobody knows. */
  readonly usedMs: number;
  /** Another one if it was used since. */
  readonly mark: string;
  /** Absolute path of its folder. */
  readonly path: string;
  /** The names of the files in it that go; absent: all of it. */
  readonly parts?: readonly string[];
  readonly bytes: number;
  /** Where its legion is kept, and whose it is; of a run nobody's. */
  readonly paths: LegionPaths;
  readonly agent?: string;
  /** Why it stays whatever is asked, in a few words; absent: nothing stands against it. */
  readonly keeps?: string;
  /** What asks for more than age: that it could be gone on with, or what of it is nowhere else. */
  readonly risk?: { readonly option: "unfinished" | "unmerged"; readonly why: string };
  /** Goes with it though git was never told of it; absent: there is none. */
  readonly ignored?: Ignored;
}

export interface Ignored extends DiskSize {
  /** In the worktree, at least one; that of a folder ends with a slash. */
  readonly paths: readonly string[];
}

export interface PruneSite {
  readonly project: string;
  readonly person: PersonFolder;
  readonly env: Variables;
  /** What was not used since then is old, in milliseconds since 1970. */
  readonly beforeMs: number;
}

const MAX_LISTED = 3;

/** The first of some names, and how many more there are. */
export function listed(names: readonly string[]): string {
  const more = names.length - MAX_LISTED;
  return [...names.slice(0, MAX_LISTED), ...(more > 0 ? [`${more} more`] : [])].join(", ");
}

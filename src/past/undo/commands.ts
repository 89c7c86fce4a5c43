// What a command changed, kept like what file actions replace, and told in its result.

import { join, relative } from "node:path";
import type { Workspace } from "../../domain/authoring/workspace.ts";
import type { CommandChanges } from "../../environment/snapshots/changes.ts";
import type { WritingCall } from "../receipts/beside.ts";
import type { KeptFiles } from "./kept.ts";
import { toldOf, type FileAccount } from "./told.ts";

export interface EndedCommand {
  /** Tells its call from every other in the world. */
  readonly key: string;
  /** Where it worked: `home`, where the state of the legion is, relative to `root`. */
  readonly workspace: Pick<Workspace, "root" | "home">;
  /** What ran beside it. */
  readonly beside: ReadonlySet<WritingCall>;
}

/** What another call wrote meanwhile is that one's; beside a command nobody knows whose a change is. */
export async function keepCommand(
  kept: Pick<KeptFiles, "keep">,
  { key, workspace, beside }: EndedCommand,
  changes: CommandChanges,
): Promise<FileAccount> {
  const root = relative(join(workspace.root, workspace.home), workspace.root);
  if (changes.kind === "unknown") {
    const { why: unknown } = changes;
    return { unkept: await kept.keep(key, root, [], { unknown }), changed: { files: [], unknown } };
  }
  const others = [...beside];
  const isShared = others.some(({ wrote }) => wrote === undefined || wrote.includes(ALL_OF_IT));
  const theirs = others.flatMap(({ wrote = [] }) => wrote);
  const own = changes.files.filter(({ path }) => !theirs.some((one) => isIn(one, path)));
  const unkept = await kept.keep(key, root, own, isShared ? { isShared } : {});
  return { unkept, changed: toldOf(own, isShared ? "commands" : "none") };
}

const ALL_OF_IT = "";

function isIn(folder: string, path: string): boolean {
  return folder === path || (folder !== ALL_OF_IT && path.startsWith(`${folder}/`));
}

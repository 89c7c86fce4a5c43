// What a result tells of the files that its commands changed: within bounds, whatever they did.

import type { Contents, Replacement, Unkept } from "../../domain/authoring/workspace.ts";
import type { ChangedByCommands, FileDeed } from "../../domain/event/changed.ts";

const MOST_FILES = 100;
/** Of all paths, as JSON has them. */
const MOST_BYTES = 16 * 1024;

/** What an action changed in the workspace. */
export interface FileAccount {
  /** Nothing is kept of what stood there. */
  readonly unkept: readonly Unkept[];
  /** By its commands, as far as anybody looked; absent: nobody did. */
  readonly changed?: ChangedByCommands | undefined;
}

export function createFileAccount() {
  const unkept: Unkept[] = [];
  let changed: ChangedByCommands | undefined;
  return {
    get unkept(): readonly Unkept[] {
      return unkept;
    },
    get changed(): ChangedByCommands | undefined {
      return changed;
    },
    /** What one of its commands, or it itself, changed besides. */
    tell(more: FileAccount): void {
      unkept.push(...more.unkept);
      if (more.changed) changed = joined(changed, more.changed);
    },
  };
}

/** @param others what ran meanwhile */
export function toldOf(replaced: readonly Replacement[], others: "commands" | "none"): ChangedByCommands {
  const files = replaced.map(({ path, before, after }) => ({ path, does: deedOf(before, after) }));
  return bounded({ files, ...(others === "commands" && files.length > 0 && { isShared: true }) });
}

/** Of one command after the other. */
function joined(first: ChangedByCommands | undefined, next: ChangedByCommands): ChangedByCommands {
  if (!first) return next;
  const files = new Map(first.files.map(({ path, does }) => [path, does]));
  for (const { path, does } of next.files) {
    const both = inAll(files.get(path), does);
    if (both) files.set(path, both);
    else files.delete(path);
  }
  const unknown = first.unknown ?? next.unknown;
  return bounded({
    files: [...files].map(([path, does]) => ({ path, does })),
    more: (first.more ?? 0) + (next.more ?? 0),
    ...((first.isShared || next.isShared) && { isShared: true }),
    ...(unknown !== undefined && { unknown }),
  });
}

/** `undefined`: in all, nothing. */
function inAll(first: FileDeed["does"] | undefined, next: FileDeed["does"]) {
  if (first === "created") return next === "deleted" ? undefined : first;
  return first === "deleted" && next === "created" ? "changed" : next;
}

function bounded({ files, more = 0, ...rest }: ChangedByCommands): ChangedByCommands {
  let bytes = 0;
  const shown = files.filter(({ path }) => {
    const size = Buffer.byteLength(JSON.stringify(path));
    const fits = bytes + size <= MOST_BYTES;
    if (fits) bytes += size;
    return fits;
  });
  const told = shown.slice(0, MOST_FILES);
  const left = more + files.length - told.length;
  return { files: told, ...(left > 0 && { more: left }), ...rest };
}

function deedOf(before: Contents, after: Contents): FileDeed["does"] {
  if (isNoFile(before)) return "created";
  return isNoFile(after) ? "deleted" : "changed";
}

function isNoFile({ kind }: Contents): boolean {
  return kind === "nothing" || kind === "folder";
}

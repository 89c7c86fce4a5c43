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
  const files = inMoves(replaced.map(toDeed), movesIn(replaced));
  return bounded({ files, ...(others === "commands" && files.length > 0 && { isShared: true }) });
}

/** Of one command after the other. */
function joined(first: ChangedByCommands | undefined, next: ChangedByCommands): ChangedByCommands {
  if (!first) return next;
  const files = new Map(first.files.flatMap(inParts));
  for (const [path, does] of next.files.flatMap(inParts)) {
    const both = inAll(files.get(path), does);
    if (both) files.set(path, both);
    else files.delete(path);
  }
  const moves = movesOf(first);
  for (const [to, from] of movesOf(next)) {
    moves.set(to, moves.get(from) ?? from);
    moves.delete(from);
  }
  const unknown = first.unknown ?? next.unknown;
  return bounded({
    files: inMoves(
      [...files].map(([path, does]) => ({ path, does })),
      moves,
    ),
    more: (first.more ?? 0) + (next.more ?? 0),
    ...((first.isShared || next.isShared) && { isShared: true }),
    ...(unknown !== undefined && { unknown }),
  });
}

/** From where to where, by where to. */
type Moves = ReadonlyMap<string, string>;
type HalfDeed = Exclude<FileDeed["does"], "moved">;

function movesOf({ files }: ChangedByCommands): Map<string, string> {
  return new Map(
    files.flatMap(({ path, from }): [string, string][] => (from === undefined ? [] : [[path, from]])),
  );
}

function inParts({ path, does, from }: FileDeed): readonly (readonly [string, HalfDeed])[] {
  if (does !== "moved") return [[path, does]];
  return from === undefined
    ? [[path, "created"]]
    : [
        [from, "deleted"],
        [path, "created"],
      ];
}

/** The two halves of a move as one, where both are there. */
function inMoves(
  files: readonly (FileDeed & { readonly does: HalfDeed })[],
  moves: Moves,
): readonly FileDeed[] {
  const did = new Map(files.map(({ path, does }) => [path, does]));
  const moved = new Map(
    [...moves].filter(([to, from]) => did.get(to) === "created" && did.get(from) === "deleted"),
  );
  const left = new Set(moved.values());
  return files.flatMap((file): FileDeed[] => {
    const from = moved.get(file.path);
    if (from !== undefined) return [{ path: file.path, does: "moved", from }];
    return left.has(file.path) && file.does === "deleted" ? [] : [file];
  });
}

/** Files that went while others came with the same bytes. Of empty ones nobody can tell. */
function movesIn(replaced: readonly Replacement[]): Moves {
  const gone = new Map<number, (FileContents & Pick<Replacement, "path">)[]>();
  for (const { path, before, after } of replaced) {
    if (!isNoFile(after) || !isFull(before)) continue;
    const alike = gone.get(before.content.length);
    if (alike) alike.push({ ...before, path });
    else gone.set(before.content.length, [{ ...before, path }]);
  }
  const moves = new Map<string, string>();
  for (const { path, before, after } of replaced) {
    if (!isNoFile(before) || !isFull(after)) continue;
    const alike = gone.get(after.content.length) ?? [];
    const at = alike.findIndex(({ content }) => isSame(content, after.content));
    const [found] = at === -1 ? [] : alike.splice(at, 1);
    if (found) moves.set(path, found.path);
  }
  return moves;
}

function isSame(a: FileContents["content"], b: FileContents["content"]): boolean {
  const bytesOf = (content: typeof a): Uint8Array =>
    typeof content === "string" ? Buffer.from(content) : content;
  return Buffer.compare(bytesOf(a), bytesOf(b)) === 0;
}

type FileContents = Contents & { readonly kind: "file" };

function isFull(contents: Contents): contents is FileContents {
  return contents.kind === "file" && contents.content.length > 0;
}

/** `undefined`: in all, nothing. */
function inAll(first: HalfDeed | undefined, next: HalfDeed): HalfDeed | undefined {
  if (first === "created") return next === "deleted" ? undefined : first;
  return first === "deleted" && next === "created" ? "changed" : next;
}

function bounded({ files, more = 0, ...rest }: ChangedByCommands): ChangedByCommands {
  let bytes = 0;
  const shown = files.filter(({ path, from = "" }) => {
    const size = Buffer.byteLength(JSON.stringify(path + from));
    const fits = bytes + size <= MOST_BYTES;
    if (fits) bytes += size;
    return fits;
  });
  const told = shown.slice(0, MOST_FILES);
  const left = more + files.length - told.length;
  return { files: told, ...(left > 0 && { more: left }), ...rest };
}

function toDeed({ path, before, after }: Replacement): FileDeed & { readonly does: HalfDeed } {
  return { path, does: isNoFile(before) ? "created" : isNoFile(after) ? "deleted" : "changed" };
}

function isNoFile({ kind }: Contents): boolean {
  return kind === "nothing" || kind === "folder";
}

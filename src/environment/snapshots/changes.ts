// What differs between two snapshots, as git prints it: byte by byte, and believed only where the bytes have the hash that names them.

import { createHash } from "node:crypto";
import { LegionError } from "../../base/errors.ts";
import type { Contents, Replacement } from "../../domain/authoring/workspace.ts";
import { isProtected } from "../../domain/authoring/protected.ts";

/** What a command changed. */
export type CommandChanges =
  /** Relative to the workspace. Of what git ignores, and of repositories in there, nothing is said. */
  | { readonly kind: "known"; readonly files: readonly Replacement[] }
  /** In a few words. */
  | { readonly kind: "unknown"; readonly why: string };

const MAX_FILES = 2_000;
const DIFFERENCE =
  /:(?<oldMode>\d{6}) (?<newMode>\d{6}) (?<oldId>[0-9a-f]{40}) (?<newId>[0-9a-f]{40}) [A-Z]\t(?<path>[^\n]+)\n/gy;
const ESCAPE = /\\([0-7]{3}|.)/g;
const ESCAPED: Readonly<Record<string, string>> = {
  ...{ a: "\x07", b: "\b", t: "\t", n: "\n", v: "\v", f: "\f", r: "\r" },
};
const BLOB = /(?<id>[0-9a-f]{40}) blob (?<size>\d+)\n/y;
const BEYOND = "it is too big, or git does not have it";

type TreeDifference = Readonly<Record<"oldMode" | "newMode" | "oldId" | "newId" | "path", string>>;

/** @param printed as the script prints it. Throws REFUSED where nothing of it can be told. */
export function changesIn(printed: Buffer): readonly Replacement[] {
  const text = printed.toString("latin1");
  let end = 0;
  const differences: TreeDifference[] = [];
  for (const found of text.matchAll(DIFFERENCE)) {
    differences.push(found.groups as TreeDifference);
    end = found.index + found[0].length;
  }
  const blobs = blobsIn(printed, text, end);
  const files = differences.map((one) => replacementOf(one, blobs));
  const shown = files.filter(({ path }) => !isProtected(path.split("/")));
  if (shown.length > MAX_FILES)
    throw new LegionError("REFUSED", `it changed ${shown.length} files, and at most ${MAX_FILES} are kept`);
  return withFolders(shown);
}

function blobsIn(printed: Buffer, text: string, from: number): ReadonlyMap<string, Buffer> {
  const blobs = new Map<string, Buffer>();
  for (let at = from; at < text.length;) {
    BLOB.lastIndex = at;
    const found = BLOB.exec(text);
    if (!found) break;
    const { id, size } = found.groups as Record<"id" | "size", string>;
    const bytes = printed.subarray(BLOB.lastIndex, BLOB.lastIndex + Number(size));
    at = BLOB.lastIndex + Number(size) + 1;
    if (idOf(bytes) === id) blobs.set(id, bytes);
  }
  return blobs;
}

/** Whoever may write objects may have put others under that name. */
function idOf(bytes: Buffer): string {
  return createHash("sha1").update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
}

function replacementOf(
  { oldMode, newMode, oldId, newId, path }: TreeDifference,
  blobs: ReadonlyMap<string, Buffer>,
): Replacement {
  const name = textOf(Buffer.from(unquoted(path), "latin1"));
  if (name === undefined) throw new LegionError("REFUSED", "the name of a file that it changed is no UTF-8");
  return {
    path: name,
    before: contentsOf(oldMode, blobs.get(oldId)),
    after: contentsOf(newMode, blobs.get(newId)),
  };
}

/** A name as git prints it, in Latin 1: what is not plain is in quotes, as in C. */
function unquoted(path: string): string {
  if (!path.startsWith('"')) return path;
  return path
    .slice(1, -1)
    .replace(ESCAPE, (_, what: string) =>
      what.length === 3 ? String.fromCharCode(Number.parseInt(what, 8)) : (ESCAPED[what] ?? what),
    );
}

function contentsOf(mode: string, content: Buffer | undefined): Contents {
  if (mode === "000000") return { kind: "nothing" };
  if (mode === "160000") return { kind: "other", why: "it is a repository of its own" };
  if (content === undefined) return { kind: "other", why: BEYOND };
  if (mode === "100755") return { kind: "file", content, mode: 0o755 };
  if (mode !== "120000") return { kind: "file", content };
  const to = textOf(content);
  return to === undefined
    ? { kind: "other", why: "it leads to a name that is no UTF-8" }
    : { kind: "link", to };
}

function textOf(bytes: Buffer): string | undefined {
  const text = bytes.toString("utf8");
  return Buffer.from(text).equals(bytes) ? text : undefined;
}

/** Where a file gave way to a folder, or a folder to a file, git tells of files alone. */
function withFolders(files: readonly Replacement[]): readonly Replacement[] {
  const foldersOf = (side: "before" | "after"): ReadonlySet<string> =>
    new Set(files.flatMap((one) => (one[side].kind === "nothing" ? [] : foldersAbove(one.path))));
  const [before, after] = [foldersOf("before"), foldersOf("after")];
  return files.map((one) => ({
    path: one.path,
    before: before.has(one.path) && one.before.kind === "nothing" ? FOLDER : one.before,
    after: after.has(one.path) && one.after.kind === "nothing" ? FOLDER : one.after,
  }));
}

const FOLDER: Contents = { kind: "folder" };

function foldersAbove(path: string): readonly string[] {
  const names = path.split("/").slice(0, -1);
  return names.map((_, index) => names.slice(0, index + 1).join("/"));
}

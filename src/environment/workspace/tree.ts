// Copies a folder with all that is in it: files by sharing their blocks where the disk can, links as links. Names are bytes:
// not all of them are text.

import * as fs from "node:fs";
import { copyFile } from "node:fs/promises";
import { setImmediate as others } from "node:timers/promises";
import { codeOf, messageOf } from "../../base/errors.ts";
import { isInside } from "../../base/files/project-file.ts";
import { quote } from "../../base/text/wording.ts";
import { asBytes, asText, settleLink } from "./links.ts";

export interface TreeOrder {
  /** Absolute real path of a folder. */
  readonly source: string;
  /** Absolute; nothing is there, in a folder that is. */
  readonly target: string;
  /** Where the target will be in the end: what leads into the source leads there. */
  readonly lasting: string;
  /** Of what lies at `names` in the source. */
  readonly isLeft: (names: readonly string[]) => Promise<boolean> | boolean;
  /** `repository`: it is what a folder `.git` holds, and is put to what is in the target already. */
  readonly kind?: "repository";
  /** Told what is not as in the source, one line. */
  readonly remark: (text: string) => void;
  readonly signal?: AbortSignal | undefined;
}

/** What was found of repositories on the way: the names that lead to each. */
export interface FoundRepositories {
  /** Folders, files or links that are called `.git`. */
  readonly gits: readonly (readonly string[])[];
  /** In such a folder: files with settings, and files that name other places with objects. */
  readonly settings: readonly (readonly string[])[];
  readonly alternates: readonly (readonly string[])[];
}

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, COPYFILE_EXCL, COPYFILE_FICLONE } = fs.constants;
const COPIED = COPYFILE_EXCL | COPYFILE_FICLONE;
const OPEN_FILES = "/proc/self/fd";
const hasOpenFiles = fs.existsSync(OPEN_FILES);
/** How many files before others have their turn; a large one is copied beside them. */
const BATCH = 100;
const LARGE_BYTES = 1024 * 1024;
const SLASH = Buffer.from("/");

/** A place in both trees. */
interface Spot {
  readonly from: Buffer;
  readonly to: Buffer;
  /** As text. */
  readonly names: readonly string[];
}

interface FoundSoFar extends FoundRepositories {
  readonly gits: (readonly string[])[];
  readonly settings: (readonly string[])[];
  readonly alternates: (readonly string[])[];
}

/** Rejects with what the disk says if the target cannot be written; what cannot be read is left out, with a remark. */
export async function copyTree(order: TreeOrder): Promise<FoundRepositories> {
  const { source, target, signal } = order;
  const found: FoundSoFar = { gits: [], settings: [], alternates: [] };
  const folders: { readonly to: Buffer; readonly stat: fs.BigIntStats }[] = [];
  const rest: Spot[] = [{ from: Buffer.from(source), to: Buffer.from(target), names: [] }];
  for (let spot = rest.pop(), seen = 0; spot; spot = rest.pop()) {
    if (++seen % BATCH === 0) {
      await others();
      signal?.throwIfAborted();
    }
    if (spot.names.length > 0 && (await order.isLeft(spot.names))) continue;
    const stat = reading(order, spot, ({ from }) => fs.lstatSync(from, { bigint: true }));
    if (!stat) continue;
    note(found, spot.names, { order, stat });
    if (order.kind === "repository" && !stat.isDirectory() && fs.existsSync(spot.to)) continue;
    if (stat.isDirectory()) {
      const inside = listed(order, spot);
      if (!inside) continue;
      fs.mkdirSync(spot.to, { mode: 0o700, recursive: order.kind === "repository" });
      folders.push({ to: spot.to, stat });
      rest.push(...inside);
    } else if (stat.isSymbolicLink()) copyLink(order, spot, stat);
    else if (stat.isFile()) await copyRegular(order, spot);
    else order.remark(`left out ${shown(spot)}: it is neither a file nor a folder`);
  }
  // From within: what is made in a folder changes its time, and in some nothing may be made.
  for (const { to, stat } of folders.toReversed()) {
    setTimes(to, stat);
    fs.chmodSync(to, Number(stat.mode) & 0o777);
  }
  return found;
}

/** Lets everything in `folder` be deleted. Does nothing where there is none. */
export function freeTree(folder: string | Buffer): void {
  const at = Buffer.from(folder);
  if (!fs.lstatSync(at, { throwIfNoEntry: false })?.isDirectory()) return;
  fs.chmodSync(at, 0o700);
  for (const entry of fs.readdirSync(at, { withFileTypes: true, encoding: "buffer" }))
    if (entry.isDirectory()) freeTree(Buffer.concat([at, SLASH, entry.name]));
}

/** What is at `spot`; `undefined` if it cannot be read, or is gone by now. */
function reading<T>({ remark }: TreeOrder, spot: Spot, read: (spot: Spot) => T): T | undefined {
  try {
    return read(spot);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") remark(`left out ${shown(spot)}: ${codeOf(error) || messageOf(error)}`);
    return undefined;
  }
}

function listed(order: TreeOrder, spot: Spot): readonly Spot[] | undefined {
  const entries = reading(order, spot, ({ from }) => fs.readdirSync(from, { encoding: "buffer" }));
  return entries?.map((name) => ({
    from: Buffer.concat([spot.from, SLASH, name]),
    to: Buffer.concat([spot.to, SLASH, name]),
    names: [...spot.names, name.toString("utf8")],
  }));
}

interface Noted {
  readonly order: TreeOrder;
  readonly stat: fs.BigIntStats;
}

function note(found: FoundSoFar, names: readonly string[], { order, stat }: Noted): void {
  const name = names.at(-1);
  if (name === ".git") found.gits.push(names);
  if (!stat.isFile() || !isOfGit(order, names)) return;
  if (name === "config" || name === "config.worktree") found.settings.push(names);
  if (names.slice(-3).join("/") === "objects/info/alternates") found.alternates.push(names);
}

function isOfGit({ kind }: TreeOrder, names: readonly string[]): boolean {
  return kind === "repository" || names.slice(0, -1).includes(".git");
}

/** It leads to the same in the copy. */
function copyLink(order: TreeOrder, spot: Spot, stat: fs.BigIntStats): void {
  const { remark } = order;
  const said = reading(order, spot, ({ from }) => fs.readlinkSync(from, "latin1"));
  if (said === undefined) return;
  const source = asBytes(order.source);
  const { leads, text } = settleLink(asBytes(spot.from), said, source);
  if (text === undefined) {
    remark(`left out ${shown(spot)}: it is a link that leads in a circle`);
    return;
  }
  if (leads !== undefined && isOfGit(order, spot.names) && !isInside(source, leads)) {
    // Git writes through it.
    remark(`left out ${shown(spot)}: it is a link that leads out of the source`);
    return;
  }
  if (text !== said)
    remark(
      `${shown(spot)} is a link that would lead elsewhere from the copy; there it says ${quote(asText(text))}`,
    );
  fs.symlinkSync(Buffer.from(text, "latin1"), spot.to);
  fs.lutimesSync(spot.to, seconds(stat.atimeNs), seconds(stat.mtimeNs));
}

async function copyRegular(order: TreeOrder, spot: Spot): Promise<void> {
  const file = reading(order, spot, ({ from }) => fs.openSync(from, O_RDONLY | O_NOFOLLOW | O_NONBLOCK));
  if (file === undefined) return;
  try {
    const stat = fs.fstatSync(file, { bigint: true });
    // Somebody put something else in its place this moment.
    if (!stat.isFile()) return;
    const from = hasOpenFiles ? `${OPEN_FILES}/${file}` : spot.from;
    if (stat.size < LARGE_BYTES) fs.copyFileSync(from, spot.to, COPIED);
    else await copyFile(from, spot.to, COPIED);
    if ((stat.mode & 0o7000n) !== 0n) fs.chmodSync(spot.to, Number(stat.mode) & 0o777);
    setTimes(spot.to, stat);
  } finally {
    fs.closeSync(file);
  }
}

function setTimes(path: Buffer, { atimeNs, mtimeNs }: fs.BigIntStats): void {
  fs.utimesSync(path, seconds(atimeNs), seconds(mtimeNs));
}

function seconds(ns: bigint): number {
  return Number(ns) / 1e9;
}

function shown({ names }: Spot): string {
  return names.length === 0 ? "the folder" : quote(names.join("/"));
}

// A file that grows and is whole at every moment: each time it is written anew beside its place, with what is settled copied from
// the one before, and put there at once. What lies in its place may have been changed by anybody meanwhile: only what was written
// here, and stands as it was written, is ever copied.

import { constants } from "node:fs";
import { randomUUID } from "node:crypto";
import { access, lstat, mkdir, open, readdir, rename, rm, type FileHandle } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { codeOf, LegionError } from "../errors.ts";
import { flush } from "./real-file.ts";
import { realPathOf } from "./real-path.ts";

export interface GrowingFile {
  /**
   * Begins the next one: with what is settled, or empty with `anew`, and where somebody changed what was written.
   * Nobody sees it before it is placed. Rejects with what the disk says, as all of this.
   */
  next(from: "settled" | "anew"): Promise<Growth>;
  /** What is in its place stays there. */
  close(): Promise<void>;
}

export interface Growth {
  /** It holds nothing yet. */
  readonly isEmpty: boolean;
  /** Adds what is settled. */
  settle(text: string): Promise<void>;
  /** Adds `rest`, which no later one has, and puts the file in its place; `kept`: also after a power cut. */
  place(rest: string, how: "seen" | "kept"): Promise<void>;
  /** Leaves what is in its place. */
  discard(): Promise<void>;
}

/** How long a file is, and when it last changed, in nanoseconds. */
type FileStamp = readonly [size: bigint, changed: bigint];

const PIECE = 1_048_576;

/** @param path absolute */
export function createGrowingFile(path: string): GrowingFile {
  const temporary = join(dirname(path), temporaryName(path, `${process.pid}-${randomUUID().slice(0, 8)}`));
  let placed: { readonly file: FileHandle; readonly settled: number; readonly stamp: FileStamp } | undefined;
  /** Where its folder is; a link that comes into the way later leads to what nobody named. */
  const home = realPathOf(dirname(path));
  const checkHome = async (): Promise<void> => {
    if ((await realPathOf(dirname(path))) !== (await home))
      throw new Error("a link leads elsewhere from its folder by now; remove that, or name another file");
  };
  const forget = async (): Promise<void> => {
    const { file } = placed ?? {};
    placed = undefined;
    await file?.close();
  };
  return {
    async next(from) {
      if (from === "anew" || (placed && !isSame(await stampOf(placed.file), placed.stamp))) await forget();
      await checkHome();
      const mode = await modeAt(path);
      const made = await mkdir(dirname(path), { recursive: true });
      if (!placed && made === undefined) await removeLeft(path);
      await rm(temporary, { force: true });
      const file = await open(temporary, "wx+", 0o666);
      const writer = createWriter(file);
      const growth: Growth = {
        isEmpty: placed === undefined,
        settle: writer.write,
        async place(rest, how) {
          const settled = await writer.flush();
          await writer.write(rest);
          await writer.flush();
          if (how === "kept") await file.sync();
          await checkHome();
          await modeAt(path);
          await rename(temporary, path);
          await forget();
          placed = { file, settled, stamp: await stampOf(file) };
          if (how === "kept") await flush(await home);
        },
        async discard() {
          await file.close().catch(() => undefined);
          await rm(temporary, { force: true }).catch(() => undefined);
        },
      };
      try {
        if (mode !== undefined) await file.chmod(mode);
        if (placed) await copy(placed.file, placed.settled, writer.put);
      } catch (error) {
        await growth.discard();
        throw error;
      }
      return growth;
    },
    close: forget,
  };
}

/** Refuses a place that no file can be put into, as far as that can be known: with USAGE. Writes nothing. */
export async function checkPlace(path: string): Promise<void> {
  const shown = JSON.stringify(path);
  if (/[\\/]$/.test(path)) throw new LegionError("USAGE", `${shown} is a folder; name a file in it`);
  try {
    await modeAt(path);
    await access(await nearestFolder(dirname(path)), constants.W_OK | constants.X_OK);
    await access(path, constants.W_OK).catch(unlessAbsent);
  } catch (error) {
    throw new LegionError("USAGE", `${shown} cannot be written: ${reasonOf(error)}`, { cause: error });
  }
}

function reasonOf(error: unknown): string {
  const code = codeOf(error);
  if (code === "EACCES" || code === "EROFS" || code === "EPERM") return "there is no right to";
  if (code === "ENOTDIR") return "a file is in the place of a folder";
  return error instanceof Error ? error.message : String(error);
}

/** The mode of the file that is there, if one is. Rejects where something else is: that is not ours to replace. */
async function modeAt(path: string): Promise<number | undefined> {
  const found = await lstat(path).catch(unlessAbsent);
  if (found?.isDirectory()) throw new Error("it is a folder; name a file in it");
  if (found?.isSymbolicLink()) throw new Error("it is a link; name the file itself");
  if (found && !found.isFile()) throw new Error("it is no file");
  return found && found.mode & 0o777;
}

function temporaryName(path: string, mark: string): string {
  return `.${basename(path)}.${mark}.tmp`;
}

/** Removes what processes left that were killed while they wrote to the same place. */
async function removeLeft(path: string): Promise<void> {
  const [before, after] = temporaryName(path, "/").split("/") as [string, string];
  for (const name of await readdir(dirname(path))) {
    const isOne = name.startsWith(before) && name.endsWith(after);
    const pid = isOne && /^(\d{1,9})-[0-9a-f]{8}$/.exec(name.slice(before.length, -after.length))?.[1];
    if (pid && !isRunning(Number(pid))) await rm(join(dirname(path), name), { force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) !== "ESRCH";
  }
}

async function nearestFolder(path: string): Promise<string> {
  const found = await lstat(path).catch(unlessAbsent);
  return found || dirname(path) === path ? path : nearestFolder(dirname(path));
}

function unlessAbsent(error: unknown): undefined {
  if (codeOf(error) !== "ENOENT") throw error;
  return undefined;
}

async function stampOf(file: FileHandle): Promise<FileStamp> {
  const { size, ctimeNs } = await file.stat({ bigint: true });
  return [size, ctimeNs];
}

function isSame([size, changed]: FileStamp, [wasSize, wasChanged]: FileStamp): boolean {
  return size === wasSize && changed === wasChanged;
}

/** Hands over the first `length` bytes, in pieces that are valid until the next one. */
async function copy(
  from: FileHandle,
  length: number,
  put: (bytes: Uint8Array) => Promise<void>,
): Promise<void> {
  const piece = Buffer.allocUnsafe(Math.min(PIECE, length));
  for (let at = 0; at < length;) {
    const { bytesRead } = await from.read(piece, 0, Math.min(piece.length, length - at), at);
    if (bytesRead === 0) throw new Error("what was written before is gone");
    await put(piece.subarray(0, bytesRead));
    at += bytesRead;
  }
}

/** Writes texts in larger pieces. */
function createWriter(file: FileHandle) {
  let waiting: string[] = [];
  let size = 0;
  let at = 0;
  const put = async (bytes: Uint8Array): Promise<void> => {
    for (let done = 0; done < bytes.length;) {
      const { bytesWritten } = await file.write(bytes, done, bytes.length - done, at);
      done += bytesWritten;
      at += bytesWritten;
    }
  };
  /** Resolves with how long the file is. */
  const flush = async (): Promise<number> => {
    const text = waiting.join("");
    waiting = [];
    size = 0;
    if (text !== "") await put(Buffer.from(text));
    return at;
  };
  return {
    put,
    flush,
    async write(text: string): Promise<void> {
      waiting.push(text);
      size += text.length;
      if (size >= PIECE) await flush();
    },
  };
}

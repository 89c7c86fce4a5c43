import {
  closeSync,
  constants,
  existsSync,
  fdatasync,
  ftruncateSync,
  mkdirSync,
  openSync,
  writeSync,
} from "node:fs";
import { link, lstat, lutimes, mkdir, readdir, rename, rm, unlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { randomUUID } from "node:crypto";
import { codeOf, LegionError, messageOf } from "../errors.ts";
import { partsOf } from "../text/parts.ts";
import { flush, kindOf, overwriteReal, readReal, type FilePatch } from "./real-file.ts";

/** A file that is written at its end. It costs no descriptor while nobody writes to it. */
export interface AppendFile {
  readonly path: string;
  /** Returns when the bytes are with the operating system. */
  write(bytes: Uint8Array): void;
  /** Begins it anew. */
  empty(): void;
  /** Resolves when everything written so far is on the device. Never tried again after it failed. */
  sync(): Promise<void>;
  close(): void;
}

/** All that logs, mailboxes and projections ask of a disk. Everything rejects or throws with STORAGE. */
export interface Disk {
  /** Names in a folder, sorted; empty when there is no such folder. */
  list(path: string): Promise<string[]>;
  /** The file from byte `offset` on, or `maxBytes` of it; `undefined` when there is no such file. No link is followed. */
  read(path: string, maxBytes?: number, offset?: number): Promise<Buffer | undefined>;
  exists(path: string): boolean;
  /** Bytes of a file; `undefined` when there is no such file. */
  size(path: string): Promise<number | undefined>;
  /** What is there: a link is `other`, and so is a file with a second name elsewhere; `undefined` when nothing is. */
  kind(path: string): Promise<"file" | "folder" | "other" | undefined>;
  /** Creates the file and its folders; throws if the file is there. */
  create(path: string): AppendFile;
  /** Goes on at the end of a file that is there. */
  extend(path: string): AppendFile;
  /** Puts bytes in the place of others; the file keeps its length. Durable when it resolves. */
  overwrite(path: string, patches: readonly FilePatch[]): Promise<void>;
  /** Flushes the bytes of a file, or the names in a folder, so that what was read there can be built upon. */
  sync(path: string): Promise<void>;
  /** Replaces the file as a whole: readers see the old content or the new one, also after a power cut. */
  replace(path: string, content: string | Uint8Array): Promise<void>;
  /** Creates `path` with `content` unless it is there; false if somebody was first. */
  claim(path: string, content: string): Promise<boolean>;
  remove(path: string): Promise<void>;
  /** Removes what earlier processes left in the temporary folder. */
  emptyTmp(): Promise<void>;
  touch(path: string): Promise<void>;
}

const MAX_OPEN_FILES = 128;
const NOFOLLOW = constants.O_NOFOLLOW ?? 0;

/**
 * The real disk.
 *
 * @param tmp holds temporary files, and must lie on the same file system as what is written
 * @param top a folder around everything that is written; it was there before
 */
export function createDisk(tmp: string, top = dirname(dirname(tmp))): Disk {
  const open = new Set<AppendFile>();
  const folders = createFolders(top);
  return {
    ...createPlacing(tmp, folders),
    list: (path) => storage(path, async () => (await readdir(path)).sort(), []),
    read: (path, maxBytes, offset) =>
      storage<Buffer | undefined>(path, () => readReal(path, maxBytes, offset), undefined),
    exists: (path) => existsSync(path),
    size: (path) => storage<number | undefined>(path, async () => (await lstat(path)).size, undefined),
    kind: (path) => storage(path, () => kindOf(path), undefined),
    create: (path) => createAppendFile(path, open, folders),
    extend: (path) => openAppendFile(path, open, folders),
    overwrite: (path, patches) => storage(path, () => overwriteReal(path, patches)),
    sync: (path) => storage(path, () => folders.settle(path)),
    remove: (path) => storage(path, () => unlink(path).then(() => flush(dirname(path))), undefined),
    touch: (path) => storage(path, () => lutimes(path, new Date(), new Date())),
  };
}

/** Puts whole files in their places: written and flushed in `tmp` first. */
function createPlacing(tmp: string, folders: Folders): Pick<Disk, "replace" | "claim" | "emptyTmp"> {
  const withTemporary = async <T>(
    content: string | Uint8Array,
    place: (path: string) => Promise<T>,
  ): Promise<T> => {
    await mkdir(tmp, { recursive: true, mode: 0o700 });
    const path = join(tmp, randomUUID());
    try {
      const parts = typeof content === "string" ? partsOf(content) : content;
      await writeFile(path, parts, { flag: "wx", mode: 0o600, flush: true });
      return await place(path);
    } finally {
      await rm(path, { force: true });
    }
  };
  return {
    replace: (path, content) =>
      storage(path, () =>
        withTemporary(content, async (written) => {
          folders.make(dirname(path));
          await rename(written, path);
          await folders.settle(dirname(path));
        }),
      ),
    claim: (path, content) =>
      storage(
        path,
        () =>
          withTemporary(content, async (written) => {
            folders.make(dirname(path));
            try {
              await link(written, path);
            } catch (error) {
              if (codeOf(error) === "EEXIST") return false;
              throw error;
            }
            try {
              await folders.settle(dirname(path));
            } catch (error) {
              // Nobody may be kept out by a claim that its own process does not know of.
              await rm(path, { force: true });
              throw error;
            }
            return true;
          }),
        // Whoever was first has emptied `tmp` already.
        false,
      ),
    emptyTmp: () => storage(tmp, () => rm(tmp, { recursive: true, force: true, maxRetries: 5 })),
  };
}

function createAppendFile(path: string, open: Set<AppendFile>, folders: Folders): AppendFile {
  const create = (): void =>
    closeSync(openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | NOFOLLOW, 0o600));
  guarded(path, () => inFolder(path, folders, create));
  return openAppendFile(path, open, folders);
}

/** @param open files that have a descriptor, the longest unused first; past the limit that one is closed until it is used */
function openAppendFile(path: string, open: Set<AppendFile>, folders: Folders): AppendFile {
  let fd: number | undefined;
  let syncing = 0;
  let closeAfterSync = false;
  /** Its name is not flushed. */
  let isNew = true;
  const guard = <T>(work: () => T): T => guarded(path, work);
  const use = (): number => {
    fd ??= openSync(path, constants.O_WRONLY | constants.O_APPEND | NOFOLLOW);
    open.delete(file);
    open.add(file);
    if (open.size > MAX_OPEN_FILES) open.values().next().value?.close();
    return fd;
  };
  const file: AppendFile = {
    path,
    write: (bytes) =>
      guard(() => {
        const target = use();
        for (let done = 0; done < bytes.length;) done += writeSync(target, bytes, done);
      }),
    empty: () => guard(() => ftruncateSync(use())),
    async sync() {
      const target = guard(() => use());
      syncing++;
      try {
        await new Promise<void>((resolve, reject) =>
          fdatasync(target, (error) => (error ? reject(storageError(path, error)) : resolve())),
        );
        if (isNew) await storage(path, () => folders.settle(dirname(path)));
        isNew = false;
      } finally {
        syncing--;
        if (closeAfterSync && syncing === 0) file.close();
      }
    },
    close() {
      open.delete(file);
      closeAfterSync = syncing > 0;
      if (fd === undefined || closeAfterSync) return;
      closeSync(fd);
      fd = undefined;
    },
  };
  guard(() => use());
  return file;
}

function guarded<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw storageError(path, error);
  }
}

/** The folder is there more often than not. */
function inFolder(path: string, folders: Pick<Folders, "make">, create: () => unknown): void {
  try {
    create();
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
    folders.make(dirname(path));
    create();
  }
}

type Folders = ReturnType<typeof createFolders>;

/**
 * The way to every file: without it the file is lost in a power cut, however well its own bytes are kept.
 *
 * @param top what is above it was there before
 */
function createFolders(top: string) {
  /** Folders that were flushed since this process has put a folder into them. */
  const flushed = new Set<string>();
  /** No longer than it takes: a promise holds on to all that it was begun in. */
  const flushing = new Map<string, Promise<void>>();
  const flushOnce = async (folder: string): Promise<void> => {
    if (flushed.has(folder)) return;
    const running = flushing.get(folder) ?? flush(folder);
    flushing.set(folder, running);
    const isNewest = (): boolean => flushing.get(folder) === running;
    try {
      await running;
      if (isNewest()) flushed.add(folder);
    } finally {
      if (isNewest()) flushing.delete(folder);
    }
  };
  return {
    /** Makes a folder, and what is missing of the way to it. */
    make(folder: string): void {
      const made = mkdirSync(folder, { recursive: true, mode: 0o700 });
      if (made !== undefined)
        for (let at = folder; at.length >= made.length;) {
          flushed.delete((at = dirname(at)));
          flushing.delete(at);
        }
    },
    /** Flushes what is at `path`, and the way to it, whoever made that. */
    async settle(path: string): Promise<void> {
      await flush(path);
      for (let at = path; at !== top && at.startsWith(join(top, "/"));) await flushOnce((at = dirname(at)));
    },
  };
}

/** Runs `work`; a missing file gives `missing` where one is given, every other failure a STORAGE error. */
export async function storage<T>(path: string, work: () => Promise<T>, ...missing: [T] | []): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (missing.length === 1 && codeOf(error) === "ENOENT") return missing[0];
    throw storageError(path, error);
  }
}

function storageError(path: string, error: unknown): LegionError {
  return new LegionError("STORAGE", `${path}: ${messageOf(error)}`, { cause: error });
}

import { closeSync, constants, existsSync, fdatasync, ftruncateSync, openSync, writeSync } from "node:fs";
import { lstat, lutimes, readdir, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import { codeOf } from "../errors.ts";
import { createFolders, type Folders } from "./folders.ts";
import { createPlacing, type FilePlacing } from "./placing.ts";
import { storage, storageError } from "./storage-error.ts";
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
export interface Disk extends FilePlacing {
  /** Names in a folder, sorted; empty when there is no such folder. */
  list(path: string): Promise<string[]>;
  /** Those of them that are folders, and no links to any. */
  folders(path: string): Promise<string[]>;
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
  remove(path: string): Promise<void>;
  touch(path: string): Promise<void>;
}

const MAX_OPEN_FILES = 128;
const APPENDING = constants.O_WRONLY | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0);

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
    folders: (path) => storage(path, () => foldersIn(path), []),
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

/** As `createDisk`, for what means nothing any more when the machine has begun anew: none of it is flushed. */
export function createPassingDisk(tmp: string): Disk {
  const { make } = createFolders(dirname(tmp));
  const folders = { make, settle: () => Promise.resolve() };
  return {
    ...createDisk(tmp),
    ...createPlacing(tmp, folders, "passing"),
    remove: (path) => storage(path, () => unlink(path), undefined),
  };
}

async function foldersIn(path: string): Promise<string[]> {
  const entries = await readdir(path, { withFileTypes: true });
  return entries.flatMap((entry) => (entry.isDirectory() ? entry.name : [])).sort();
}

function createAppendFile(path: string, open: Set<AppendFile>, folders: Folders): AppendFile {
  const create = (): number => openSync(path, APPENDING | constants.O_CREAT | constants.O_EXCL, 0o600);
  const fd = guarded(path, () => inFolder(path, folders, create));
  return openAppendFile(path, open, folders, fd);
}

/** @param open files that have a descriptor, the longest unused first; past the limit that one is closed until it is used */
function openAppendFile(path: string, open: Set<AppendFile>, folders: Folders, fd?: number): AppendFile {
  let syncing = 0;
  let closeAfterSync = false;
  /** Its name is not flushed. */
  let isNew = true;
  const guard = <T>(work: () => T): T => guarded(path, work);
  const use = (): number => {
    fd ??= openSync(path, APPENDING);
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
function inFolder<T>(path: string, folders: Pick<Folders, "make">, create: () => T): T {
  try {
    return create();
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
    folders.make(dirname(path));
    return create();
  }
}

import {
  closeSync,
  constants,
  existsSync,
  fdatasync,
  mkdirSync,
  openSync,
  writeSync,
  type PathLike,
} from "node:fs";
import { link, mkdir, open, readFile, readdir, rename, unlink, utimes } from "node:fs/promises";
import { dirname, join } from "node:path";
import { randomUUID } from "node:crypto";
import { LegionError, messageOf } from "../errors.ts";

/** A file that only grows. It costs no descriptor while nobody writes to it. */
export interface AppendFile {
  readonly path: string;
  /** Returns when the bytes are with the operating system. */
  write(bytes: Uint8Array): void;
  /** Resolves when everything written so far is on the device. Never tried again after it failed. */
  sync(): Promise<void>;
  close(): void;
}

/** All that logs, mailboxes and projections ask of a disk. Everything rejects or throws with STORAGE. */
export interface Disk {
  /** Names in a folder, sorted; empty when there is no such folder. */
  list(path: string): Promise<string[]>;
  /** The file, or its first `maxBytes`; `undefined` when there is no such file. */
  read(path: string, maxBytes?: number): Promise<Buffer | undefined>;
  exists(path: string): boolean;
  /** Creates the file and its folders; throws if the file is there. */
  create(path: string): AppendFile;
  /** Flushes a file's bytes and its folder, so that what was read of it can be built upon. */
  syncFile(path: string): Promise<void>;
  syncFolder(path: string): Promise<void>;
  /** Replaces the file as a whole: readers see the old content or the new one, also after a power cut. */
  replace(path: string, content: string | Uint8Array): Promise<void>;
  /** Creates `path` with `content` unless it is there; false if somebody was first. */
  claim(path: string, content: string): Promise<boolean>;
  remove(path: string): Promise<void>;
  touch(path: string): Promise<void>;
}

const MAX_OPEN_FILES = 128;

/** The real disk. `tmp` holds temporary files and must lie on the same file system as what is written. */
export function createDisk(tmp: string): Disk {
  const files = createOpenFiles();
  const temporary = async (content: string | Uint8Array): Promise<string> => {
    await mkdir(tmp, { recursive: true, mode: 0o700 });
    const path = join(tmp, randomUUID());
    const file = await open(path, "wx", 0o600);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    return path;
  };
  const disk: Disk = {
    list: (path) => storage(path, async () => (await readdir(path)).sort(), []),
    read: (path, maxBytes) =>
      storage<Buffer | undefined>(
        path,
        () => (maxBytes === undefined ? readFile(path) : head(path, maxBytes)),
        undefined,
      ),
    exists: (path) => existsSync(path),
    create(path) {
      return createAppendFile(path, files);
    },
    syncFile: (path) => storage(path, () => flush(path)),
    syncFolder: (path) => storage(path, () => flush(path)),
    replace: (path, content) =>
      storage(path, async () => {
        const written = await temporary(content);
        const made = await mkdir(dirname(path), { recursive: true, mode: 0o700 });
        await rename(written, path);
        await flush(dirname(path));
        if (made !== undefined) await flush(dirname(made));
      }),
    claim: (path, content) =>
      storage(path, async () => {
        await mkdir(dirname(path), { recursive: true, mode: 0o700 });
        const written = await temporary(content);
        try {
          await link(written, path);
        } catch (error) {
          if (codeOf(error) === "EEXIST") return false;
          throw error;
        } finally {
          await unlink(written);
        }
        await flush(dirname(path));
        return true;
      }),
    remove: (path) => storage(path, () => unlink(path), undefined),
    touch: (path) => storage(path, () => utimes(path, new Date(), new Date())),
  };
  return disk;
}

/** Descriptors in use, the longest unused first; past the limit that one is closed, to be opened again by its file. */
interface OpenFiles {
  use(file: AppendFile): void;
  forget(file: AppendFile): void;
}

function createOpenFiles(): OpenFiles {
  const open = new Set<AppendFile>();
  return {
    use(file) {
      open.delete(file);
      open.add(file);
      if (open.size > MAX_OPEN_FILES) for (const oldest of open) return oldest.close();
    },
    forget(file) {
      open.delete(file);
    },
  };
}

function createAppendFile(path: string, files: OpenFiles): AppendFile {
  let fd: number | undefined;
  let syncing = 0;
  let closeAfterSync = false;
  const guard = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw storageError(path, error);
    }
  };
  const openWith = (flags: number): number => {
    fd = openSync(path, constants.O_WRONLY | constants.O_APPEND | flags, 0o600);
    files.use(file);
    return fd;
  };
  const file: AppendFile = {
    path,
    write: (bytes) =>
      guard(() => {
        const target = fd ?? openWith(0);
        for (let done = 0; done < bytes.length;) done += writeSync(target, bytes, done);
      }),
    async sync() {
      const target = guard(() => fd ?? openWith(0));
      syncing++;
      try {
        await new Promise<void>((resolve, reject) =>
          fdatasync(target, (error) => (error ? reject(storageError(path, error)) : resolve())),
        );
      } finally {
        syncing--;
        if (closeAfterSync && syncing === 0) file.close();
      }
    },
    close() {
      files.forget(file);
      closeAfterSync = syncing > 0;
      if (fd === undefined || closeAfterSync) return;
      closeSync(fd);
      fd = undefined;
    },
  };
  guard(() => {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    openWith(constants.O_CREAT | constants.O_EXCL);
  });
  return file;
}

async function head(path: string, maxBytes: number): Promise<Buffer> {
  const file = await open(path, "r");
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(maxBytes), 0, maxBytes, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

async function flush(path: PathLike): Promise<void> {
  const file = await open(path, "r");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Runs `work`; a missing file gives `missing` where one is given, every other failure a STORAGE error. */
async function storage<T>(path: string, work: () => Promise<T>, ...missing: [T] | []): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (missing.length === 1 && codeOf(error) === "ENOENT") return missing[0];
    throw storageError(path, error);
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}

function storageError(path: string, error: unknown): LegionError {
  return new LegionError("STORAGE", `${path}: ${messageOf(error)}`, { cause: error });
}

// Files as they are, never what a link in their place leads to: what lies in a project may have been put there by anybody.

import { constants, type PathLike } from "node:fs";
import { lstat, open, type FileHandle } from "node:fs/promises";

/** Without O_NONBLOCK, opening a pipe would wait for its other end. Windows knows neither, and makes no links unasked. */
const REAL = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** A file from byte `offset` on, or `maxBytes` of it. Rejects if it is no file, or a link. */
export async function readReal(path: string, maxBytes?: number, offset = 0): Promise<Buffer> {
  const file = await openReal(path);
  try {
    const found = await file.stat();
    if (!found.isFile()) throw new Error("it is no file");
    if (maxBytes === undefined && offset === 0) return await file.readFile();
    const length = Math.max(0, Math.min(maxBytes ?? Infinity, found.size - offset));
    const bytes = Buffer.alloc(length);
    let done = 0;
    while (done < length) {
      const { bytesRead } = await file.read(bytes, done, length - done, offset + done);
      if (bytesRead === 0) break;
      done += bytesRead;
    }
    return bytes.subarray(0, done);
  } finally {
    await file.close();
  }
}

/** Bytes that are to stand at `offset`. */
export interface FilePatch {
  readonly offset: number;
  readonly bytes: Uint8Array;
}

/** Puts bytes in the place of others, flushed as one. Rejects if it is no file, has a name elsewhere, or ends before them. */
export async function overwriteReal(path: string, patches: readonly FilePatch[]): Promise<void> {
  const file = await open(path, constants.O_RDWR | REAL);
  try {
    const found = await file.stat();
    if (!found.isFile() || found.nlink !== 1) throw new Error("it is no file of its own");
    if (patches.some(({ offset, bytes }) => offset + bytes.length > found.size))
      throw new Error("it ends before what is to be replaced");
    for (const { offset, bytes } of patches)
      for (let done = 0; done < bytes.length;)
        done += (await file.write(bytes, done, bytes.length - done, offset + done)).bytesWritten;
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Flushes the bytes of a file, or the names in a folder. */
export async function flush(path: PathLike): Promise<void> {
  const file = await openReal(path);
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

function openReal(path: PathLike): Promise<FileHandle> {
  return open(path, constants.O_RDONLY | REAL);
}

/** A link is `other`, and so is a file that has a name elsewhere, too. */
export async function kindOf(path: string): Promise<"file" | "folder" | "other"> {
  const found = await lstat(path);
  if (found.isFile()) return found.nlink === 1 ? "file" : "other";
  return found.isDirectory() ? "folder" : "other";
}

// Files that are only a cache: they may go at any time, and where one cannot be written nothing is. No link is followed.

import { randomUUID } from "node:crypto";
import { lstat, mkdir, realpath, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Makes `folders`, and in the last of them the file; or leaves it. Readers see the old content or the new one. */
export async function replace(
  { path, tmp }: { readonly path: string; readonly tmp: string },
  folders: readonly string[],
  content: string | Uint8Array | readonly Uint8Array[],
): Promise<void> {
  const draft = join(tmp, randomUUID());
  try {
    for (const made of [tmp, ...folders]) await makeReal(made);
    await writeFile(draft, content, { flag: "wx", mode: 0o600 });
    await rename(draft, path);
  } catch {
    await rm(draft, { force: true }).catch(() => undefined);
  }
}

/** Removes what is there under `name`, a folder with all that is in it; nothing by way of a link. Never rejects. */
export async function removeFrom(folder: string, name: string): Promise<void> {
  const isThere = (await realpath(folder).catch(() => undefined)) === folder;
  if (isThere) await rm(join(folder, name), { recursive: true, force: true }).catch(() => undefined);
}

/** Makes the folder unless it is there; nothing is written through a link. */
async function makeReal(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (!(await lstat(folder)).isDirectory()) throw new Error(`${folder} is no folder`);
}

import { lstat, readlink } from "node:fs/promises";
import { MAX_KEPT_BYTES, type Contents } from "../../src/domain/authoring/workspace.ts";
import { openFile } from "./confine/confine.ts";
import { codeOf } from "./refusal.ts";

export const NOTHING: Contents = { kind: "nothing" };
const FOLDER: Contents = { kind: "folder" };

/** What is in the place `at` now; a link there is not followed. */
export async function contentsAt(at: string): Promise<Contents> {
  const found = await lstat(at).catch(unlessMissing);
  if (!found) return NOTHING;
  if (found.isDirectory()) return FOLDER;
  if (found.isSymbolicLink()) return { kind: "link", to: await readlink(at) };
  if (!found.isFile()) return { kind: "other", why: "it is not a regular file" };
  if (found.size > MAX_KEPT_BYTES) return { kind: "other", why: "it is too big" };
  const opened = await openFile(at, "read").catch((error: unknown) => {
    if (codeOf(error) !== "EACCES") throw error;
  });
  if (!opened) return { kind: "other", why: "it cannot be read" };
  const { file, mode } = opened;
  try {
    return { kind: "file", content: await file.readFile(), mode: mode & 0o777 };
  } finally {
    await file.close();
  }
}

function unlessMissing(error: unknown): undefined {
  if (codeOf(error) !== "ENOENT") throw error;
}

import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { open, rename, rm, type FileHandle } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Puts a new file with `content` in the place `at`: whole or not at all, also after a power cut. A link there is
 * replaced, not followed.
 */
export async function replaceFile(at: string, content: string, mode: number | undefined): Promise<void> {
  const draft = `${dirname(at)}/.legion-${randomUUID()}.tmp`;
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const file = await open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o666);
  try {
    await fill(file, content, mode);
    await rename(draft, at);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

async function fill(file: FileHandle, content: string, mode: number | undefined): Promise<void> {
  try {
    if (mode !== undefined) await file.chmod(mode & 0o777);
    await file.writeFile(content);
    await file.datasync();
  } finally {
    await file.close();
  }
}

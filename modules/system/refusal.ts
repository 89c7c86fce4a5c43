import { fail, type ActionResult } from "../../src/domain/authoring/module.ts";

/** Why an action on a file is not done. The message is a sentence for the model. */
export class Refusal extends Error {}

const REASONS: ReadonlyMap<string | undefined, string> = new Map([
  ["ENOENT", "There is no such file or folder."],
  ["ENOTDIR", "A part of that path is a file or a link, not a folder."],
  ["EISDIR", "That is a folder, not a file."],
  ["EEXIST", "That exists already."],
  ["ENOTEMPTY", "That folder is not empty."],
  ["EINVAL", "A folder cannot be moved into itself."],
  ["ELOOP", "That is a link that leads nowhere, or in a circle."],
  ["ENXIO", "That is not a regular file."],
  ["EXDEV", "A file cannot be moved to another disk; write it there and delete it here."],
  ["ENAMETOOLONG", "That name is too long."],
  ["EACCES", "Permission denied."],
  ["EPERM", "Permission denied."],
  ["EROFS", "That disk can only be read."],
  ["ETXTBSY", "That program is running."],
  ["EBUSY", "That is in use by the system."],
  ["ENOSPC", "The disk is full."],
  ["EDQUOT", "The disk quota is used up."],
]);

/** Runs an action on `path`. What the workspace or the disk refuses becomes a result that the model reads. */
export async function orRefusal(path: string, act: () => Promise<ActionResult>): Promise<ActionResult> {
  try {
    return await act();
  } catch (error) {
    const reason = error instanceof Refusal ? error.message : REASONS.get(codeOf(error));
    if (reason === undefined) throw error;
    return fail(`${reason} Path: ${path}`);
  }
}

export function codeOf(error: unknown): string | undefined {
  return error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
}

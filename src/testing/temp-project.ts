import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** A folder for one test. */
export interface TempProject {
  /** Its real path. */
  readonly path: string;
  /** Deletes it, whatever is in it. */
  remove(): Promise<void>;
  /** As `remove`: `await using project = await createTempProject()`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Makes a folder that holds `files`: their contents, by relative path.
 *
 * @example
 * const project = await createTempProject({ "agents/poet.md": "---\nname: poet\n---\n\nYou write haiku.\n" });
 */
export async function createTempProject(files: Readonly<Record<string, string>> = {}): Promise<TempProject> {
  const path = await realpath(await mkdtemp(join(tmpdir(), "legion-project-")));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(path, name)), { recursive: true });
    await writeFile(join(path, name), content);
  }
  // A program that was ended a moment ago may still be closing its files.
  const remove = (): Promise<void> => rm(path, { recursive: true, force: true, maxRetries: 10 });
  return { path, remove, [Symbol.asyncDispose]: remove };
}

// Files of a workspace that are put back: looked at, and replaced, through folders that are open, each of them a real one. A link is never
// followed, also where one took the place of a folder, and nothing outside is reached.

import { constants } from "node:fs";
import { lstat, mkdir, open, rename, rm, rmdir, symlink, unlink } from "node:fs/promises";
import { join } from "node:path";
import { hold, type Folder } from "../../../modules/system/confine/folder.ts";
import { contentsAt, NOTHING } from "../../../modules/system/contents.ts";
import { Refusal } from "../../../modules/system/refusal.ts";
import { codeOf } from "../../base/errors.ts";
import type { Contents } from "../../domain/authoring/workspace.ts";

const { O_NOFOLLOW, O_WRONLY, O_CREAT, O_EXCL } = constants;

export interface WorkspaceFiles {
  /** What stands at the names from the folder `root`, a real path. */
  read(root: string, names: readonly string[]): Promise<Contents>;
  /**
   * Puts `contents` there, with the folders above it, if `isExpected` of what stands there; false if it is not, or cannot be replaced.
   * Durable when it resolves. A file is written as `draft` in the same folder first: what a killed process left of that is replaced.
   */
  put(
    place: { readonly root: string; readonly names: readonly string[]; readonly draft: string },
    contents: Contents,
    isExpected: (found: Contents) => boolean,
  ): Promise<boolean>;
}

export const workspaceFiles: WorkspaceFiles = {
  async read(root, names) {
    const found = await inFolder({ root, names }, ({ path }) => standingAt(join(path, names.at(-1)!)));
    return typeof found === "string" ? UNREACHED[found] : found;
  },
  async put({ root, names, draft }, contents, isExpected) {
    const replace = ({ path, sync }: Folder) =>
      exchange({ at: join(path, names.at(-1)!), aside: join(path, draft), sync }, contents, isExpected);
    const isPut = await inFolder({ root, names }, replace);
    if (isPut !== "missing") return isPut === true;
    if (!isExpected(NOTHING)) return false;
    if (contents.kind === "nothing") return true;
    return (await inFolder({ root, names, missing: "create" }, replace)) === true;
  },
};

/** Why the folder that something is in was not reached. */
const UNREACHED = {
  missing: NOTHING,
  gone: { kind: "other", why: "the folder that its agent worked in is gone" },
  blocked: { kind: "other", why: "something on its way is no folder" },
} as const satisfies Readonly<Record<string, Contents>>;

interface WayIn {
  readonly root: string;
  readonly names: readonly string[];
  readonly missing?: "create";
}

/** What `use` makes of the folder that the last name is in; `gone`: there is no root; `blocked`: a link or a file is on the way. */
async function inFolder<T>(
  { root, names, missing }: WayIn,
  use: (folder: Folder) => Promise<T>,
): Promise<T | keyof typeof UNREACHED> {
  let folder: Folder | undefined;
  try {
    folder = await hold(root, root);
    for (const name of names.slice(0, -1)) {
      const outer: Folder = folder;
      if (missing === "create") await mkdir(join(outer.path, name)).catch(unless("EEXIST"));
      folder = await hold(join(outer.path, name), join(outer.real, name));
      await outer.close();
    }
    return await use(folder);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return folder ? "missing" : "gone";
    if (error instanceof Refusal || ["ENOTDIR", "ELOOP"].includes(String(codeOf(error)))) return "blocked";
    throw error;
  } finally {
    await folder?.close();
  }
}

/** A file with a second name may lie elsewhere as well. */
async function standingAt(at: string): Promise<Contents> {
  const found = await contentsAt(at);
  const isShared = found.kind === "file" && (await lstat(at)).nlink > 1;
  return isShared ? { kind: "other", why: "it has a second name" } : found;
}

interface ExchangeAt {
  readonly at: string;
  readonly aside: string;
  readonly sync: Folder["sync"];
}

async function exchange(
  { at, aside, sync }: ExchangeAt,
  contents: Contents,
  isExpected: (found: Contents) => boolean,
): Promise<boolean> {
  await rm(aside, { force: true });
  const found = await standingAt(at);
  if (!isExpected(found)) return false;
  try {
    if (contents.kind === "file") await writeDraft(aside, contents, found);
    if (contents.kind === "link") await symlink(contents.to, aside);
    // Somebody may have saved it in the meantime.
    if (!isExpected(await standingAt(at)) || !(await makeRoom(at, found, contents))) return false;
    if (contents.kind === "folder") await mkdir(at);
    else if (contents.kind !== "nothing") await rename(aside, at);
    await sync();
    return true;
  } finally {
    await rm(aside, { force: true });
  }
}

/** Takes away what nothing can be put in the place of; false if it is a folder that is not empty. */
async function makeRoom(at: string, found: Contents, contents: Contents): Promise<boolean> {
  if (found.kind === "folder")
    return rmdir(at).then(
      () => true,
      (error: unknown) => (unless("ENOTEMPTY")(error), false),
    );
  const isReplaced = contents.kind === "file" || contents.kind === "link";
  if (found.kind !== "nothing" && !isReplaced) await unlink(at);
  return true;
}

/** Whoever may read and run the file that it replaces may do so again. */
async function writeDraft(
  aside: string,
  { content, mode }: Contents & { readonly kind: "file" },
  found: Contents,
): Promise<void> {
  const file = await open(aside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o666);
  try {
    const wanted = found.kind === "file" ? found.mode : mode;
    if (wanted !== undefined) await file.chmod(wanted);
    await file.writeFile(content);
    await file.datasync();
  } finally {
    await file.close();
  }
}

function unless(code: string): (error: unknown) => undefined {
  return (error) => {
    if (codeOf(error) !== code) throw error;
  };
}

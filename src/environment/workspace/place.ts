// Files of a workspace that are put back: looked at, and replaced, through folders that are open, each of them a real one. A link is never
// followed, also where one took the place of a folder, and nothing outside is reached.

import { constants, existsSync } from "node:fs";
import {
  lstat,
  mkdir,
  open,
  readlink,
  realpath,
  rename,
  rm,
  rmdir,
  symlink,
  unlink,
  type FileHandle,
} from "node:fs/promises";
import { join } from "node:path";
import { codeOf } from "../../base/errors.ts";
import { MAX_KEPT_BYTES, type Contents } from "../../domain/authoring/workspace.ts";

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_WRONLY, O_CREAT, O_EXCL } = constants;
const OPEN_FILES = "/proc/self/fd";
const HAS_OPEN_FILES = existsSync(OPEN_FILES);

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
    const found = await inFolder({ root, names }, ({ path }) => contentsAt(join(path, names.at(-1)!)));
    if (found === "missing") return NOTHING;
    return found === "blocked" ? BLOCKED : found;
  },
  async put({ root, names, draft }, contents, isExpected) {
    const replace = ({ path, handle }: OpenFolder) => {
      const spot = { at: join(path, names.at(-1)!), aside: join(path, draft), handle };
      return exchange(spot, contents, isExpected);
    };
    const isPut = await inFolder({ root, names }, replace);
    if (isPut !== "missing") return isPut === true;
    if (!isExpected(NOTHING)) return false;
    if (contents.kind === "nothing") return true;
    return (await inFolder({ root, names, missing: "create" }, replace)) === true;
  },
};

const NOTHING: Contents = { kind: "nothing" };
const BLOCKED: Contents = { kind: "other", why: "something on its way is no folder" };

interface OpenFolder {
  /** Leads to this very folder, whatever its name leads to by now. */
  readonly path: string;
  readonly handle: FileHandle;
}

interface WayIn {
  readonly root: string;
  readonly names: readonly string[];
  readonly missing?: "create";
}

/** What `use` makes of the folder that the last name is in; `blocked`: a link or a file is on the way. */
async function inFolder<T>(
  { root, names, missing }: WayIn,
  use: (folder: OpenFolder) => Promise<T>,
): Promise<T | "missing" | "blocked"> {
  let folder = await hold(root, root);
  let real = root;
  try {
    for (const name of names.slice(0, -1)) {
      const outer = folder;
      if (missing === "create") await mkdir(join(outer.path, name)).catch(unless("EEXIST"));
      real = join(real, name);
      folder = await hold(join(outer.path, name), real);
      await outer.handle.close();
    }
    return await use(folder);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return "missing";
    if (["ENOTDIR", "ELOOP"].includes(String(codeOf(error)))) return "blocked";
    throw error;
  } finally {
    await folder.handle.close();
  }
}

/** Without open files that have a path of their own, by the path that was checked. Rejects with ELOOP for a link. */
async function hold(at: string, real: string): Promise<OpenFolder> {
  const handle = await open(at, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (HAS_OPEN_FILES) return { path: `${OPEN_FILES}/${handle.fd}`, handle };
  if ((await realpath(at)) === real) return { path: real, handle };
  await handle.close();
  throw Object.assign(new Error("a link"), { code: "ELOOP" });
}

async function contentsAt(at: string): Promise<Contents> {
  const found = await lstat(at).catch(unless("ENOENT"));
  if (!found) return NOTHING;
  if (found.isDirectory()) return { kind: "folder" };
  if (found.isSymbolicLink()) return { kind: "link", to: await readlink(at) };
  if (!found.isFile()) return { kind: "other", why: "it is not a regular file" };
  if (found.nlink > 1) return { kind: "other", why: "it has a second name" };
  if (found.size > MAX_KEPT_BYTES) return { kind: "other", why: "it is too big" };
  const file = await open(at, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(unless("EACCES"));
  if (!file) return { kind: "other", why: "it cannot be read" };
  try {
    return { kind: "file", content: await file.readFile(), mode: found.mode & 0o777 };
  } finally {
    await file.close();
  }
}

interface ExchangeAt {
  readonly at: string;
  readonly aside: string;
  readonly handle: FileHandle;
}

async function exchange(
  { at, aside, handle }: ExchangeAt,
  contents: Contents,
  isExpected: (found: Contents) => boolean,
): Promise<boolean> {
  await rm(aside, { force: true });
  const found = await contentsAt(at);
  if (!isExpected(found)) return false;
  try {
    if (contents.kind === "file") await writeDraft(aside, contents, found);
    if (contents.kind === "link") await symlink(contents.to, aside);
    // Somebody may have saved it in the meantime.
    if (!isExpected(await contentsAt(at)) || !(await makeRoom(at, found, contents))) return false;
    if (contents.kind === "folder") await mkdir(at);
    else if (contents.kind !== "nothing") await rename(aside, at);
    await handle.sync();
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

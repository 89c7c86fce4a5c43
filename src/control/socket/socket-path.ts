// Where the control socket lies. The system allows about 100 bytes for its path (sun_path in unix(7)): where the project
// lies deeper, `legion.sock` is a text file that names a socket in the user's temporary folder.

import { lstat, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { LegionError, messageOf } from "../../base/errors.ts";

const MAX_PATH_BYTES = 100;
const MAX_TEXT_BYTES = 4_096;
/** What `claimSocket` makes: a project's files may not lead us to somebody else's socket. */
const OURS = /[\\/]legion-[A-Za-z0-9]{6}[\\/]legion\.sock$/;

export interface ClaimedSocket {
  /** Where to listen. */
  readonly path: string;
  release(): Promise<void>;
}

/** Clears what a dead process left at `named`, which nobody alive may use any more. Rejects with STORAGE. */
export async function claimSocket(named: string): Promise<ClaimedSocket> {
  try {
    await rm(named, { force: true });
    if (Buffer.byteLength(named) <= MAX_PATH_BYTES) {
      return { path: named, release: () => rm(named, { force: true }) };
    }
    const folder = await mkdtemp(join(tmpdir(), "legion-"));
    const path = join(folder, "legion.sock");
    await writeFile(named, path, { mode: 0o600, flag: "wx" });
    return {
      path,
      async release() {
        await rm(named, { force: true });
        await rm(folder, { recursive: true, force: true });
      },
    };
  } catch (error) {
    throw new LegionError("STORAGE", `${named}: ${messageOf(error)}`, { cause: error });
  }
}

/** The path to connect to; `undefined` if there is none that we made. */
export async function findSocket(named: string): Promise<string | undefined> {
  const stat = await lstat(named).catch(() => undefined);
  if (stat?.isSocket()) return named;
  if (!stat?.isFile() || stat.size > MAX_TEXT_BYTES) return undefined;
  const path = await readFile(named, "utf8").catch(() => "");
  return isAbsolute(path) && OURS.test(path) && (await isPrivate(dirname(path))) ? path : undefined;
}

async function isPrivate(folder: string): Promise<boolean> {
  const stat = await lstat(folder).catch(() => undefined);
  if (!stat?.isDirectory()) return false;
  return process.getuid === undefined || (stat.uid === process.getuid() && (stat.mode & 0o077) === 0);
}

// The file of one digest. Only a cache: it may go at any time, and where it cannot be written nothing is.

import { randomUUID } from "node:crypto";
import { lstat, mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { readReal } from "../../base/files/real-file.ts";
import { fieldsOf } from "../../base/text/json.ts";
import type { AgentId } from "../../domain/message/message.ts";
import { fromLine, toLine } from "./line.ts";
import { legionPaths, type LegionPaths } from "./paths.ts";

/** Where the digests of a legion are. */
export interface DigestFolder {
  readonly folder: string;
  /** Holds temporary files, on the same file system. */
  readonly tmp: string;
}

export function digestFolder({ root, tmp }: LegionPaths): DigestFolder {
  return { folder: join(root, "cache", "digests"), tmp };
}

/** Those of a legion that is kept elsewhere, under its name. */
export function digestFolderOf(project: string, legion: string): DigestFolder {
  const { root, tmp } = legionPaths(project);
  return { folder: join(root, "cache", `digests-of-${legion}`), tmp };
}

/** Its methods never reject. */
export function digestFile({ folder, tmp }: DigestFolder, agent: AgentId) {
  const path = join(folder, `${agent}.json`);
  return {
    /** What was written, as a whole; `undefined` if there is none. */
    async read() {
      const line = await readReal(path).catch(() => undefined);
      const kept = line && fromLine(line.subarray(0, -1));
      if (!kept) return undefined;
      const { binding, packed } = fieldsOf(kept);
      return { binding, packed };
    },
    /** Readers see the old content or the new one. What a power cut leaves of it is found out when it is read. */
    async write(kept: object): Promise<void> {
      const draft = join(tmp, randomUUID());
      try {
        for (const made of [tmp, dirname(folder), folder]) await makeReal(made);
        await writeFile(draft, toLine(kept), { flag: "wx", mode: 0o600 });
        await rename(draft, path);
      } catch {
        await rm(draft, { force: true }).catch(() => undefined);
      }
    },
    remove: () => rm(path, { force: true }).catch(() => undefined),
  };
}

/** Makes the folder unless it is there; nothing is written through a link. */
async function makeReal(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (!(await lstat(folder)).isDirectory()) throw new Error(`${folder} is no folder`);
}

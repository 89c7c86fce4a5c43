// Whole files in their places: written in a folder for what is temporary, then moved or linked.

import { randomUUID } from "node:crypto";
import { link, mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { codeOf } from "../errors.ts";
import { partsOf } from "../text/parts.ts";
import type { Folders } from "./folders.ts";
import { storage } from "./storage-error.ts";

/** Everything rejects with STORAGE. */
export interface FilePlacing {
  /** Replaces the file as a whole: readers see the old content or the new one, also after a power cut. */
  replace(path: string, content: string | Uint8Array): Promise<void>;
  /** The same without a flush: after a power cut it may be torn, or not there. */
  put(path: string, content: string | Uint8Array): Promise<void>;
  /** Creates `path` with `content` unless it is there; false if somebody was first. */
  claim(path: string, content: string): Promise<boolean>;
  /** Removes what earlier processes left in the temporary folder. */
  emptyTmp(): Promise<void>;
}

/** @param flushing whether what is replaced and claimed is flushed before it is in its place */
export function createPlacing(
  tmp: string,
  folders: Folders,
  flushing: "flushed" | "passing" = "flushed",
): FilePlacing {
  const withTemporary = async <T>(
    content: string | Uint8Array,
    place: (path: string) => Promise<T>,
    how: { readonly flush: boolean } = { flush: flushing === "flushed" },
  ): Promise<T> => {
    const path = join(tmp, randomUUID());
    const write = (): Promise<void> => {
      const parts = typeof content === "string" ? partsOf(content) : content;
      return writeFile(path, parts, { flag: "wx", mode: 0o600, ...how });
    };
    try {
      await write().catch(async (error: unknown) => {
        if (codeOf(error) !== "ENOENT") throw error;
        await mkdir(tmp, { recursive: true, mode: 0o700 });
        await write();
      });
      return await place(path);
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    }
  };
  const move = async (written: string, path: string): Promise<void> => {
    folders.make(dirname(path));
    await rename(written, path);
  };
  return {
    replace: (path, content) =>
      storage(path, () =>
        withTemporary(content, async (written) => {
          await move(written, path);
          await folders.settle(dirname(path));
        }),
      ),
    put: (path, content) =>
      storage(path, () => withTemporary(content, (written) => move(written, path), { flush: false })),
    claim: (path, content) =>
      storage(
        path,
        () =>
          withTemporary(content, async (written) => {
            folders.make(dirname(path));
            const isFirst = await linked(written, path, folders);
            await rm(written, { force: true });
            return isFirst;
          }),
        // Whoever was first has emptied `tmp` already.
        false,
      ),
    emptyTmp: () => storage(tmp, () => rm(tmp, { recursive: true, force: true, maxRetries: 5 })),
  };
}

/** False if somebody was first. */
async function linked(written: string, path: string, folders: Folders): Promise<boolean> {
  try {
    await link(written, path);
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
  try {
    await folders.settle(dirname(path));
  } catch (error) {
    // Nobody may be kept out by a claim that its own process does not know of.
    await rm(path, { force: true });
    throw error;
  }
  return true;
}

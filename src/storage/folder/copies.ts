// Readable copies of the state of an agent that is kept elsewhere: they are written for people, and never read back.

import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Blobs } from "../../past/log/blobs.ts";
import type { Disk } from "../../base/files/disk.ts";
import type { Projector } from "../../past/shown/state.ts";
import type { Module } from "../../domain/authoring/module.ts";
import { byModule, filesOf, put } from "./state-files.ts";

export interface CopiesPlace {
  readonly disk: Disk;
  /** The agent's folder. */
  readonly folder: string;
  /** Where the agent itself is, for people. */
  readonly original: string;
}

/** Tells people, and this program, that nothing beside it is read. */
const MARK = "copies.txt";

/** Is there nothing in an agent's `folder` but copies? */
export function holdsCopies(disk: Pick<Disk, "exists">, folder: string): boolean {
  return disk.exists(join(folder, MARK)) && !isKept(disk, folder);
}

/** Makes room for an agent that is to be kept in `folder` itself. */
export async function removeCopies(disk: Pick<Disk, "exists">, folder: string): Promise<void> {
  if (holdsCopies(disk, folder)) await rm(folder, { recursive: true });
}

/** Is an agent kept in `folder`? */
function isKept(disk: Pick<Disk, "exists">, folder: string): boolean {
  return disk.exists(join(folder, "log"));
}

/**
 * Copies follow the state as well as they can: a disk that is full or gone is no reason for an agent to stop. There are none
 * where an agent of the same name is kept in these files.
 */
export function createCopies(modules: readonly Module[], place: CopiesPlace): Projector {
  const { disk, folder, original } = place;
  const shown = filesOf(modules);
  return {
    async write(changes, state) {
      if (isKept(disk, folder)) return;
      for (const [module, keys] of byModule(changes)) {
        const files = shown.get(module);
        const contents = files?.contents(state);
        for (const path of files?.touched(keys, state) ?? [])
          await put(place, path, contents?.get(path)).catch(() => undefined);
      }
    },
    async reconcile(state) {
      if (isKept(disk, folder)) return [];
      const mark = `The files beside this one are copies of ${original}. They are written and never read.\n`;
      await disk.replace(join(folder, MARK), mark).catch(() => undefined);
      for (const files of shown.values()) {
        const contents = files.contents(state);
        const present = await files.present(place).catch(() => []);
        for (const path of new Set([...contents.keys(), ...present]))
          await put(place, path, contents.get(path)).catch(() => undefined);
      }
      return [];
    },
  };
}

/** Blobs that are also files of `folder`: an agent is told the path of a long text, to read it like any other file. */
export function copyBlobs(blobs: Blobs, folder: string, disk: Disk): Blobs {
  return {
    ...blobs,
    async keep(content) {
      const hash = await blobs.keep(content);
      const path = join(folder, hash);
      if (!disk.exists(path)) await disk.replace(path, content).catch(() => undefined);
      return hash;
    },
  };
}

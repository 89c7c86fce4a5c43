// An undo where no node runs: the command has the home alone for as long as it takes.

import { createClock } from "../../base/clock.ts";
import { createDisk } from "../../base/files/disk.ts";
import { createRedactor } from "../../base/redaction/redactor.ts";
import { finishUndo } from "../../legion/undo/carry-out.ts";
import type { UndoPlace, UndoSite } from "../../legion/undo/place.ts";
import type { UndoReport } from "../../domain/undo/report.ts";
import { undo } from "../../legion/undo/undo.ts";
import type { Store } from "../../storage/contract/store.ts";
import { takeLock } from "../../storage/folder/lock.ts";
import { legionPaths } from "../../storage/folder/paths.ts";
import type { LegionSite } from "./legion-client.ts";

const LOCK_WAIT_MS = 5_000;

/** Rejects with LOCKED where a process has the home, with USAGE if no log has `what`. */
export async function undoHere(site: LegionSite, what: string): Promise<UndoReport> {
  const { project, home, backend, config } = site;
  const paths = legionPaths(project, home);
  // Where the legion is shared, its store is nobody's alone.
  const lock = backend.nodes
    ? await takeLock(paths.lock, createDisk(paths.tmp, project), { role: "command", waitMs: LOCK_WAIT_MS })
    : undefined;
  try {
    const store = await backend.openStore({ durability: config.durability, clock: createClock() });
    try {
      const report = await undo(what, await placeOf(site, store));
      await store.deliverForOthers();
      return report;
    } finally {
      await store.close();
    }
  } finally {
    await lock?.release();
  }
}

/** Goes on with what an undo before left unfinished; mostly there is none. */
export async function finishHere(site: LegionSite, store: Store): Promise<void> {
  return finishUndo(await placeOf(site, store));
}

async function placeOf(site: LegionSite, { control }: Store): Promise<UndoPlace> {
  return { ...(await siteOf(site)), control, clock: createClock() };
}

/** What looks, and writes nothing. */
export async function siteOf({
  project,
  home,
  backend,
  config,
  protectedPaths,
}: LegionSite): Promise<UndoSite> {
  const paths = legionPaths(project, home);
  return {
    ...{ reader: backend.reader, paths, protectedPaths: await protectedPaths?.() },
    disk: createDisk(paths.tmp, project),
    redactor: createRedactor(config.secrets?.() ?? []),
  };
}

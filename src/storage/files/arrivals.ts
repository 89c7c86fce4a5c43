// How agents come into a project from outside: all of them, or none.
//
//   R1. What arrives is complete and durable in `tmp` before anybody can see it.
//   R2. Moving it to `arrivals` decides: before that it is as if nothing had come, after that whoever holds the lock next
//       brings it to its place.
//   R3. Nothing that is there is ever replaced.

import { randomUUID } from "node:crypto";
import { mkdir, rename, rm, rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { checkHome } from "../folder/home.ts";
import { createDisk, type Disk } from "../../base/files/disk.ts";
import { storage } from "../../base/files/storage-error.ts";
import { takeLock } from "../folder/lock.ts";
import { alreadyThere, type Arrival } from "../contract/arrival.ts";
import type { AgentId } from "../../domain/message/message.ts";
import type { LegionPaths } from "../folder/paths.ts";
import { openPersonFolder } from "../folder/person/folder.ts";

const LOCK_WAIT_MS = 5_000;

/**
 * Takes in agents while no node runs. Rejects with LOCKED if one does, with REFUSED if one of the agents is there
 * already, and with whatever `fill` rejects with; then nothing has changed.
 *
 * @param disk the real one if absent
 */
export async function receiveAgents(
  paths: LegionPaths,
  { agents, fill }: Arrival,
  disk: Disk = createDisk(paths.tmp),
): Promise<void> {
  await checkHome(paths, openPersonFolder(process.env));
  const lock = await takeLock(paths.lock, disk, { role: "command", waitMs: LOCK_WAIT_MS });
  const folder = join(paths.tmp, randomUUID());
  let lastEpoch = 0;
  try {
    await disk.emptyTmp();
    await settleArrivals(paths, disk);
    await refuseKnown(paths, disk, agents);
    lastEpoch = await fill(folder, disk);
    await move(folder, paths.arrivals, disk);
    await settleArrivals(paths, disk);
  } finally {
    await rm(folder, { recursive: true, force: true });
    await lock.release(lastEpoch);
  }
}

/** Brings what has arrived to its place: for whoever holds the lock, before anything else is read. */
export async function settleArrivals({ arrivals, agent }: LegionPaths, disk: Disk): Promise<void> {
  const names = await disk.list(arrivals);
  for (const id of names) await move(join(arrivals, id), agent(id), disk);
  if (names.length > 0 || disk.exists(arrivals)) await storage(arrivals, () => rmdir(arrivals));
}

/** Throws REFUSED, naming them, if some of `agents` are there already. */
async function refuseKnown(paths: LegionPaths, disk: Disk, agents: readonly AgentId[]): Promise<void> {
  const known: AgentId[] = [];
  for (const id of agents) if ((await disk.list(paths.agent(id))).length > 0) known.push(id);
  if (known.length > 0)
    throw alreadyThere(known, agents, {
      place: "this project",
      way: "import into another project with `--dir <folder>`",
    });
}

/** Moves a folder to where nothing is, or only an empty one; durable when it resolves. */
export async function move(from: string, to: string, disk: Disk): Promise<void> {
  await storage(to, async () => {
    await mkdir(dirname(to), { recursive: true, mode: 0o700 });
    await rename(from, to);
  });
  for (const folder of new Set([dirname(to), dirname(dirname(to)), dirname(from)])) await disk.sync(folder);
}

// A legion in the files of one project: all of its agents run in this process.

import { join } from "node:path";
import { isLegionError } from "../../base/errors.ts";
import { writeLastStart, type LastStart } from "../contract/last-start.ts";
import type { Disk } from "../../base/disk.ts";
import { CONTROL } from "../../domain/message.ts";
import type { LegionPaths } from "../folder/paths.ts";
import { openFileStore } from "./store.ts";
import type { Residence, ResidenceOptions, Surroundings } from "../contract/node.ts";

/** Rejects with LOCKED if another node runs in this folder. */
export async function openFileResidence(
  { plans, durability, disk, started, foreign }: ResidenceOptions,
  surroundings: Surroundings,
): Promise<Residence> {
  const hosted = new Set(plans.map(({ identity }) => identity.id));
  const store = await openFileStore({ ...surroundings, role: "node", durability, hosted, disk, foreign });
  return {
    store,
    disk: store.disk,
    async begin(hosting) {
      if (started) await remember(started, store.disk, surroundings.paths);
      await hosting.beginAll(plans);
      await store.deliverForOthers();
      await store.mendMailboxes(hosting.outboxOf);
      const { stop, dismiss } = hosting;
      return { settled: () => Promise.resolve(), stop, dismiss };
    },
  };
}

/** What is wrong with the disk, the agents say. */
async function remember(started: LastStart, disk: Disk, paths: LegionPaths): Promise<void> {
  const path = join(paths.agent(CONTROL), "agent.json");
  const record = writeLastStart(started);
  try {
    if ((await disk.read(path))?.toString("utf8") !== record) await disk.replace(path, record);
  } catch (error) {
    if (!isLegionError(error, "STORAGE")) throw error;
  }
}

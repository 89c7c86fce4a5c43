// A legion in the files of one project: all of its agents run in this process.

import { join } from "node:path";
import { isLegionError } from "../../base/errors.ts";
import { writeLastStart, type LastStart } from "../contract/last-start.ts";
import type { Disk } from "../../base/files/disk.ts";
import { CONTROL } from "../../domain/message.ts";
import type { LegionPaths } from "../folder/paths.ts";
import { openFileStore } from "./store.ts";
import type { NodeOrder, NodeStorage, Surroundings } from "../contract/node.ts";

/** Rejects with LOCKED if another node runs in this folder. */
export async function openFileNode(
  { agents, durability, disk, started, foreign }: NodeOrder,
  surroundings: Surroundings,
): Promise<NodeStorage> {
  const hosted = new Set(agents.map(({ id }) => id));
  const store = await openFileStore({ ...surroundings, role: "node", durability, hosted, disk, foreign });
  return {
    store,
    disk: store.disk,
    async begin(host) {
      if (started) await remember(started, store.disk, surroundings.paths);
      return store.begin(host);
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

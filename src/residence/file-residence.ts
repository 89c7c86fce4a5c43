// A legion in the files of one project: all of its agents run in this process.

import { openFileStore } from "../store/file-store.ts";
import type { Residence, ResidenceOptions, Surroundings } from "./residence.ts";

/** Rejects with LOCKED if another node runs in this folder. */
export async function openFileResidence(
  { plans, durability, disk }: ResidenceOptions,
  surroundings: Surroundings,
): Promise<Residence> {
  const hosted = new Set(plans.map(({ identity }) => identity.id));
  const store = await openFileStore({ ...surroundings, role: "node", durability, hosted, disk });
  return {
    store,
    disk: store.disk,
    async begin(hosting) {
      await hosting.beginAll(plans);
      await store.deliverForOthers();
      await store.mendMailboxes(hosting.outboxOf);
      const { stop, dismiss } = hosting;
      return { settled: () => Promise.resolve(), stop, dismiss };
    },
  };
}

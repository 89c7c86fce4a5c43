// A legion whose page is served, and who speaks to it at a given pace: for the measures of what watching costs.

import { setTimeout as delay } from "node:timers/promises";
import { load, startBench, temporaryFolder } from "./bench.mjs";

/** As `legion start --dashboard` does it. @param {unknown[]} plans */
export async function watchedLegion(plans) {
  const { createFileBackend } = await load("src/storage/files/backend.js");
  const { createService } = await load("src/control/service.js");
  const { serveOverSocket } = await load("src/control/socket/server.js");
  const { watchLegion } = await load("src/control/reading/watched.js");
  const { serveDashboard } = await load("src/control/web/server.js");
  const { legionPaths } = await load("src/storage/folder/paths.js");
  const project = temporaryFolder();
  const legion = await startBench({ project, plans });
  const service = createService({ legion, onStop: () => undefined });
  await serveOverSocket({ service, inspector: legion.inspector }, legionPaths(project).socket);
  const watched = watchLegion(
    { project, backend: createFileBackend(project), config: { durability: "process" } },
    1_000,
    { own: service },
  );
  const page = await serveDashboard(watched, { port: 0, hosts: [], access: "all" });
  return { legion, url: page.url };
}

/**
 * Speaks to one after the other, for `forMs`.
 * @param {any} control @param {readonly string[]} to @param {{ messages: number, forMs: number }} pace messages a second
 */
export async function talkTo(control, to, { messages, forMs }) {
  const began = performance.now();
  for (let next = 0; performance.now() - began < forMs; next++) {
    void control.say([to[next % to.length]], `Message ${next}`);
    await delay(Math.max(0, (next * 1_000) / messages - (performance.now() - began)));
  }
}

// The thread that folds logs, one after the other.

import { parentPort } from "node:worker_threads";
import { readDigest } from "../../contract/digests/digests.ts";
import { digestFile, digestFolder } from "../../folder/cache/digest-file.ts";
import { legionPaths } from "../../folder/paths.ts";
import type { FoldOrder, FoldReply } from "./digest-threads.ts";
import { createDigestedLog } from "./digested-log.ts";
import { readingDisk } from "./reader.ts";

parentPort?.on("message", (order: FoldOrder) => {
  void fold(order)
    .catch((): FoldReply => "unkept")
    .then((became) => parentPort?.postMessage(became));
});

async function fold({ project, home, agent }: FoldOrder): Promise<FoldReply> {
  const paths = legionPaths(project, home);
  const place = digestFile(digestFolder(paths), agent);
  await readDigest({
    log: createDigestedLog({ folder: paths.agent(agent), disk: readingDisk(paths) }),
    place,
  });
  return (await place.readHead()) ? "kept" : "unkept";
}

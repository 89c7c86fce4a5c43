// A process that takes an archive into a project, and is killed at one call to the disk.

import { READABLE } from "../../readable.ts";
import { fromArchive } from "../../../src/storage/archive/imported.ts";
import { receiveAgents } from "../../../src/storage/files/arrivals.ts";
import { createDisk } from "../../../src/base/files/disk.ts";
import { legionPaths } from "../../../src/storage/folder/paths.ts";
import { openPersonFolder } from "../../../src/storage/folder/person/folder.ts";
import { authorshipOf } from "../../../src/storage/folder/person/authorship.ts";
import { watchDisk } from "./watched-disk.ts";

const authorship = await authorshipOf(openPersonFolder(process.env));
const [project = "", file = "", op = "", path = ""] = process.argv.slice(2);
const paths = legionPaths(project);
const disk = watchDisk(createDisk(paths.tmp), (call) => {
  if (call.op === op && call.path.endsWith(path)) process.kill(process.pid, "SIGKILL");
});
await receiveAgents(paths, await fromArchive(file, { readable: READABLE, authorship }), disk);

// A power cut of the machine that Redis runs on: what it had acknowledged last was not on the disk yet.

import { readdirSync, readFileSync, truncateSync } from "node:fs";
import { join } from "node:path";
import type { Server } from "../storage/redis/servers.ts";

const MOST_LOST_BYTES = 4_096;
const END_OF_SCRIPT = "*1\r\n$4\r\nEXEC\r\n";

/**
 * `server`, but the end of what it wrote is lost whenever it is killed; scripts as a whole. Redis 7.0 leaves a script that is
 * torn within a command in its file, half as it is, and runs that half at the start after the next: no client can help that.
 */
export function losingTail(server: Server, random: () => number): Pick<Server, "kill" | "restart"> {
  return {
    restart: server.restart,
    async kill() {
      await server.kill();
      const lost = Math.floor(MOST_LOST_BYTES * random());
      const folder = join(server.dir, "appendonlydir");
      for (const name of readdirSync(folder).filter((file) => file.endsWith(".incr.aof"))) {
        const path = join(folder, name);
        const written = readFileSync(path);
        const end = written.lastIndexOf(END_OF_SCRIPT, written.length - lost - END_OF_SCRIPT.length);
        if (end > 0) truncateSync(path, end + END_OF_SCRIPT.length);
      }
    },
  };
}

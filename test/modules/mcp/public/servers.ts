// The servers that the authors of the protocol publish, as an agent of a project has them.

import { createRequire } from "node:module";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../../world.ts";
import { openAgent } from "../agent.ts";

const installed = createRequire(import.meta.url);

/** The program of the server: an absolute path. */
function programOf(server: string): string {
  return installed.resolve(`@modelcontextprotocol/server-${server}/dist/index.js`);
}

/** An agent with these of them, which may work in `folder`. */
export async function openPublic(names: readonly string[], callMs?: number) {
  const folder = await temporaryFolder();
  const entryOf = (name: string): object => ({
    command: process.execPath,
    args: [programOf(name), ...(name === "filesystem" ? [folder] : [])],
    env: { MEMORY_FILE_PATH: join(folder, "memory.jsonl") },
  });
  const servers = Object.fromEntries(names.map((name) => [name, entryOf(name)]));
  return { folder, ...(await openAgent({ folder, servers, callMs })) };
}

/** The process of `server` that this one started. */
export function pidOf(server: string): number {
  const found = readdirSync("/proc").find((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      const parent = readFileSync(`/proc/${name}/stat`, "utf8").split(") ").at(-1)!.split(" ")[1];
      const command = readFileSync(`/proc/${name}/cmdline`, "utf8");
      return parent === String(process.pid) && command.includes(programOf(server));
    } catch {
      // It has ended meanwhile.
      return false;
    }
  });
  if (found === undefined) throw new Error(`${server} does not run`);
  return Number(found);
}

// The servers that the authors of the protocol publish, as an agent of a project has them.

import { createRequire } from "node:module";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { createMcp } from "../../../../modules/mcp/index.ts";
import { readServers } from "../../../../modules/mcp/config/read.ts";
import type { Offer } from "../../../../modules/mcp/tools/offer.ts";
import type { NodeHost } from "../../../../src/domain/authoring/host.ts";
import type { ServerStatus } from "../../../../src/domain/authoring/server-status.ts";
import { unwrapOutside } from "../../../../src/domain/authoring/outside.ts";
import { closedPremises } from "../../../../src/legion/hosting/shared-host.ts";
import { createHandClock } from "../../../hand-clock.ts";
import { temporaryFolder } from "../../../world.ts";
import { createTestHost } from "../../test-host.ts";
import { serverNode } from "../kit.ts";

const installed = createRequire(import.meta.url);

/** The program of the server: an absolute path. */
export function programOf(server: string): string {
  return installed.resolve(`@modelcontextprotocol/server-${server}/dist/index.js`);
}

/** An agent with these of them, which may work in `folder`. */
export async function openPublic(...servers: readonly string[]) {
  const folder = await temporaryFolder();
  const entries = servers.map((name) => [
    name,
    {
      command: process.execPath,
      args: [programOf(name), ...(name === "filesystem" ? [folder] : [])],
      env: { MEMORY_FILE_PATH: join(folder, "memory.jsonl") },
    },
  ]);
  writeFileSync(join(folder, ".mcp.json"), JSON.stringify({ mcpServers: Object.fromEntries(entries) }));
  const clock = createHandClock();
  const closers: (() => void | Promise<void>)[] = [];
  onTestFinished(async () => {
    for (const close of closers) await close();
  });
  let tell: () => readonly ServerStatus[] = () => [];
  const node: NodeHost = {
    ...closedPremises(() => Promise.reject(new Error("nothing there"))),
    ...serverNode(clock),
    onClose: (close) => void closers.push(close),
    onStatus: (told) => (tell = told),
  };
  const settings = {
    servers: () => readServers({ project: folder, variables: {} }),
    trusted: [],
    isAllowed: () => Promise.resolve(true),
    pinned: (_: unknown, now: unknown) => Promise.resolve(now),
  };
  const module = createMcp({ callMs: 2_000 });
  const { host } = createTestHost(module, { node, settings });
  const offer = (await module.offers!.find(host)) as Offer;
  const actions = module.offers!.actions!(offer);
  return {
    folder,
    clock,
    /** The names of its tools, as the server has them. */
    toolsOf: (name: string) => offer.tools.filter(({ server }) => server === name).map(({ tool }) => tool),
    status: (name: string) => tell().find((server) => server.name === name)!,
    async call(server: string, tool: string, given: object = {}) {
      const { name } = offer.tools.find((one) => one.server === server && one.tool === tool)!;
      const { outcome, content, details } = await actions[name]!.execute(given, { ...host, offer });
      return { outcome, details, content: unwrapOutside(content).trim() };
    },
  };
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

// An agent's word to servers of a project, without a legion around it.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { createMcp } from "../../../modules/mcp/index.ts";
import { readServers } from "../../../modules/mcp/config/read.ts";
import type { Offer } from "../../../modules/mcp/tools/offer.ts";
import type { Host, NodeHost } from "../../../src/domain/authoring/host.ts";
import type { ServerStatus } from "../../../src/domain/authoring/server-status.ts";
import { unwrapOutside } from "../../../src/domain/authoring/outside.ts";
import { closedPremises } from "../../../src/legion/hosting/shared-host.ts";
import { createHandClock } from "../../hand-clock.ts";
import { createTestHost } from "../test-host.ts";
import { UNSAID } from "./kit.ts";

export interface AgentOf {
  /** Absolute path of its project. */
  readonly folder: string;
  /** Entries of `mcpServers`. */
  readonly servers: Readonly<Record<string, object>>;
  readonly callMs?: number;
}

/** Its servers are allowed, and not taken at their word. */
export async function openAgent({ folder, servers, callMs = 30_000 }: AgentOf) {
  writeFileSync(join(folder, ".mcp.json"), JSON.stringify({ mcpServers: servers }));
  const clock = createHandClock();
  const closers: (() => void | Promise<void>)[] = [];
  onTestFinished(async () => {
    for (const close of closers) await close();
  });
  let tell: () => readonly ServerStatus[] = () => [];
  const node: NodeHost = {
    ...closedPremises(() => Promise.reject(new Error("nothing there"))),
    clock,
    onClose: (close) => void closers.push(close),
    onStatus: (told) => (tell = told),
  };
  const settings = {
    servers: () => readServers({ project: folder, variables: {} }),
    trusted: [],
    confinement: UNSAID,
    isAllowed: () => Promise.resolve(true),
    pinned: (_: unknown, now: unknown) => Promise.resolve(now),
  };
  const module = createMcp({ callMs });
  const { host } = createTestHost(module, { node, settings });
  const offer = (await module.offers!.find(host)) as Offer;
  const actions = module.offers!.actions!(offer);
  return {
    clock,
    offer,
    /** As of its actions. */
    host: { ...host, offer },
    instructions: module.instructions!({ ...host, offer }) ?? "",
    /** As before its next decision. */
    look: async (own: Partial<Host> = {}) => (await module.offers!.find({ ...host, offer, ...own })) as Offer,
    statuses: () => tell(),
    /** The names of its tools, as the server has them. */
    toolsOf: (name: string) => offer.tools.filter(({ server }) => server === name).map(({ tool }) => tool),
    status: (name: string) => tell().find((server) => server.name === name)!,
    async call(server: string, tool: string, given: object = {}, own: Partial<Host> = {}) {
      const { name } = offer.tools.find((one) => one.server === server && one.tool === tool)!;
      const { outcome, content, details } = await actions[name]!.execute(given, { ...host, offer, ...own });
      return { outcome, details, content: unwrapOutside(content).trim() };
    },
  };
}

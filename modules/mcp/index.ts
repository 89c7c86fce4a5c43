import { defineModule, type Module } from "../../src/domain/authoring/module.ts";
import { defineShared } from "../../src/domain/authoring/module-state.ts";
import type { ServerTimes } from "./connected.ts";
import { openServers, SERVER_TIMES } from "./servers.ts";
import { askingFor, readSettings } from "./settings.ts";
import { createActions, instructionsOf, type CallTimes } from "./tools/actions.ts";
import { mergeOffers, type Offer } from "./tools/offer.ts";

type Times = CallTimes & ServerTimes;

const TIMES: Times = { ...SERVER_TIMES, callMs: 60_000, readMs: 120_000 };
/** All tools together may take an eighth of the model's window; what is pinned may take a quarter. */
const SHARE_OF_PINNED = 1 / 2;

/** The tools, resources and prompts of MCP servers. */
export function createMcp(times: Partial<Times> = {}): Module {
  const every: Times = { ...TIMES, ...times };
  const serversOf = defineShared((node, settings) => openServers(node, readSettings(settings), every));
  const actionsOf = createActions(
    (server, host) => serversOf(host).connection(server, askingFor(host), host.signal),
    every,
  );
  return defineModule({
    name: "mcp",
    // The log holds what `find` gave.
    instructions: ({ offer }) => (offer === undefined ? undefined : instructionsOf(offer as Offer)),
    actions: {},
    offers: {
      async find(host) {
        const found = await serversOf(host).find(askingFor(host), host.signal);
        if (found.length === 0 && host.offer === undefined) return undefined;
        const room = { tokens: host.maxPinnedTokens * SHARE_OF_PINNED, count: host.tokens };
        return mergeOffers(host.offer as Offer | undefined, found, room);
      },
      actions: (offer) => actionsOf(offer as Offer),
    },
  });
}

export const mcp = createMcp();

// How an agent stands, kept by itself: less than a digest, and nothing to go on from. Whoever runs the agent has it at hand.

import { z } from "zod";
import type { AgentId } from "../../domain/message/message.ts";
import type { Conversation } from "../conversation.ts";
import type { Ledger } from "../ledger.ts";
import { atRestSchema, conversationAtRest, packConversation } from "./at-rest.ts";
import { VERSION, type Digest } from "./digest.ts";
import { ledgerSchema, packLedger, unpackLedger } from "./kept-ledger.ts";
import { createTraffic, packTraffic, trafficSchema, type PeerTraffic } from "./traffic.ts";

export type StandingAtRest = Pick<Digest, "ledger" | "conversation" | "peers">;

const schema = z.object({
  version: z.literal(VERSION),
  ledger: ledgerSchema,
  conversation: atRestSchema,
  traffic: trafficSchema,
});

/** Plain JSON. The head of a digest is one, too. */
export type PackedStanding = z.output<typeof schema>;

interface LiveStanding {
  readonly ledger: Ledger;
  readonly conversation: Conversation;
  readonly peers: ReadonlyMap<AgentId, PeerTraffic>;
}

export function packStanding({ ledger, conversation, peers }: LiveStanding): PackedStanding {
  const packed = { conversation: packConversation(conversation), traffic: packTraffic(peers) };
  return { version: VERSION, ledger: packLedger(ledger), ...packed };
}

/** What `value` keeps, if this version packed it; anything else is none. */
export function readPackedStanding(value: unknown): PackedStanding | undefined {
  return schema.safeParse(value).data;
}

export function unpackStanding({ ledger, conversation, traffic }: PackedStanding): StandingAtRest {
  const { peers } = createTraffic(traffic);
  return { ledger: unpackLedger(ledger), conversation: conversationAtRest(conversation), peers };
}

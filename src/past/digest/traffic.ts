// Who an agent writes to and hears from, whatever the branch.

import { z } from "zod";
import type { Event } from "../../domain/event/event.ts";
import { parseMessageId, type AgentId } from "../../domain/message/message.ts";
import { sendsIn } from "../mail/sends.ts";

export interface PeerTraffic {
  /** Messages to it that were committed, also those that are undelivered. */
  readonly sent: number;
  /** ISO 8601: when the newest was sent; empty for none. */
  readonly sentAt: string;
  /** Messages of it that were taken in. */
  readonly taken: number;
  /** ISO 8601: when the newest was taken in; empty for none. */
  readonly takenAt: string;
}

const NO_TRAFFIC: PeerTraffic = { sent: 0, sentAt: "", taken: 0, takenAt: "" };

export const trafficSchema = z.array(z.tuple([z.string(), z.int(), z.string(), z.int(), z.string()]));

export type PackedTraffic = z.output<typeof trafficSchema>;

export type Traffic = ReturnType<typeof createTraffic>;

export function createTraffic(kept: PackedTraffic = []) {
  const peers = new Map<AgentId, PeerTraffic>(
    kept.map(([peer, sent, sentAt, taken, takenAt]) => [peer, { sent, sentAt, taken, takenAt }]),
  );
  const known = (peer: AgentId): PeerTraffic => peers.get(peer) ?? NO_TRAFFIC;
  return {
    peers: peers as ReadonlyMap<AgentId, PeerTraffic>,
    see(event: Event): void {
      const { at } = event;
      // What stands before it is another agent's past.
      if (event.kind === "branch" && event.origin !== undefined) peers.clear();
      for (const { to } of sendsIn(event, ""))
        peers.set(to, { ...known(to), sent: known(to).sent + 1, sentAt: at });
      if (event.kind !== "message") return;
      const { from } = parseMessageId(event.message.id);
      peers.set(from, { ...known(from), taken: known(from).taken + 1, takenAt: at });
    },
    pack: () => packTraffic(peers),
  };
}

export function packTraffic(peers: ReadonlyMap<AgentId, PeerTraffic>): PackedTraffic {
  return [...peers].map(([peer, { sent, sentAt, taken, takenAt }]) => [peer, sent, sentAt, taken, takenAt]);
}

// How far each sender's log has come at a recipient: in the hash `seen`, which only grows.

import type { AgentId, LogId } from "../../../domain/message/message.ts";
import { agentKeys } from "./keys.ts";
import type { LegionPlace } from "./scope.ts";

/**
 * How a delivery stands to what is there from the same log, for scripts: `next`, `duplicate`, or `gap` and the highest number
 * that is there. `start`: a log that is new here begins after that number, or anywhere if it is ''.
 *
 * As `standingOf` of a mailbox elsewhere.
 */
export const STANDING = `
local function newestIn(seen, from, start) return redis.call('HGET', seen, from) or start ~= '' and start end
local function standingOf(newest, number, before)
  if not newest then return 'next' end
  if tonumber(number) <= tonumber(newest) then return 'duplicate' end
  if tonumber(before) > tonumber(newest) then return 'gap', newest end
  return 'next'
end`;

export interface DeliveryGap {
  readonly status: "gap";
  readonly expected: number;
}

/** The highest number of a log that is there comes as a text: as numbers, Redis writes only fourteen digits. */
interface GapReply {
  readonly status: "gap";
  readonly newest: string;
}

/** What a script says of a delivery, which is JSON. */
export function readReply<R extends { readonly status: string }>(text: string): R | DeliveryGap {
  const reply = JSON.parse(text) as R | GapReply;
  return "newest" in reply ? { status: "gap", expected: Number(reply.newest) + 1 } : reply;
}

/** The highest number of a sender's log that its recipient has, or has had; 0 if none. */
export type ReadWatermark = (to: AgentId, from: LogId) => Promise<number>;

/** Each is asked for once: what is delivered meanwhile is not seen. */
export function createWatermarks({ link, legion }: LegionPlace): ReadWatermark {
  const asked = new Map<string, Promise<number>>();
  return (to, from) => {
    const key = `${to} ${from}`;
    const known = asked.get(key);
    if (known) return known;
    const asking = link.command("HGET", agentKeys(legion, to).seen, from).then(Number);
    asked.set(key, asking);
    return asking;
  };
}

// What became of messages, as the digests of all logs together tell: that of its sender and that of its reader.

import { parseMessageId, type AgentId } from "../../domain/message/message.ts";
import type { SentMail } from "./correspondence.ts";
import type { Digest } from "./digest.ts";

/**
 * `sent`: on its way. `delivered`: in the mailbox. `held`: taken in, to be shown later. `taken`: taken in. `undelivered`: nobody
 * will act on it.
 */
export const MAIL_FATES = ["sent", "delivered", "held", "taken", "undelivered"] as const;

export interface MailFate {
  readonly state: (typeof MAIL_FATES)[number];
  /** Why it is undelivered, a sentence. */
  readonly why?: string;
}

/** @param digests of those agents that are known, Control included */
export function createFates(
  digests: ReadonlyMap<AgentId, Pick<Digest, "ledger" | "correspondence">>,
): (mail: Pick<SentMail, "id" | "log" | "seq" | "why">) => MailFate {
  const held = new Map(
    [...digests].map(([agent, { ledger }]) => [
      agent,
      new Set([...ledger.heldMail.now.values()].map(({ id }) => id)),
    ]),
  );
  const under = new Set(
    [...digests.values()].flatMap(({ ledger }) =>
      ledger.undelivered.map(({ from, to, n, seq }) => `${from} ${to} ${n} ${seq}`),
    ),
  );
  return ({ id, log, seq, why }) => {
    const { to, n } = parseMessageId(id);
    const reader = digests.get(to);
    const gone = why ?? reader?.correspondence.withdrawn.get(id);
    if (gone !== undefined) return { state: "undelivered", why: gone };
    if (held.get(to)?.has(id)) return { state: "held" };
    if ((reader?.ledger.seen.get(log) ?? 0) >= n) return { state: "taken" };
    return { state: under.has(`${log} ${to} ${n} ${seq}`) ? "sent" : "delivered" };
  };
}

// What a legion came to, by agent, first message, model and over time, from the digests of its logs.

import { messageOf } from "../../base/errors.ts";
import { displayName, type AgentId } from "../../domain/message/message.ts";
import type { Charge } from "../../past/digest/charges/charge.ts";
import type { Charges } from "../../past/digest/charges/charges.ts";
import { joinCharges, type SharedCharge } from "../../past/digest/totals.ts";
import type { FirstMessage } from "../../past/shares/by-cause.ts";
import type { Reader } from "../../storage/contract/reader.ts";
import type { ReadingAnswer } from "../api/readings.ts";

type Costs = ReadingAnswer<"costs">;

/** So many first messages, those that cost most; the others are one row. */
const MOST_CAUSES = 500;

export async function readCosts(reader: Pick<Reader, "known" | "digest">): Promise<Costs> {
  const unread: Costs["unread"][number][] = [];
  const digests: (readonly [AgentId, { readonly charges: Charges }])[] = [];
  for (const agent of await reader.known())
    try {
      digests.push([agent, await reader.digest(agent)]);
    } catch (error) {
      unread.push({ agent, why: messageOf(error) });
    }
  const { agents, causes, models, spans } = joinCharges(digests);
  const firsts = new Map(digests.flatMap(([, { charges }]) => [...charges.firsts]));
  const priced = new Set(digests.filter(([, { charges }]) => isPriced(charges)).map(([agent]) => agent));
  const rows = [...causes].map(([root, share]) => ({ ...causeOf(root, firsts), ...sharedRow(share) }));
  return {
    agents: [...agents].map(([id, charge]) => ({
      ...{ id, name: displayName(id) },
      ...spentRow(charge, priced.has(id) ? "priced" : "unpriced"),
    })),
    causes: rows.sort((a, b) => (b.cost ?? 0) - (a.cost ?? 0) || b.steps - a.steps).slice(0, MOST_CAUSES),
    models: [...models].map(([model, share]) => ({ model, ...sharedRow(share) })),
    spans: spans.map(({ at, minutes, charge }) => ({ at, minutes, ...spentRow(charge, "priced") })),
    unread,
  };
}

function isPriced({ causes }: Charges): boolean {
  return [...causes.values()].some((share) => share.isPriced);
}

function causeOf(root: string | undefined, firsts: ReadonlyMap<string, FirstMessage>) {
  const first = root === undefined ? undefined : firsts.get(root);
  return { root: root ?? null, said: first?.sentAt ?? null, opening: first?.opening ?? null };
}

function sharedRow({ charge, isPriced: hasPrice, agents }: SharedCharge) {
  return { agents: [...agents], ...spentRow(charge, hasPrice ? "priced" : "unpriced") };
}

function spentRow(charge: Charge, price: "priced" | "unpriced") {
  const { steps, input, output, cacheRead, cacheWrite, unparsed, retried, cost } = charge;
  const known = price === "priced" || input + output === 0;
  return { steps, input, output, cacheRead, cacheWrite, unparsed, retried, cost: known ? cost : null };
}

// What all agents of a legion came to together, from the digest of each: by agent, first message, model, and over time.

import type { AgentId } from "../../domain/message/message.ts";
import { addCharge, NO_CHARGE, type Charge } from "./charges/charge.ts";
import type { Charges } from "./charges/charges.ts";
import type { ChargeShare } from "./charges/tally.ts";
import type { TimeSpan } from "./charges/timeline.ts";

/** A part of what they came to, with who took part in it, in the order in which they were given. */
export interface SharedCharge extends ChargeShare {
  readonly agents: readonly AgentId[];
}

/** Each of the four adds up to the same; completions without an action and repeated calls of a cause that spent nothing are in no cause. */
export interface ChargeTotals {
  readonly agents: ReadonlyMap<AgentId, Charge>;
  /** By first message; `undefined` stands for what was done before any was shown. */
  readonly causes: ReadonlyMap<string | undefined, SharedCharge>;
  readonly models: ReadonlyMap<string, SharedCharge>;
  /** Oldest first. One whose end lies further back than that of others has hours or days where they have minutes. */
  readonly spans: readonly TimeSpan[];
}

export function joinCharges(
  digests: Iterable<readonly [AgentId, { readonly charges: Charges }]>,
): ChargeTotals {
  const agents = new Map<AgentId, Charge>();
  const causes = new Map<string | undefined, SharedCharge>();
  const models = new Map<string, SharedCharge>();
  const spans = new Map<string, TimeSpan>();
  for (const [agent, { charges }] of digests) {
    const own = charges.spans.map(({ charge }) => charge).reduce(addCharge, NO_CHARGE);
    agents.set(agent, own);
    for (const [root, share] of charges.causes) causes.set(root, joined(causes.get(root), agent, share));
    for (const [model, share] of charges.models) models.set(model, joined(models.get(model), agent, share));
    for (const span of charges.spans) {
      const key = `${span.at} ${span.minutes}`;
      const charge = addCharge(spans.get(key)?.charge ?? NO_CHARGE, span.charge);
      spans.set(key, { ...span, charge });
    }
  }
  return { agents, causes, models, spans: [...spans.values()].sort(bySpan) };
}

function joined(
  known: SharedCharge | undefined,
  agent: AgentId,
  { charge, isPriced }: ChargeShare,
): SharedCharge {
  return {
    charge: addCharge(known?.charge ?? NO_CHARGE, charge),
    isPriced: isPriced || known?.isPriced === true,
    agents: [...(known?.agents ?? []), agent],
  };
}

/** A day before its hours, an hour before its minutes. */
function bySpan(a: TimeSpan, b: TimeSpan): number {
  return Date.parse(a.at) - Date.parse(b.at) || b.minutes - a.minutes;
}

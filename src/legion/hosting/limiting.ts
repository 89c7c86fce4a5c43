// What may be spent is changed while the legion runs: a word about one agent stands in its log, one about the legion holds at once, and
// the next start takes it over.

import type { Budget } from "../../agent/parts/budget.ts";
import { LegionError } from "../../base/errors.ts";
import { NO_SECRETS, type Redactor } from "../../base/redaction/redactor.ts";
import { resolveLimits, writeLimits, type Limits, type LimitsChoice } from "../../domain/limits.ts";
import { displayName, type AgentId } from "../../domain/message/message.ts";
import type { Writer, Writing } from "../../mail/log-access.ts";
import { limitsHeld, limitsNotice } from "../../past/limits/held-limits.ts";
import { NOTHING } from "../../past/limits/spending.ts";
import type { NodeOrder, NodeStorage } from "../../storage/contract/node.ts";
import { raiseLimits } from "../run/limits.ts";
import type { Supervised } from "../supervision/supervisor.ts";

/** What all agents of a legion may spend together. */
export interface Limiting {
  /** By now. */
  readonly limits: Limits;
  /**
   * Has other limits hold, those that are not named staying as they are, and whoever stands still for one look again. Resolves
   * with what holds. Rejects with REFUSED for a limit of money where the start set none.
   */
  limit(said: LimitsChoice): Promise<Limits>;
}

interface LimitedLegion extends Pick<NodeOrder, "limits" | "started"> {
  readonly redactor?: Redactor;
  readonly onLimits?: (limits: string) => Promise<void>;
  readonly budget: Pick<Budget, "limit">;
  readonly agents: ReadonlyMap<AgentId, Supervised>;
  readonly remember: NodeStorage["remember"];
}

export function createLimiting({
  limits: first,
  budget,
  agents,
  redactor = NO_SECRETS,
  ...keeping
}: LimitedLegion): Limiting {
  let limits = first;
  let { started } = keeping;
  const keep = async (said: LimitsChoice): Promise<void> => {
    if (!started) return;
    const { flags } = started;
    const typed = raiseLimits(writeLimits(said), flags.limits, NOTHING);
    started = { ...started, flags: { ...flags, limits: typed } };
    await keeping.onLimits?.(typed);
    await keeping.remember(redactor.value(started));
  };
  return {
    get limits() {
      return limits;
    },
    async limit(said) {
      refuseNewCost(said, first, "the legion");
      limits = resolveLimits(limits, said);
      await budget.limit(limits);
      await keep(said);
      await Promise.all([...agents.values()].filter(standsForAll).map(lookAgain));
      return limits;
    },
  };
}

/**
 * Has other limits hold for one agent. Resolves with what it may spend then. Rejects with REFUSED for a limit of money where its start
 * set none.
 *
 * @param started what its start said
 */
export function limitAgent(writer: Writer, started: Limits, said: LimitsChoice): Promise<Limits> {
  return writer.alone(async ({ memory }: Writing) => {
    refuseNewCost(said, started, displayName(memory.agent));
    const notice = limitsNotice(said, started, memory.ledger.limits);
    await memory.commit(notice);
    return limitsHeld(started, notice.details);
  });
}

/** Whether what it costs is known was looked at where the limit was set. */
function refuseNewCost({ cost }: LimitsChoice, started: Limits, whose: string): void {
  if (cost === undefined || cost === "none" || started.cost !== undefined) return;
  const why = `nothing limits what ${whose} costs; \`legion start --limits cost=${cost}\` sets a first limit`;
  throw new LegionError("REFUSED", why);
}

/** One of its own has nothing to do with the legion's, and one that begins anew is the person's. */
function standsForAll({ agent, standing }: Supervised): boolean {
  const { halt } = agent?.memory.conversation ?? {};
  if (standing.state === "stopped" || halt?.reason !== "parked-limit") return false;
  return halt.limit === undefined || (halt.shared === true && halt.until === undefined);
}

/** Before it goes on, it sees whether its next call fits. */
async function lookAgain(supervised: Supervised): Promise<void> {
  await supervised.alone(() => Promise.resolve()).catch(() => undefined);
}

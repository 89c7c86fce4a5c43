// Which of the agents of this process are closed: those that a start finds at rest, and of those that were used the ones that have
// rested longest, where many are open.

import type { Agent } from "../../../agent/parts/agent.ts";
import { mayBeClosed } from "./may-be-closed.ts";
import type { Clock } from "../../../base/clock.ts";
import type { AgentId } from "../../../domain/message/message.ts";
import { spentOf } from "../../../past/limits/spending.ts";
import type { AtRest, Resting } from "../../../storage/contract/resting.ts";
import type { Supervised } from "../../supervision/supervisor.ts";
import type { Rest } from "../../supervision/sleep.ts";
import { isLegionError } from "../../../base/errors.ts";
import { inParallel } from "../../../base/turns.ts";
import type { Residents } from "./residents.ts";
import { recordOf, type AgentPlan, type Place } from "../agent-plan.ts";

/** So many stay open however long they rest. */
export const KEPT_OPEN = 64;
/** Past so many those that rest are closed at once. */
const MOST_OPEN = 512;
const RESTED_MS = 10_000;
const ROUND_MS = 1_000;

/** Nobody watches over what it observes, directs or has to run first but itself. */
export function maySleep({ observe, director, startup, replay }: AgentPlan): boolean {
  return !observe && !director && !startup && !replay;
}

/** What an agent comes to that is about to be closed. */
export function restOf({ memory: { ledger } }: Agent, plan: string): AtRest {
  return { spent: spentOf(ledger), last: ledger.last, plan };
}

export interface RestPlace {
  readonly resting: Resting;
  readonly planHash: (plan: AgentPlan) => string;
  readonly close: (agent: AgentId) => Promise<void>;
  readonly residents: Pick<Residents, "agents">;
}

/** How the agent of `plan` is closed while it rests. */
export function createRest(
  plan: AgentPlan,
  { resting, planHash, close, residents }: RestPlace,
  toName: (since: string) => void,
): Omit<Rest, "isAsleep"> {
  const { id } = plan.identity;
  let isName = false;
  return {
    mayBegin: (agent) =>
      agent.presence.standing.state === "idle" && mayBeClosed(agent) && !resting.isExpecting(id),
    async begin(agent) {
      const { since } = agent.presence.standing;
      const closeIt = async (): Promise<AtRest> => {
        await close(id);
        return restOf(agent, planHash(plan));
      };
      return resting.lieDown(id, closeIt, () => {
        isName = true;
        toName(since);
      });
    },
    other: () => (isName ? residents.agents.get(id) : undefined),
    wake: () => resting.wake(id),
  };
}

const AT_ONCE = 32;

/**
 * Leaves those of `plans` closed that are known to rest, and keeps what is to be known of them. What cannot be kept now is opened, as
 * all others are.
 *
 * @param laid called for each that is left closed
 */
export async function layDown(
  plans: readonly AgentPlan[],
  { resting, planHash }: Pick<RestPlace, "resting" | "planHash">,
  { store, shared }: Pick<Place, "store" | "shared">,
  laid: () => void,
): Promise<ReadonlyMap<AgentId, AtRest>> {
  const asleep = new Map<AgentId, AtRest>();
  const enrollNext = inParallel(AT_ONCE);
  const lay = async (plan: AgentPlan): Promise<void> => {
    const { id } = plan.identity;
    const at = maySleep(plan) ? resting.of(id) : undefined;
    if (!at) return;
    const hash = planHash(plan);
    if (at.plan === hash) return stay(id, at);
    await enrollNext(() => store.enroll(id, recordOf(plan, shared.redactor)));
    stay(id, { ...at, plan: hash });
  };
  const stay = (id: AgentId, at: AtRest): void => {
    resting.stay(id, at);
    asleep.set(id, at);
    laid();
  };
  for (const end of await Promise.allSettled(plans.map(lay)))
    if (end.status === "rejected" && !isLegionError(end.reason, "STORAGE")) throw end.reason;
  return asleep;
}

/**
 * Goes round while there is somebody to close. Call what it returns when somebody was opened, or has come to rest.
 *
 * @param open those that are open
 */
export function createRounds(open: () => readonly Supervised[], clock: Clock, closing: AbortSignal) {
  let isUnderWay = false;
  const round = (): boolean => {
    const all = open();
    const over = all.length - KEPT_OPEN;
    if (over <= 0) return false;
    const idle = all.filter(({ standing, mayLieDown }) => standing.state === "idle" && mayLieDown());
    const oldest = idle.sort((a, b) => a.standing.since.localeCompare(b.standing.since)).slice(0, over);
    const leastMs = all.length > MOST_OPEN ? ROUND_MS : RESTED_MS;
    const isDue = ({ standing }: Supervised): boolean => clock.now() - Date.parse(standing.since) >= leastMs;
    for (const one of oldest) if (isDue(one)) one.lieDown();
    return oldest.length > 0;
  };
  const rounds = async (): Promise<void> => {
    do await clock.sleep(ROUND_MS, closing);
    while (!closing.aborted && round());
    isUnderWay = false;
  };
  return (count: number): void => {
    if (isUnderWay || count <= KEPT_OPEN || closing.aborted) return;
    isUnderWay = true;
    void rounds();
  };
}

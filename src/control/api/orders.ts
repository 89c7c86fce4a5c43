// What a person's orders mean, and what comes of them, whether a node carries them out or a command does.

import { setTimeout as delay } from "node:timers/promises";
import { LegionError, isLegionError } from "../../base/errors.ts";
import type { LimitsChoice } from "../../domain/limits.ts";
import { CONTROL, type AgentId } from "../../domain/message/message.ts";
import type { Conversation } from "../../past/conversation.ts";
import type { Resent, Targets } from "./routes.ts";

/** The ids that `targets` stands for, each once. Throws USAGE, naming the known ids, if one is unknown. */
export function resolveKnown(targets: Targets, known: readonly AgentId[]): readonly AgentId[] {
  if (known.length === 0) throw new LegionError("USAGE", "there are no agents yet; `legion start` makes one");
  if (targets === "all") return known;
  const unknown = targets.find((id) => !known.includes(id));
  if (unknown === undefined) return [...new Set(targets)];
  if (unknown === CONTROL) throw new LegionError("USAGE", "0 is you; name an agent");
  throw new LegionError("USAGE", `there is no agent ${JSON.stringify(unknown)}; known: ${listIds(known)}`);
}

/** The first of them, and how many more there are. */
export function listIds(known: readonly AgentId[]): string {
  const shown = known.slice(0, 20).join(", ");
  return known.length > 20 ? `${shown} and ${known.length - 20} more` : shown;
}

/** Why an agent is paused, as `ps` shows it. */
export const PAUSED = "by Control";

export function changesNothing(order: "pause" | "resume", { halt }: Conversation): boolean {
  return order === "pause" ? halt?.reason === "paused" : !halt;
}

/** What was said of all agents together. Throws USAGE where it is about each of them. */
export function ofAll(said: LimitsChoice): LimitsChoice {
  if (said.steps === undefined && said.turns === undefined) return said;
  throw new LegionError("USAGE", "steps and turns are limits of each agent: name agents, or all");
}

/** What `sending` the dead letter `id` again came to: a refusal of one is none of the others'. */
export async function resentOf(id: string, sending: Promise<readonly string[]>): Promise<Resent> {
  try {
    return { id, outcome: "done", sends: await sending };
  } catch (error) {
    if (!isLegionError(error)) throw error;
    return { id, outcome: "refused", reason: error.message };
  }
}

/** What `work` comes to, or `late` where it takes longer than `patienceMs`; it goes on all the same. */
export async function unlessLate<T, L>(work: Promise<T>, patienceMs: number, late: L): Promise<T | L> {
  const answered = new AbortController();
  try {
    return await Promise.race([work, delay(patienceMs, late, { signal: answered.signal })]);
  } finally {
    answered.abort();
  }
}

// An agent, whether or not it runs, replayed as its definition and its modules would make it today.

import { LegionError } from "../../base/errors.ts";
import { createRedactor } from "../../base/redaction/redactor.ts";
import { displayName, type AgentId } from "../../domain/message/message.ts";
import { describeRecorded } from "../../model/scripted/recorded.ts";
import { castToday, type Today } from "../prompt/definition-today.ts";
import type { PromptSite } from "../prompt/next-prompt.ts";
import { readTape, type Tape } from "./recording.ts";
import { replayAgent, type Replayed, type ReplayOptions } from "./replay-agent.ts";

export type ReplaySite = Omit<PromptSite, "backend">;

export interface ReplayWish extends Pick<ReplayOptions, "signal"> {
  readonly agent: AgentId;
  /** The event to end with, on whatever branch; absent: the newest. */
  readonly to?: number;
  /** Told after each decision how many of how many were the same. */
  readonly onDecision?: (decisions: number, all: number) => void;
}

/**
 * Throws USAGE for an event that the log has not, REFUSED where a part of it is gone, and what `castToday` does: code that was not
 * trusted is not run.
 */
export async function replayToday(
  site: ReplaySite,
  { agent, to, onDecision, signal }: ReplayWish,
  today: Today,
): Promise<{ readonly tape: Tape; readonly replayed: Replayed }> {
  const tape = await readTape(site.reader, agent, to);
  const last = tape.events.at(-1)?.event.seq ?? 0;
  if (to !== undefined && to > last)
    throw new LegionError(
      "USAGE",
      `there is no event ${to}: the log of ${displayName(agent)} ends at ${last}`,
    );
  const { planFor, settings } = await castToday(site, agent, today, ({ models }) => {
    return (_, name) => describeRecorded(name, models);
  });
  const redactor = createRedactor(site.config.secrets());
  const told = (decisions: number): void => onDecision?.(decisions, tape.decisions);
  const replayed = await replayAgent({
    ...site,
    ...{ tape, planFor, settings, redactor, signal, onDecision: told },
  });
  return { tape, replayed };
}

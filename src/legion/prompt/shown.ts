// For which decisions an agent's model was shown something, and what that call came to.

import { LegionError } from "../../base/errors.ts";
import { displayName, type AgentId } from "../../domain/message/message.ts";
import { isOfModel } from "../../domain/supervision.ts";
import { belongsTo, forkIn, pathTo, type Fork } from "../../past/branch.ts";
import type { Event, EventOf, Stamp, Usage } from "../../domain/event/event.ts";
import type { Reader } from "../../storage/contract/reader.ts";

/** A decision whose model was asked. */
export interface ShownFor {
  readonly seq: number;
  readonly model: string;
  readonly usage: Usage;
  /** US dollars; absent: the price is not known, or it is free. */
  readonly cost?: number;
}

export interface PromptTrail {
  /** The event that `promptAt` knows it by; absent: it is what would be shown next. */
  readonly at?: number;
  /** Absent: nothing came of the call yet. */
  readonly call?: ShownFor;
  /** The one before it; absent: there was none. */
  readonly before?: ShownFor;
}

/**
 * What was shown newest by event `seq`, of what leads there; without it, what is to be shown next. Throws USAGE where the log ends
 * before, REFUSED where nothing was shown by then.
 */
export async function shownAt(
  reader: Pick<Reader, "events">,
  agent: AgentId,
  seq?: number,
): Promise<PromptTrail> {
  const forks: Fork[] = [];
  const calls: Event[] = [];
  let last: Event | undefined;
  for await (const event of reader.events(agent)) {
    if (event.seq > (seq ?? Infinity)) break;
    last = event;
    const fork = forkIn(event);
    if (fork) forks.push(fork);
    if (event.kind === "prompted" || event.kind === "decision") calls.push(event);
  }
  const name = displayName(agent);
  if (seq !== undefined && last?.seq !== seq)
    throw new LegionError("USAGE", `there is no event ${seq}: the log of ${name} ends at ${last?.seq ?? 0}`);
  const path = pathTo(forks, last?.seq);
  const asked = askedAmong(calls.filter((event) => belongsTo(path, event) || event.seq === seq));
  const newest = asked.at(-1);
  if (seq === undefined) return { before: newest };
  if (last?.kind === "prompted") return { at: seq, before: newest };
  if (!newest) throw new LegionError("REFUSED", `up to event ${seq} the model of ${name} was shown nothing`);
  return { at: newest.seq, call: newest, before: asked.at(-2) };
}

/** A decision that an abort made, or rules, or a person, follows no call. */
function askedAmong(calls: readonly Event[]): readonly ShownFor[] {
  let isAsked = false;
  return calls.flatMap((event) => {
    if (event.kind !== "decision") {
      isAsked = true;
      return [];
    }
    const isOne = isAsked && isOfModel(event);
    isAsked = false;
    return isOne ? [shownFor(event)] : [];
  });
}

export function shownFor({ seq, model, usage, cost }: EventOf<"decision"> & Stamp): ShownFor {
  return { seq, model, usage, ...(cost !== undefined && { cost }) };
}

// What stands out in a log, whatever its branch: what a person wants to be told of a time in which they did not look.

import { z } from "zod";
import { fieldsOf } from "../../../base/text/json.ts";
import { isLoss, type Event, type EventOf } from "../../../domain/event/event.ts";
import { isMessageId, parseMessageId, type Message } from "../../../domain/message/message.ts";
import type { DecisionCourse } from "../charges/waste.ts";
import { lostIn } from "../../log/gaps.ts";
import { firstOf, type RootId } from "../../shares/by-cause.ts";
import { firstSchema } from "../charges/charges.ts";
import { undeliveredIn } from "../correspondence.ts";
import { createDecisions, decisionsSchema } from "./decisions.ts";
import { createNewest, keptSchema, type Incident, type KnownIncidents } from "./incident.ts";

export interface Incidents extends KnownIncidents {
  /** Names of dead letters, also those of other logs, that were sent again. */
  readonly resent: ReadonlySet<string>;
}

const runSchema = z.object({
  epoch: z.int(),
  model: z.string(),
  /** The newest model call was refused. */
  isOut: z.boolean(),
});

export const incidentsSchema = z.object({
  kept: keptSchema,
  run: runSchema,
  decisions: decisionsSchema,
  resent: z.array(z.string()),
});

type PackedIncidents = z.output<typeof incidentsSchema>;

/** What the other folds of the same log know of an event. */
export interface SeenWith {
  readonly root: RootId;
  /** Its decision is one of a loop, as is known now. */
  readonly course: DecisionCourse;
  /** The latest time of anything before it, in milliseconds since 1970; 0 for nothing. */
  readonly latest: number;
  /** Its own time; NaN for what is no time. */
  readonly atMs: number;
}

/** A clock may be set that much without a word, in milliseconds. */
const UNSAID_MS = 1_000;
const MOST_RESENT = 1_000;

export function createIncidents(kept?: PackedIncidents) {
  const newest = createNewest(kept?.kept);
  const { known, add, again } = newest;
  const decisions = createDecisions(newest, kept?.decisions);
  const run = { ...(kept?.run ?? { epoch: 0, model: "", isOut: false }) };
  const resent = new Set(kept?.resent);
  const see = (event: Event, incidentOf: () => Incident): void => {
    if (event.kind === "opened") {
      if (run.epoch !== 0 && event.epoch !== run.epoch) add("start", incidentOf());
      run.epoch = event.epoch;
    } else if (event.kind === "prompted") run.model = event.model;
    else if (event.kind === "decision" || event.kind === "summary") run.isOut = false;
    else if (event.kind === "refused") {
      if (run.isOut) again("outage", incidentOf());
      else add("outage", { ...incidentOf(), text: `${run.model}: ${refusalIn(event)}` });
      run.isOut = true;
    } else if (event.kind === "notice") {
      const { dead } = fieldsOf(event.reason === "resent" ? event.details : undefined);
      if (typeof dead === "string") resent.add(dead);
      if (resent.size > MOST_RESENT) resent.delete([...resent][0]!);
      const told = toldBy(event, incidentOf());
      if (told) add(...told);
    }
  };
  return {
    incidents: {
      ...known,
      resent: resent as ReadonlySet<string>,
    } satisfies Incidents,
    see(event: Event, { root, course, latest, atMs: ownMs }: SeenWith): void {
      // What stands before it is another agent's past.
      if (event.kind === "branch" && event.origin !== undefined)
        for (const part of [newest, decisions, resent]) part.clear();
      const { seq, at } = event;
      const atMs = ownMs || latest;
      const incidentOf = (): Incident => {
        const cause = root === undefined ? {} : { cause: root };
        return { seq, at, ms: Math.max(latest, atMs), ...cause, text: "" };
      };
      if (latest - atMs > UNSAID_MS) add("clock", { ...incidentOf(), until: new Date(latest).toISOString() });
      decisions.see(event, incidentOf, course);
      see(event, incidentOf);
    },
    pack: (): PackedIncidents => ({
      ...{ kept: newest.pack(), run: { ...run } },
      ...{ decisions: decisions.pack(), resent: [...resent] },
    }),
  };
}

/** What a notice tells that stands out. */
function toldBy(
  event: EventOf<"notice">,
  incident: Incident,
): readonly ["gap" | "park" | "restart" | "dead", Incident] | undefined {
  const { reason, content: text, details } = event;
  if (reason === "gap") {
    const lost = lostIn(event).reduce((sum, [first, last]) => sum + last - first + 1, 0);
    return ["gap", { ...incident, count: Math.max(1, lost) }];
  }
  if (reason === "halted" || reason.startsWith("parked")) return ["park", { ...incident, text }];
  if (isLoss(event) || details === "again") return ["restart", { ...incident, text }];
  const dead = reason === "undeliverable" ? deadIn(event, incident) : undefined;
  return dead && ["dead", dead];
}

function refusalIn({ status }: EventOf<"refused">): string {
  return status === undefined ? "no connection" : `HTTP ${status}`;
}

/** `undefined`: earlier versions kept no message. */
function deadIn(event: EventOf<"notice">, incident: Incident): Incident | undefined {
  const { why, id, root } = undeliveredIn(event);
  const { message } = fieldsOf(event.details);
  const { targetAgentIds, content } = fieldsOf(message);
  if (typeof content !== "string" || !Array.isArray(targetAgentIds)) return undefined;
  const to = isMessageId(id) ? [parseMessageId(id).to] : targetAgentIds.map(String);
  const told = id === root ? firstOf(message as Message) : undefined;
  const first = firstSchema.safeParse(told).data;
  return { ...incident, text: why, mail: { id, root, to, ...(first && { first }) } };
}

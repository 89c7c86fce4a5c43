// What one agent adds to a report, as its digest tells: of all that is recorded it is small enough to be kept for many agents.

import { z } from "zod";
import type { AgentId } from "../../domain/message/message.ts";
import { addCharge, chargeRowSchema, NO_CHARGE, toRow } from "../../past/digest/charges/charge.ts";
import { firstSchema } from "../../past/digest/charges/charges.ts";
import type { Digest } from "../../past/digest/digest.ts";
import { deadMailSchema, incidentsOf } from "../../past/digest/incidents/incident.ts";
import { deadLetterId } from "../../past/mail/dead-letters.ts";
import type { DigestExcerpt } from "../../storage/contract/digests/excerpt.ts";
import { deedsOf, deedsSchema, timeOf } from "./deeds.ts";
import { ODD_IN_LOGS, oddIn, oddSchema } from "./odd.ts";
import { MOST_LINES } from "./report.ts";

/** Mail that nobody could act on, and that its sender's log does not have as sent again. */
const deadSchema = z.object({
  /** As `legion resend` takes it. */
  id: z.string(),
  /** ISO 8601, as it is recorded. */
  at: z.string(),
  /** As of an incident. */
  ms: z.number(),
  text: z.string(),
  mail: deadMailSchema,
});

/** What it did, and what was odd, in the time that is told of. */
const inTimeSchema = z.object({
  charge: chargeRowSchema,
  odd: z.array(oddSchema).readonly(),
  deeds: deedsSchema,
});

const partSchema = z.object({
  /** Why it stands still, in the words of its log. */
  halt: z.string().optional(),
  /** Of what it was shown nothing is left to do. */
  isDone: z.boolean(),
  /** The first message of the newest that it was shown. */
  root: z.string().optional(),
  firsts: z.array(firstSchema).readonly(),
  causes: z.array(z.tuple([z.string(), chargeRowSchema])).readonly(),
  dead: z.array(deadSchema).readonly(),
  /** Of dead mail only the newest is known. */
  isDeadCut: z.boolean(),
  inTime: inTimeSchema,
});

export type DeadInLog = z.output<typeof deadSchema>;
export type AgentPart = z.output<typeof partSchema>;
type InTime = AgentPart["inTime"];

/** @param most of changes and commands so many lines are told */
export function partOf(agent: AgentId, digest: Digest, sinceMs: number, most: number): AgentPart {
  const { conversation, root, charges, incidents } = digest;
  const dead = incidentsOf(incidents, "dead").flatMap(({ seq, at, ms, text, mail }) => {
    const id = deadLetterId({ agent, seq });
    return mail && !incidents.resent.has(id) ? [{ id, at, ms, text, mail }] : [];
  });
  return {
    ...(conversation.halt && { halt: conversation.halt.content }),
    ...{ isDone: conversation.isDone, ...(root !== undefined && { root }) },
    firsts: [...charges.firsts.values()],
    causes: [...charges.causes].flatMap(([id, { charge }]) =>
      id === undefined ? [] : [[id, toRow(charge)] as [string, number[]]],
    ),
    ...{ dead, isDeadCut: incidents.cut.has("dead") },
    inTime: inTimeOf(digest, sinceMs, most),
  };
}

const MINUTE_MS = 60_000;

function inTimeOf(digest: Digest, sinceMs: number, most: number): InTime {
  const { charges, incidents } = digest;
  const spans = charges.spans.filter(({ at, minutes }) => Date.parse(at) + minutes * MINUTE_MS > sinceMs);
  const charge = spans.map((span) => span.charge).reduce(addCharge, NO_CHARGE);
  return { charge: toRow(charge), odd: oddIn(incidents, sinceMs), deeds: deedsOf(digest, sinceMs, most) };
}

const wholeSchema = z.object({
  part: partSchema,
  /** When the first and the last of what is in time was, in milliseconds since 1970; null: there is nothing. */
  times: z.tuple([z.number(), z.number()]).nullable(),
});

/** What all that is recorded of an agent adds, whatever is told of it. */
export type WholePart = z.output<typeof wholeSchema>;

export const wholePart: DigestExcerpt<WholePart> = {
  name: "report",
  version: 1,
  schema: wholeSchema,
  of: (agent, digest) => ({ part: partOf(agent, digest, -Infinity, MOST_LINES), times: timesOf(digest) }),
};

const NOTHING: InTime = {
  charge: toRow(NO_CHARGE),
  odd: [],
  deeds: {
    files: { items: [], total: 0, isMore: false },
    commands: { items: [], total: 0, isMore: false },
    causes: [],
  },
};

/** The part of a time that the whole of it was in, or nothing; `undefined`: only the digest tells. */
export function partSince({ part, times }: WholePart, sinceMs: number, most: number): AgentPart | undefined {
  if (times && sinceMs > times[1]) return { ...part, inTime: NOTHING };
  return most <= MOST_LINES && !(times && sinceMs > times[0]) ? part : undefined;
}

/** Of all that a time is asked of. */
function timesOf({ charges, changes, incidents }: Digest): WholePart["times"] {
  const back = incidentsOf(incidents, "clock");
  let [first, last] = [Infinity, -Infinity];
  const see = (ms: number): void => {
    first = Math.min(first, ms);
    last = Math.max(last, ms);
  };
  for (const { at, minutes } of charges.spans) {
    see(Date.parse(at));
    see(Date.parse(at) + minutes * MINUTE_MS);
  }
  for (const change of changes) see(timeOf(change, back));
  for (const kind of [...ODD_IN_LOGS, "command"] as const) {
    for (const { ms } of incidentsOf(incidents, kind)) see(ms);
    const cutMs = incidents.cut.get(kind);
    if (cutMs !== undefined) see(cutMs);
  }
  return first <= last ? [first, last] : null;
}

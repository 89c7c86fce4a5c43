// What stands out in a log: of each kind the newest, and since when there were more than that.

import { z } from "zod";
import { firstSchema } from "../charges/charges.ts";

/**
 * `start`: a process took the agent up again. `restart`: it began anew within one. `outage`: model calls were refused, one after the
 * other. `gap`: events are gone. `clock`: its clock went back. `park`: it was stopped, by itself or at a limit. `loop`: decisions of which
 * each call came to the same as at least twice before. `failed`: decisions in a row that failed. `dead`: mail that nobody could act on.
 * `command`: one was run; what it did to files no log tells.
 */
export const INCIDENT_KINDS = [
  ...["start", "restart", "outage", "gap", "clock", "park", "loop", "failed", "dead", "command"],
] as const;

export type IncidentKind = (typeof INCIDENT_KINDS)[number];

/** Of dead mail: its id, its first message, who should have had it, and what it was if it is a first one. */
export const deadMailSchema = z.object({
  ...{ id: z.string(), root: z.string(), to: z.array(z.string()), first: firstSchema.optional() },
});

const incidentSchema = z.object({
  seq: z.int(),
  /** ISO 8601, as it is recorded. */
  at: z.string(),
  /** In milliseconds since 1970, and no earlier than anything before it in its log. */
  ms: z.number(),
  /** Of several in a row the last one, ISO 8601. */
  until: z.string().optional(),
  /** How many there were in a row, or how much was lost; absent: one. */
  count: z.int().optional(),
  /** The first message that it was done for. */
  cause: z.string().optional(),
  /** In the words of the log, cut; of a command its first line. */
  text: z.string(),
  /** What came of a command. */
  outcome: z.enum(["ok", "error", "idle", "interrupted"]).optional(),
  exit: z.int().optional(),
  /** What of a command is known that it changed; absent: nobody looked. */
  changed: z
    .object({ files: z.int(), isShared: z.literal(true).optional(), unknown: z.string().optional() })
    .optional(),
  mail: deadMailSchema.optional(),
});

export type Incident = z.output<typeof incidentSchema>;

export const keptSchema = z.object({
  newest: z.array(z.tuple([z.enum(INCIDENT_KINDS), z.array(incidentSchema)])),
  cut: z.array(z.tuple([z.enum(INCIDENT_KINDS), z.number()])),
});

export interface KnownIncidents {
  /** Oldest first; absent: there never was one of the kind. */
  readonly newest: ReadonlyMap<IncidentKind, readonly Incident[]>;
  /** The time of the newest that is not kept, in milliseconds since 1970; absent: all are. */
  readonly cut: ReadonlyMap<IncidentKind, number>;
}

/** Oldest first. */
export function incidentsOf({ newest }: KnownIncidents, kind: IncidentKind): readonly Incident[] {
  return newest.get(kind) ?? [];
}

/** Are there more of a kind than are kept, since then? In milliseconds since 1970; -Infinity: ever. */
export function areMore({ cut }: KnownIncidents, kind: IncidentKind, sinceMs: number): boolean {
  const newestMs = cut.get(kind);
  return newestMs !== undefined && newestMs >= sinceMs;
}

/** Of each kind in one log. */
export const MOST_INCIDENTS = 200;
const MOST_CHARS = 300;

export type NewestIncidents = ReturnType<typeof createNewest>;

export function createNewest(kept?: z.output<typeof keptSchema>) {
  const newest = new Map<IncidentKind, Incident[]>(kept?.newest);
  const cut = new Map(kept?.cut);
  const listOf = (kind: IncidentKind): Incident[] => {
    const list = newest.get(kind) ?? [];
    newest.set(kind, list);
    return list;
  };
  const known: KnownIncidents = { newest, cut };
  return {
    known,
    add(kind: IncidentKind, incident: Incident): void {
      const list = listOf(kind);
      list.push({ ...incident, text: incident.text.slice(0, MOST_CHARS) });
      if (list.length > MOST_INCIDENTS) cut.set(kind, list.shift()!.ms);
    },
    /** One more of the same as the newest. */
    again(kind: IncidentKind, { at, ms }: Pick<Incident, "at" | "ms">): void {
      const list = listOf(kind);
      const last = list.pop();
      if (last) list.push({ ...last, ms, until: at, count: (last.count ?? 1) + 1 });
    },
    clear(): void {
      newest.clear();
      cut.clear();
    },
    pack: (): z.output<typeof keptSchema> => ({
      newest: [...newest].map(([kind, list]) => [kind, [...list]]),
      cut: [...cut],
    }),
  };
}

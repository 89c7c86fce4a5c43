// What was not as it should be, the same of several agents in one line.

import { z } from "zod";
import { formatDuration } from "../../base/text/duration.ts";
import { count as counted } from "../../base/text/wording.ts";
import { describeKnot, type Knot } from "../../domain/message/knot.ts";
import type { AgentId, Message } from "../../domain/message/message.ts";
import {
  areMore,
  incidentsOf,
  type Incident,
  type KnownIncidents,
} from "../../past/digest/incidents/incident.ts";
import type { AgentStatus } from "../status.ts";
import { ODD_KINDS, type OddKind, type ReportOdd } from "./report.ts";

/** Kinds of which the log itself says why. */
const IN_ITS_WORDS: readonly OddKind[] = ["outage", "restart", "park"];
export const ODD_IN_LOGS = [
  ...["gap", "clock", "outage", "start", "restart", "park", "loop", "failed"],
] as const;

/** The same that happened in one log, however often. */
export const oddSchema = z.object({
  kind: z.enum(ODD_IN_LOGS),
  text: z.string(),
  count: z.int(),
  /** There were more than the digest keeps. */
  isMore: z.boolean(),
  /** ISO 8601. */
  ...{ at: z.string(), until: z.string() },
  /** The furthest that a clock went back, in milliseconds. */
  backMs: z.number(),
  /** The newest that its agent was stopped: it may still be. */
  isLastPark: z.literal(true).optional(),
});

type OddInLog = z.output<typeof oddSchema>;

export function oddIn(incidents: KnownIncidents, sinceMs: number): readonly OddInLog[] {
  return ODD_IN_LOGS.flatMap((kind) => {
    const sums = new Map<string, OddInLog>();
    const isMore = areMore(incidents, kind, sinceMs);
    const found = incidentsOf(incidents, kind).filter(({ ms }) => ms >= sinceMs);
    const last = kind === "park" ? found.pop() : undefined;
    for (const incident of found) {
      const one = { ...toOdd(kind, incident), isMore };
      const sum = sums.get(one.text);
      sums.set(one.text, sum ? { ...sum, ...added(sum, one) } : one);
    }
    return [...sums.values(), ...(last ? [{ ...toOdd(kind, last), isMore, isLastPark: true as const }] : [])];
  });
}

function toOdd(kind: OddInLog["kind"], { at, until = at, count = 1, text }: Incident) {
  const isBack = kind === "clock";
  return {
    ...{ kind, text: IN_ITS_WORDS.includes(kind) ? text : "", count },
    // Of a clock, until is what it had shown before.
    ...{ at, until: isBack ? at : until, backMs: isBack ? Date.parse(until) - Date.parse(at) : 0 },
  };
}

type OddTimes = Pick<OddInLog, "count" | "isMore" | "at" | "until" | "backMs">;

function added(a: OddTimes, b: OddTimes): OddTimes {
  return {
    ...{ count: a.count + b.count, isMore: a.isMore || b.isMore },
    ...{ at: a.at < b.at ? a.at : b.at, until: a.until > b.until ? a.until : b.until },
    backMs: Math.max(a.backMs, b.backMs),
  };
}

interface OddSum extends OddTimes {
  readonly kind: OddKind;
  readonly text: string;
  readonly agents: Set<AgentId>;
}

export function createOdd() {
  const sums = new Map<string, OddSum>();
  const add = (
    kind: OddKind,
    whose: readonly AgentId[],
    { text, ...times }: OddTimes & Pick<OddSum, "text">,
  ): void => {
    const key = `${kind} ${text}`;
    const sum = sums.get(key);
    const agents = sum?.agents ?? new Set();
    for (const agent of whose) agents.add(agent);
    sums.set(key, { kind, text, agents, ...(sum ? added(sum, times) : times) });
  };
  return {
    add(agent: AgentId, odd: readonly OddInLog[], status: AgentStatus | undefined): void {
      // Where it stands still, that is what waits for the person.
      const isStill = status?.state === "parked" || status?.state === "halted";
      for (const { kind, isLastPark, ...one } of odd) if (!(isStill && isLastPark)) add(kind, [agent], one);
    },
    addKnot(knot: Knot): void {
      add("knot", knot.agents, { ...UNTIMED, count: 1, text: describeKnot(knot) });
    },
    addUnread(agent: AgentId, reason: string): void {
      add("damage", [agent], { ...UNTIMED, text: reason });
    },
    /** What is in its mailbox, and it does not take in. */
    addUntaken(agent: AgentId, mail: readonly Pick<Message, "sentAt">[]): void {
      for (const { sentAt } of mail)
        add("untaken", [agent], { ...UNTIMED, count: 1, text: "", at: sentAt, until: sentAt });
    },
    /** In the order in which they are told. */
    all: (): readonly ReportOdd[] =>
      [...sums.values()].sort(byKind).map((sum) => ({
        ...{ kind: sum.kind, text: wordsOf(sum), isMore: sum.isMore, agents: [...sum.agents] },
        count: sum.count,
        ...{ at: sum.at || null, until: sum.until || null, way: wayOf(sum) },
      })),
  };
}

const UNTIMED: OddTimes = { count: 0, isMore: false, at: "", until: "", backMs: 0 };

function byKind(a: OddSum, b: OddSum): number {
  return ODD_KINDS.indexOf(a.kind) - ODD_KINDS.indexOf(b.kind) || b.count - a.count;
}

function wordsOf({ kind, text, count, agents, isMore, backMs }: OddSum): string {
  const many = (noun: string): string => `${isMore ? "at least " : ""}${counted(count, noun)}`;
  const times = count > agents.size ? ` (${isMore ? "at least " : ""}${counted(count, "time")})` : "";
  switch (kind) {
    case "damage":
      return `cannot be read: ${text}`;
    case "gap":
      return `${many("event")} damaged or gone`;
    case "clock":
      return `the clock went back, by up to ${formatDuration(backMs)}: times are as they were recorded`;
    case "outage":
      return `${text}, ${many("call")} refused`;
    case "knot":
      return text;
    case "start":
      return `taken up again by a new process${times}`;
    case "restart":
    case "park":
      return text + times;
    case "loop":
      return `${many("decision")} in a circle: the same calls with the same results`;
    case "failed":
      return `${many("decision")} failed`;
    case "untaken":
      return `${many("message")} that nobody took in`;
  }
}

function wayOf({ kind, agents }: OddSum): string {
  if (kind === "knot") return `legion send ${[...agents][0]} "..."`;
  if (kind === "damage") return "legion doctor";
  if (kind === "untaken") return "legion ps";
  return agents.size <= 3 ? `legion log ${[...agents].join()}` : "legion log all";
}

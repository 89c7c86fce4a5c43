// What was not as it should be, the same of several agents in one line.

import { formatDuration } from "../../base/text/duration.ts";
import { count as counted } from "../../base/text/wording.ts";
import type { AgentId, Message } from "../../domain/message/message.ts";
import type { Digest } from "../../past/digest/digest.ts";
import { areMore, incidentsOf, type Incident } from "../../past/digest/incidents/incident.ts";
import { describeKnot, type Knot } from "../../domain/message/knot.ts";
import type { AgentStatus } from "../status.ts";
import { ODD_KINDS, type OddKind, type ReportOdd } from "./report.ts";

interface OddSum {
  readonly kind: OddKind;
  readonly text: string;
  readonly agents: Set<AgentId>;
  count: number;
  isMore: boolean;
  at: string;
  until: string;
  /** The furthest that a clock went back, in milliseconds. */
  backMs: number;
}

/** Kinds of which the log itself says why. */
const IN_ITS_WORDS: readonly OddKind[] = ["outage", "restart", "park"];
const FROM_LOGS = ["gap", "clock", "outage", "start", "restart", "park", "loop", "failed"] as const;

export function createOdd(sinceMs: number) {
  const sums = new Map<string, OddSum>();
  const sumOf = (kind: OddKind, text: string, at: string): OddSum => {
    const key = `${kind} ${text}`;
    const sum = sums.get(key) ?? {
      ...{ kind, text, agents: new Set<AgentId>() },
      ...{ count: 0, isMore: false, at, until: at, backMs: 0 },
    };
    sums.set(key, sum);
    if (at < sum.at) sum.at = at;
    return sum;
  };
  const add = (kind: (typeof FROM_LOGS)[number], agent: AgentId, incident: Incident): OddSum => {
    const { at, until = at, count = 1, text } = incident;
    const sum = sumOf(kind, IN_ITS_WORDS.includes(kind) ? text : "", at);
    sum.agents.add(agent);
    sum.count += count;
    if (kind === "clock") sum.backMs = Math.max(sum.backMs, Date.parse(until) - Date.parse(at));
    else if (until > sum.until) sum.until = until;
    return sum;
  };
  return {
    add(agent: AgentId, { incidents }: Pick<Digest, "incidents">, status: AgentStatus | undefined): void {
      for (const kind of FROM_LOGS) {
        const found = incidentsOf(incidents, kind).filter(({ ms }) => ms >= sinceMs);
        // Where it stands still, that is what waits for the person.
        const isStill = kind === "park" && (status?.state === "parked" || status?.state === "halted");
        for (const incident of isStill ? found.slice(0, -1) : found) {
          const sum = add(kind, agent, incident);
          sum.isMore ||= areMore(incidents, kind, sinceMs);
        }
      }
    },
    addKnot(knot: Knot): void {
      const sum = sumOf("knot", describeKnot(knot), "");
      sum.count = 1;
      for (const agent of knot.agents) sum.agents.add(agent);
    },
    addUnread(agent: AgentId, reason: string): void {
      sumOf("damage", reason, "").agents.add(agent);
    },
    /** What is in its mailbox, and it does not take in. */
    addUntaken(agent: AgentId, mail: readonly Pick<Message, "sentAt">[]): void {
      for (const { sentAt } of mail) {
        const sum = sumOf("untaken", "", sentAt);
        sum.agents.add(agent);
        sum.count++;
        if (sentAt > sum.until) sum.until = sentAt;
      }
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

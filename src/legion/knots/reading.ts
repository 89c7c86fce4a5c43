// Which knots there are, read from how the agents of a legion stand. Whoever reads one after the other sees no moment: so it is done
// twice.
//
//   W8. What stands at the same place of its log and has no mail at two readings stood so in between, all of it at once. Mail that is on
//       its way is looked for at its senders before it is looked for in mailboxes.

import type { Knot } from "../../domain/message/knot.ts";
import { CONTROL, type AgentId } from "../../domain/message/message.ts";
import type { Ledger } from "../../past/ledger.ts";
import type { Send } from "../../past/mail/sends.ts";
import type { Waiting } from "../../past/waiting/waiting.ts";
import { knotsAmong, type KnotStanding } from "./knots.ts";

/** An agent at one moment. */
export interface AgentReading {
  readonly isAtRest: boolean;
  readonly waiting: Pick<Waiting, "asked">;
  readonly ledger: Pick<Ledger, "last" | "seen" | "taken">;
  /** Not known to be delivered. */
  readonly undelivered: readonly Pick<Send, "from" | "to" | "n">[];
}

export interface KnotSource {
  /** Every agent, Control not. */
  known(): Promise<readonly AgentId[]>;
  /** Control's, too. `undefined`: it cannot be read. */
  read(agent: AgentId): Promise<AgentReading | undefined>;
  /** Has it mail that it has not taken in? */
  hasMail(agent: AgentId, reading: AgentReading): Promise<boolean>;
}

/** So many agents are read at once. */
const AT_ONCE = 32;
/** What is noted of mail that has arrived moves a log for once. */
const TRIES = 3;

/**
 * The knots of the whole legion. Rejects where it cannot be read.
 *
 * @param between called at the moment of which it is told
 */
export async function readKnots(
  source: KnotSource,
  between: () => void = () => undefined,
): Promise<readonly Knot[]> {
  for (let tries = 1; ; tries++) {
    const known = await source.known();
    const first = await readAll([...known, CONTROL], source);
    const knots = knotsAmong(standingsOf(known, first));
    if (knots.length === 0) return [];
    between();
    const members = knots.flatMap(({ agents }) => agents);
    const awaiting = sendsTo(new Set(members), await readAll([...known, CONTROL], source), first);
    const hasMail = await Promise.all(members.map((id) => source.hasMail(id, first.get(id)!)));
    for (const [index, id] of members.entries()) if (hasMail[index]) awaiting.add(id);
    // After its mailbox: what was in there and is no more has moved its log.
    const second = await readAll(members, source);
    const isStill = (id: AgentId): boolean => {
      const { isAtRest, ledger } = second.get(id) ?? {};
      return isAtRest === true && ledger?.last === first.get(id)!.ledger.last;
    };
    if (tries === TRIES || members.every(isStill))
      return knots.filter(({ agents }) => !agents.some((id) => awaiting.has(id) || !isStill(id)));
  }
}

/** The same, as far as is seen without looking at anybody but `agents` and those that they wait for, directly or not. */
export async function glimpseKnots(
  agents: Iterable<AgentId>,
  source: Pick<KnotSource, "read">,
): Promise<readonly Knot[]> {
  const readings = new Map<AgentId, AgentReading>();
  const reached = new Set(agents);
  for (const id of reached) {
    const reading = id === CONTROL ? undefined : await source.read(id);
    if (!reading?.isAtRest) continue;
    readings.set(id, reading);
    for (const { to } of reading.waiting.asked.values()) reached.add(to);
  }
  return knotsAmong(standingsOf(reached, readings));
}

type AgentReadings = ReadonlyMap<AgentId, AgentReading>;

async function readAll(ids: readonly AgentId[], { read }: Pick<KnotSource, "read">): Promise<AgentReadings> {
  const readings = new Map<AgentId, AgentReading>();
  const left = ids.values();
  const readOn = async (): Promise<void> => {
    for (const id of left) {
      const reading = await read(id);
      if (reading) readings.set(id, reading);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, readOn));
  return readings;
}

/** Whoever is not read is held up by nothing. A person who has spoken since knows of what was open then. */
function standingsOf(ids: Iterable<AgentId>, readings: AgentReadings): readonly KnotStanding[] {
  return [...ids].map((id) => {
    const { isAtRest = false, waiting } = readings.get(id) ?? {};
    const requests = [...(waiting?.asked ?? [])];
    const isHeldUp = isAtRest && requests.some(([, { isUntied }]) => !isUntied);
    return { id, isHeldUp, waits: new Map(requests.map(([open, { to }]) => [open, to])) };
  });
}

/** Those of `members` that something is under way to: what its sender does not know to be delivered, and they have not taken in. */
function sendsTo(members: ReadonlySet<AgentId>, senders: AgentReadings, taken: AgentReadings): Set<AgentId> {
  const awaited = new Set<AgentId>();
  for (const { undelivered } of senders.values())
    for (const { from, to, n } of undelivered)
      if (members.has(to) && n > (taken.get(to)!.ledger.seen.get(from) ?? 0)) awaited.add(to);
  return awaited;
}

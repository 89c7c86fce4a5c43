// Which knots there are, read from how the agents of a legion stand. Whoever reads one after the other sees no moment: so it is done
// twice.
//
//   W8. What stands at the same place of its log and has no mail at two readings stood so in between, all of it at once. Mail that is on
//       its way is looked for at its senders before it is looked for in mailboxes.

import { CONTROL, type AgentId } from "../../domain/message/message.ts";
import type { Ledger } from "../../past/ledger.ts";
import type { Send } from "../../past/mail/sends.ts";
import type { Waiting } from "../../past/waiting/waiting.ts";
import { knotsAmong, type Knot, type KnotStanding } from "./knots.ts";

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
    const members = knotsAmong(standingsOf(known, first)).flatMap(({ agents }) => agents);
    if (members.length === 0) return [];
    between();
    const onTheirWay = sendsTo(new Set(members), await readAll([...known, CONTROL], source), first);
    const second = await readAll(members, source);
    const isDifferent = (id: AgentId): boolean => first.get(id)!.ledger.last !== second.get(id)?.ledger.last;
    const mail = await Promise.all(members.map((id) => source.hasMail(id, first.get(id)!)));
    const still = new Map(
      members
        .filter((id, index) => !mail[index] && !onTheirWay.has(id) && !isDifferent(id))
        .map((id) => [id, first.get(id)!]),
    );
    if (tries === TRIES || !members.some(isDifferent)) return knotsAmong(standingsOf(known, still));
  }
}

/** May `agents` be of a knot, as far as is seen without looking at anybody but those that they wait for, directly or not? */
export async function mayBeTied(
  agents: Iterable<AgentId>,
  source: Pick<KnotSource, "read">,
): Promise<boolean> {
  const readings = new Map<AgentId, AgentReading>();
  const reached = new Set(agents);
  for (const id of reached) {
    const reading = id === CONTROL ? undefined : await source.read(id);
    if (!reading?.isAtRest) continue;
    readings.set(id, reading);
    for (const to of standingOf(id, reading).waits.values()) reached.add(to);
  }
  return knotsAmong(standingsOf(readings.keys(), readings)).length > 0;
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

function standingsOf(ids: Iterable<AgentId>, readings: AgentReadings): readonly KnotStanding[] {
  return [...ids].flatMap((id) => {
    const reading = readings.get(id);
    return reading ? [standingOf(id, reading)] : [];
  });
}

/** What a person spoke into ties nobody. */
function standingOf(id: AgentId, { isAtRest, waiting }: AgentReading): KnotStanding {
  const tied = [...waiting.asked].filter(([, { isUntied }]) => !isUntied);
  return { id, isAtRest, waits: new Map(tied.map(([open, { to }]) => [open, to])) };
}

/** Those of `members` that something is under way to: what its sender does not know to be delivered, and they have not taken in. */
function sendsTo(
  members: ReadonlySet<AgentId>,
  senders: AgentReadings,
  taken: AgentReadings,
): ReadonlySet<AgentId> {
  const awaited = new Set<AgentId>();
  for (const { undelivered } of senders.values())
    for (const { from, to, n } of undelivered)
      if (members.has(to) && n > (taken.get(to)!.ledger.seen.get(from) ?? 0)) awaited.add(to);
  return awaited;
}

// From where on a log is observed: one that was there before, from now on, or from its beginning where that is wanted; one that
// began later, from its beginning. Where it is not the log that it was, or has lost its end, or a pair is to be read in another
// one, it is read again: messages have numbers. Of a log in which nothing was heard yet nobody can say that it lost its end and has
// grown as far again.

import type { ObservedEvent } from "../../domain/event/observed.ts";
import type { AgentId, LogId } from "../../domain/message/message.ts";
import { keyOf, type ObservedMarks, type ObservedPlace } from "../../past/observed/marks.ts";
import { saidIn } from "../../past/observed/said.ts";
import { beginningOf, joining, unlessUnreadable, type LogStart, type Observation } from "./reading.ts";

const NOT_BEGUN = { root: "", log: "", seq: 0 } as const;

/** Did a log that is not known yet, of this agent, begin at that time when it was to be observed already? */
type IsLater = (atMs: number, agent: AgentId) => boolean;

/** @param beganMs when the observer's own log did */
export function createJoining(observation: Observation, marks: ObservedMarks, beganMs: number) {
  const { places } = marks;
  /** Whose places are known to be in the logs that there are. */
  const checked = new Set<AgentId>();
  /** Whose logs could not be read when that was tried last. */
  const unread = new Set<AgentId>();
  /** Those that were there as it began, as far as is known. */
  const early = new Set<AgentId>();
  const wasThere = (atMs: number): boolean => observation.observe !== "all" || atMs <= beganMs;
  const joinAll = async (
    agents: readonly AgentId[],
    all: readonly AgentId[],
    isLater: IsLater,
  ): Promise<readonly ObservedEvent[]> => {
    const events: ObservedEvent[] = [];
    for (const agent of agents) {
      const place = places.get(agent);
      const joined = place
        ? again(observation, { agent, place, isMoved: isMoved(marks, all, agent) })
        : first(observation, agent, isLater);
      const at = await joined.catch(unlessUnreadable);
      if (at === "unreadable") unread.add(agent);
      else {
        unread.delete(agent);
        checked.add(agent);
        if (at) events.push(joining(agent, at));
      }
    }
    return events;
  };
  return {
    unread,
    /** What has to be said of the logs of `agents`, who are all that there are, before any is read on; mostly nothing. */
    async begin(agents: readonly AgentId[]): Promise<readonly ObservedEvent[]> {
      for (const agent of agents) early.add(agent);
      return joinAll(agents, agents, (atMs) => !wasThere(atMs));
    },
    /** That log is not the one any more that was read. */
    doubt: (agent: AgentId): void => void checked.delete(agent),
    /** The same of those that came later, or began anew. */
    async goOn(agents: readonly AgentId[]): Promise<readonly ObservedEvent[]> {
      const unchecked = agents.filter((agent) => !checked.has(agent) || !places.get(agent)?.root);
      return joinAll(unchecked, unchecked, (atMs, agent) => !early.has(agent) || !wasThere(atMs));
    },
  };
}

async function first(observation: Observation, agent: AgentId, isLater: IsLater): Promise<LogStart> {
  const { reader, from } = observation;
  const beginning = await beginningOf(reader, agent);
  if (!beginning) return NOT_BEGUN;
  const { root, atMs } = beginning;
  const isWhole = from === "start" || isLater(atMs, agent);
  return isWhole ? { root, log: root, seq: 0 } : endOf(observation, agent, root);
}

async function endOf({ reader, safe }: Observation, agent: AgentId, root: LogId): Promise<LogStart> {
  const { log = root, last } = await reader.ledger(agent);
  return { root, log, seq: Math.min(last, safe(agent)) };
}

interface KnownLog {
  readonly agent: AgentId;
  readonly place: ObservedPlace;
  readonly isMoved: boolean;
}

async function again(
  observation: Observation,
  { agent, place, isMoved }: KnownLog,
): Promise<LogStart | undefined> {
  const { reader, from } = observation;
  const beginning = await beginningOf(reader, agent);
  if (!beginning) return place.root === "" ? undefined : NOT_BEGUN;
  const { root } = beginning;
  const isPassedOver = from === "start" && place.joined > 0;
  if (root !== place.root || isPassedOver) return { root, log: root, seq: 0 };
  const { joined, joinedLog, newest } = place;
  if (newest === undefined)
    return (await reader.last(agent)) < joined ? endOf(observation, agent, root) : undefined;
  const isLost = !(await isThere(reader, agent, { ...place, newest }));
  return isLost || isMoved ? { root, log: joinedLog, seq: joined } : undefined;
}

/** Does the log still say, where the observer stands, what was taken in there? */
async function isThere(
  reader: Observation["reader"],
  agent: AgentId,
  { log, seq, newest }: ObservedPlace & { readonly newest: string },
): Promise<boolean> {
  for await (const event of reader.events(agent, seq))
    return saidIn(event, { agent, log }).some(({ message, from }) => keyOf(message, from) === newest);
  return false;
}

/** Is a pair read in the log of `agent` that was read in another one? */
function isMoved({ readers }: ObservedMarks, agents: readonly AgentId[], agent: AgentId): boolean {
  for (const [thread, reader] of readers) {
    const two = thread.split(",");
    if (reader !== agent && two.includes(agent) && agents.find((one) => two.includes(one)) === agent)
      return true;
  }
  return false;
}

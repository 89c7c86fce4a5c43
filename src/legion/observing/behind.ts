// What was said and an observer has not taken in, found in the logs themselves: also of one that does not run. Nothing is
// written; that it would join a log first, as at a start, is only played.

import { isAgentId, type AgentId } from "../../domain/message/message.ts";
import { createObservedMarks, foldObserved, type ObservedMarks } from "../../past/observed/marks.ts";
import { createOrderedPlace } from "../../past/observed/orders.ts";
import type { Observe } from "../hosting/agent-plan.ts";
import { createJoining } from "./joining.ts";
import {
  createRoll,
  readEvents,
  startIn,
  startOfOrders,
  type Observation,
  type UnheardMessage,
} from "./reading.ts";

/** How many messages wait for an observer. */
export interface Behind {
  readonly messages: number;
  /** There may be more: so many were counted, or read without finding more. */
  readonly isCut: boolean;
}

const MOST_COUNTED = 10_000;
const MOST_READ = 200_000;

/** What the log of an observer has come to. */
interface ObserverStanding {
  readonly marks: ObservedMarks;
  readonly ordered: ReturnType<typeof createOrderedPlace>;
  last: number;
  /** When it began; absent: it has not. */
  beganMs?: number;
}

type Counted = Pick<Observation, "observer" | "observe" | "from">;

/** Counts for one observer after the other; again for the same one reads on in its log. One that never ran is behind nothing. */
export function createBehindCount(reader: Observation["reader"]): (counted: Counted) => Promise<Behind> {
  const standings = new Map<AgentId, ObserverStanding>();
  return async (counted) => {
    const { observer } = counted;
    const standing = await readStanding(reader, observer, standings.get(observer));
    standings.set(observer, standing);
    if (standing.beganMs === undefined) return { messages: 0, isCut: false };
    let messages = 0;
    let read = 0;
    for await (const unheard of unheardBy({ ...counted, reader, safe: () => Infinity }, standing)) {
      messages += unheard.length;
      if (messages >= MOST_COUNTED || ++read >= MOST_READ) return { messages, isCut: true };
    }
    return { messages, isCut: false };
  };
}

async function readStanding(
  reader: Observation["reader"],
  observer: AgentId,
  before?: ObserverStanding,
): Promise<ObserverStanding> {
  const isSame = before !== undefined && (await reader.last(observer)) >= before.last;
  const standing = isSame ? before : { marks: createObservedMarks(), ordered: createOrderedPlace(), last: 0 };
  for await (const event of reader.events(observer, standing.last + 1)) {
    standing.beganMs ??= Date.parse(event.at);
    standing.last = event.seq;
    foldObserved(standing.marks, event);
    standing.ordered.see(event);
  }
  return standing;
}

/** All that the observer would be given, in the order of each log. */
export async function* readUnheard(
  reader: Observation["reader"],
  counted: Counted,
): AsyncGenerator<UnheardMessage> {
  const standing = await readStanding(reader, counted.observer);
  for await (const unheard of unheardBy({ ...counted, reader, safe: () => Infinity }, standing))
    yield* unheard;
}

/** What the observer would be given, event by event, in the order of each log. */
async function* unheardBy(
  observation: Observation,
  { marks: now, ordered, beganMs = Infinity }: ObserverStanding,
): AsyncGenerator<readonly UnheardMessage[]> {
  const marks = { places: new Map(now.places), readers: new Map(now.readers), seen: new Map(now.seen) };
  const agents = await createRoll(observation)();
  for (const event of await createJoining(observation, marks, beganMs).begin(agents))
    foldObserved(marks, event);
  const { observer } = observation;
  for (const agent of [observer, ...agents]) {
    const place = marks.places.get(agent);
    // One whose log cannot be read waits for that.
    if (!place && agent !== observer) continue;
    const start = place ? startIn(place) : startOfOrders(ordered.place);
    for await (const { unheard } of readEvents(observation, marks, { agent, agents, start })) yield unheard;
  }
}

/** An agent that observes, and where it writes to. */
export interface KnownObserver {
  readonly id: AgentId;
  readonly observe: Observe;
  readonly memories: readonly string[];
}

/** Those among `agents`, as they were last started. */
export async function observersAmong(
  agents: readonly AgentId[],
  { record }: Pick<Observation["reader"], "record">,
): Promise<readonly KnownObserver[]> {
  const found = await Promise.all(
    agents.map(async (id): Promise<readonly KnownObserver[]> => {
      // One whose folder cannot be read is told of elsewhere.
      const known = await record(id).catch(() => undefined);
      const { director, observe, memories = [] } = known ?? {};
      if (director === undefined || observe === undefined) return [];
      // Anybody may have written a record.
      return [{ id, observe: observe === "all" ? observe : observe.filter(isAgentId), memories }];
    }),
  );
  return found.flat();
}

/** `12`, or `10,000+`. */
export function behindText({ messages, isCut }: Behind): string {
  return `${messages.toLocaleString("en")}${isCut ? "+" : ""}`;
}

/** As a program reads it. */
export function behindFields({ messages, isCut }: Behind) {
  return { behind: messages, ...(isCut && { behindIsMore: true }) };
}

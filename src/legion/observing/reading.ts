// Reads on in the logs that an agent observes, a little at a time: what is not taken in yet stays where it is.

import { isLegionError } from "../../base/errors.ts";
import type { Event } from "../../domain/event/event.ts";
import { orderIn } from "../../domain/event/invoking.ts";
import type { LogPlace, ObservedEvent } from "../../domain/event/observed.ts";
import {
  CONTROL,
  parseMessageId,
  type AgentId,
  type LogId,
  type Message,
} from "../../domain/message/message.ts";
import { sha256 } from "../../past/log/blobs.ts";
import { isSeen, type ObservedMarks, type ObservedPlace } from "../../past/observed/marks.ts";
import { ordersIn, type OrderedPlace } from "../../past/observed/orders.ts";
import { saidIn, threadOf, type SaidMessage } from "../../past/observed/said.ts";
import { byId, type Reader } from "../../storage/contract/reader.ts";
import type { Observe, ObservedFrom } from "../hosting/agent-plan.ts";

/** Whose logs are observed, and by whom. */
export interface Observation {
  readonly observer: AgentId;
  readonly observe: Observe;
  /** `start`: also what was said before it came. Absent: what it first finds is observed from now on. */
  readonly from?: ObservedFrom;
  readonly reader: Pick<Reader, "known" | "events" | "last" | "ledger" | "record">;
  /** The newest event of an agent's log that is safe there: no place may be ahead of it. */
  readonly safe: (agent: AgentId) => number;
}

/** A message that was not taken in. */
export interface UnheardMessage {
  readonly of: LogPlace;
  readonly from: LogId;
  readonly thread: string;
  readonly message: Message;
  /** When it came into that log, ISO 8601. */
  readonly at: string;
}

/** What was read on in a log. */
interface UnheardPart {
  readonly found: readonly UnheardMessage[];
  /** There may be more. */
  readonly isCut: boolean;
}

/** Whose log is read, and which are. */
interface Roll {
  readonly agent: AgentId;
  readonly agents: readonly AgentId[];
}

/** How far a log was read. */
interface ReadUpTo {
  readonly log: LogId;
  readonly seq: number;
  /** Of the event there. */
  readonly hash: string;
}

/** So many messages are read ahead, of all logs together; of each at least one. */
const MOST_AHEAD = 256;

/**
 * Tells which observed agents there are, in the order by which a pair belongs to the first of the two. Observers are not
 * observed.
 */
export function createRoll({ observer, observe, reader }: Observation): () => Promise<readonly AgentId[]> {
  const observers = new Map<AgentId, boolean>();
  return async () => {
    const known = await reader.known();
    for (const id of known)
      if (!observers.has(id)) {
        // One whose folder cannot be read is looked at again: its log says the same.
        const record = await reader.record(id).catch(() => undefined);
        if (record) observers.set(id, record.director !== undefined);
      }
    // One that is named is awaited where it is not there yet.
    const wanted = observe === "all" ? known.toSorted(byId) : observe;
    return wanted.filter((id) => id !== observer && id !== CONTROL && observers.get(id) !== true);
  };
}

/** One log that is damaged, or of a newer version, keeps back nothing that others say: it is looked at again. */
export function unlessUnreadable(error: unknown): "unreadable" {
  if (isLegionError(error, "DAMAGED") || isLegionError(error, "STORAGE")) return "unreadable";
  throw error;
}

/** Where the observation of a log begins. */
export type LogStart = Pick<ObservedPlace, "root" | "log" | "seq">;

/** An event that has the log of `agent` observed from behind event `seq` on. */
export function joining(agent: AgentId, { root, log, seq }: LogStart): ObservedEvent {
  return { kind: "observed", of: { agent, log, seq }, from: root, control: "observe", thread: "", n: 0 };
}

export interface LogBeginning {
  readonly root: LogId;
  readonly atMs: number;
}

/** How the log of `agent` begins; `undefined` where there is none yet. */
export async function beginningOf(
  reader: Observation["reader"],
  agent: AgentId,
): Promise<LogBeginning | undefined> {
  for await (const event of reader.events(agent))
    return event.kind === "opened" ? { root: event.log, atMs: Date.parse(event.at) } : undefined;
  return undefined;
}

/** From which event on a log is read, and the name that it has there. */
interface ReadingStart {
  readonly log: LogId;
  readonly from: number;
}

/** What one event says that was not taken in; mostly nothing. */
interface ReadEvent {
  readonly event: Event;
  /** The name of its log there. */
  readonly log: LogId;
  readonly unheard: readonly UnheardMessage[];
}

/** Reads on in a log, event by event, as far as it is safe. In the observer's own stands what is ordered. */
export async function* readEvents(
  { reader, safe, observer }: Pick<Observation, "reader" | "safe" | "observer">,
  marks: ObservedMarks,
  { agent, agents, start }: Roll & { readonly start: ReadingStart },
): AsyncGenerator<ReadEvent> {
  const last = safe(agent);
  let { log } = start;
  let at = "";
  const heardIn = (event: Event): readonly SaidMessage[] =>
    agent === observer
      ? ordersIn(event)
      : saidIn(event, { agent, log }).filter(({ message }) => isRead(message, { agent, agents, observer }));
  for await (const event of reader.events(agent, start.from)) {
    const { seq } = event;
    if (seq > last) return;
    if (event.kind === "opened") ({ log } = event);
    // Clocks are set back, and what one log has stays in its order.
    if (event.at > at) ({ at } = event);
    const unheard: UnheardMessage[] = [];
    for (const { message, from } of heardIn(event)) {
      if (isSeen(marks, message, from)) continue;
      const thread = orderIn(message)?.thread ?? threadOf(message);
      unheard.push({ of: { agent, log, seq }, from, thread, message, at });
    }
    yield { event, log, unheard };
  }
}

/** Where an observed log is read on. */
export function startIn({ log, seq, joined }: ObservedPlace): ReadingStart {
  return { log, from: Math.max(seq, joined + 1) };
}

/** Where the observer's own log is read. */
export function startOfOrders({ log, seq }: OrderedPlace): ReadingStart {
  return { log, from: seq };
}

/** @param ordered where the observer's own log is read on, for what is ordered there */
export function createReading(observation: Observation, marks: ObservedMarks, ordered: OrderedPlace) {
  const { observer } = observation;
  /** Which may be further than it was taken in. */
  const read = new Map<AgentId, ReadUpTo>();
  const startOf = (agent: AgentId): ReadingStart => {
    const before = read.get(agent);
    if (before) return { log: before.log, from: before.seq };
    return agent === observer ? startOfOrders(ordered) : startIn(marks.places.get(agent)!);
  };
  /** `other`: it is not the log any more that was read. */
  const readOn = async (agent: AgentId, agents: readonly AgentId[]): Promise<UnheardPart | "other"> => {
    const before = read.get(agent);
    const found: UnheardMessage[] = [];
    const most = Math.max(1, Math.floor(MOST_AHEAD / (agents.length + 1)));
    let newest: Omit<ReadEvent, "unheard"> | undefined;
    const start = startOf(agent);
    for await (const { event, log, unheard } of readEvents(observation, marks, { agent, agents, start })) {
      const isKnown = before !== undefined && newest === undefined;
      newest = { event, log };
      if (!isKnown) found.push(...unheard);
      else if (hashOf(event) !== before.hash) return "other";
      if (found.length >= most) break;
    }
    if (before && !newest) return "other";
    if (newest && newest.event.seq !== before?.seq)
      read.set(agent, { log: newest.log, seq: newest.event.seq, hash: hashOf(newest.event) });
    return { found, isCut: found.length >= most };
  };
  return {
    async readOn(agent: AgentId, agents: readonly AgentId[]): Promise<UnheardPart | "other" | "unreadable"> {
      return readOn(agent, agents).catch((error: unknown) => {
        // What was found there before it failed is to be found again.
        read.delete(agent);
        return unlessUnreadable(error);
      });
    },
    /** Reads anew from where the observer's log says that it stands. */
    forget: (agent: AgentId) => void read.delete(agent),
  };
}

function hashOf(event: Event): string {
  return sha256(JSON.stringify(event));
}

/** Is it read in the log of `agent`? A pair is read in one log only, and what is said to an observer in none. */
function isRead({ id }: Message, { agent, agents, observer }: Roll & Pick<Observation, "observer">): boolean {
  const { from, to } = parseMessageId(id);
  if (from === observer || to === observer) return false;
  return agents.find((one) => one === from || one === to) === agent;
}

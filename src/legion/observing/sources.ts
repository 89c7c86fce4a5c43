// What an agent observes, as its loop takes it in: one thing to do after the other. The logs are read; what is seen of them as
// they grow only says that there is something to read.

import { linkSignals } from "../../base/process/signals.ts";
import type { Clock } from "../../base/clock.ts";
import type { Inspector } from "../../domain/inspection.ts";
import { orderIn } from "../../domain/event/invoking.ts";
import type { ObservedEvent } from "../../domain/event/observed.ts";
import type { AgentId } from "../../domain/message/message.ts";
import type { Sources } from "../../mail/sources.ts";
import {
  controlOf,
  type Invocations,
  type OpenInvocation,
  type ThreadSession,
} from "../../past/observed/invocations.ts";
import { createObservedMarks, foldObserved, isSeen, type ObservedMarks } from "../../past/observed/marks.ts";
import { createOrderedPlace, ordersIn, type OrderedPlace } from "../../past/observed/orders.ts";
import { saidIn } from "../../past/observed/said.ts";
import type { Memory } from "../../past/past.ts";
import type { AgentPlace } from "../hosting/agent-plan.ts";
import type { Supervised } from "../supervision/supervisor.ts";
import { createJoining } from "./joining.ts";
import { createReading, createRoll, type Observation, type UnheardMessage } from "./reading.ts";

/** A session of a thread is over after so much silence. */
export const SILENCE_MS = 30 * 60_000;

/** How often is looked at a log that could not be read. */
const RETRY_MS = 10_000;

export interface ObservingPlace extends Observation {
  readonly memory: Memory;
  readonly clock: Clock;
  readonly inspector: Pick<Inspector, "watch">;
  /** How often is looked whether other processes wrote something; absent: there are none. */
  readonly lookMs?: number;
}

/** Opens what agents of a legion observe. `agents`: those that run in this process. */
export function observing({
  agents,
  ...place
}: Pick<ObservingPlace, "reader" | "clock" | "inspector" | "lookMs"> & {
  readonly agents: ReadonlyMap<AgentId, Pick<Supervised, "agent">>;
}): NonNullable<AgentPlace["sources"]> {
  const safe = (agent: AgentId): number => agents.get(agent)?.agent?.memory.ledger.last ?? Infinity;
  return (memory, observe, from) =>
    openSources({ ...place, memory, observe, from, safe, observer: memory.agent });
}

/** Joins the logs that there are: what is said there from now on is not missed. Rejects as `commit` of the memory does. */
export async function openSources(place: ObservingPlace): Promise<Sources> {
  const { memory, clock } = place;
  const marks = createObservedMarks();
  const ordered = createOrderedPlace();
  let beganMs: number | undefined;
  for await (const event of memory.read()) {
    beganMs ??= Date.parse(event.at);
    foldObserved(marks, event);
    ordered.see(event);
  }
  beganMs ??= clock.now();
  const backlog = createBacklog(place, { marks, beganMs, ordered: ordered.place });
  for (const event of await backlog.join()) await memory.commit(event).then(() => foldObserved(marks, event));
  const bell = watchLogs(place);
  const over = (): [string, ThreadSession] | undefined => {
    const { sessions, flushedMs } = memory.conversation.invocations;
    const isOver = ({ saidMs, n }: ThreadSession): boolean =>
      saidMs + SILENCE_MS <= clock.now() || (n > 0 && saidMs <= flushedMs);
    return [...sessions].find(([, session]) => isOver(session));
  };
  return {
    get waiting() {
      return backlog.size + Number(bell.hasRung() || over() !== undefined);
    },
    async next() {
      // Before it is looked: what comes meanwhile rings anew.
      const rung = backlog.size === 0 ? bell.answer() : undefined;
      if (rung && (await backlog.look(rung))) bell.ring("nobody new");
      const [first] = backlog.messages;
      if (backlog.joins[0]) return backlog.joins[0];
      const { invocations } = memory.conversation;
      const { open, sessions } = invocations;
      const last = first ? undefined : over();
      if (open) return first || last ? again(open, sessions.get(open.thread)!) : undefined;
      return first ? toDo(first, invocations) : last && ending(last[0], last[1].of);
    },
    taken(event) {
      foldObserved(marks, event);
      backlog.drop(event);
    },
    async wait(signal) {
      const { sessions } = memory.conversation.invocations;
      const silences = [...sessions.values()].map(({ saidMs }) => saidMs + SILENCE_MS - clock.now());
      const lookMs = place.lookMs ?? (backlog.isBlocked() ? RETRY_MS : undefined);
      const waitMs = Math.max(0, Math.min(...silences, lookMs ?? Infinity));
      const rung = new AbortController();
      const { signal: either, unlink } = linkSignals(signal, rung.signal);
      const timer = waitMs === Infinity ? [] : [clock.sleep(waitMs, either)];
      await Promise.race([bell.rung(either), ...timer]);
      rung.abort();
      unlink();
      if (lookMs !== undefined) bell.ring();
    },
    close: bell.close,
  };
}

/**
 * What comes of it next: a message is processed in its session, which is begun before, or ended where it had been silent too long, or a
 * person said so.
 */
export function toDo(
  { of, from, thread, message }: UnheardMessage,
  { sessions, flushedMs, flushedCount }: Invocations,
): ObservedEvent {
  const ordered = orderIn(message)?.control;
  if (ordered === "start_session" || ordered === "end_session")
    return { kind: "observed", of, from, control: ordered, thread, n: 0, message };
  const session = sessions.get(thread);
  if (!session) return { kind: "observed", of, from, control: "start_session", thread, n: 0 };
  const saidMs = Date.parse(message.sentAt);
  const isAfterSilence = saidMs - session.saidMs >= SILENCE_MS;
  const isAfterFlush = session.saidMs <= flushedMs && saidMs > flushedMs;
  // What it began with, and has before it, may have been forgotten since.
  const isFlushed = session.index < flushedCount;
  if (isFlushed || ((isAfterSilence || isAfterFlush) && session.n > 0)) return ending(thread, session.of);
  const n = session.n + 1;
  const control = ordered === "process_message_and_flush" ? ordered : controlOf(n);
  return { kind: "observed", of, from, control, thread, n, message };
}

/** What was stopped is done before anything else is taken in. */
function again({ control, thread, n }: OpenInvocation, { of }: ThreadSession): ObservedEvent {
  return { kind: "observed", of, from: of.log, control, thread, n };
}

/** The session of the thread is over; `of`: where its newest message was read. */
export function ending(thread: string, of: ObservedEvent["of"]): ObservedEvent {
  return { kind: "observed", of, from: of.log, control: "end_session", thread, n: 0 };
}

/** What an observer's own log says when it is opened. */
interface ObserverPast {
  readonly marks: ObservedMarks;
  readonly ordered: OrderedPlace;
  readonly beganMs: number;
}

/** What is known to wait: the oldest of it, as much as is read ahead. */
function createBacklog(place: ObservingPlace, { marks, ordered, beganMs }: ObserverPast) {
  const reading = createReading(place, marks, ordered);
  const roll = createRoll(place);
  const joined = createJoining(place, marks, beganMs);
  const { unread } = joined;
  let joins: readonly ObservedEvent[] = [];
  let messages: readonly UnheardMessage[] = [];
  /** Whose logs have more than was read. */
  let cut: readonly AgentId[] = [];
  return {
    join: async (): Promise<readonly ObservedEvent[]> => joined.begin(await roll()),
    get joins() {
      return joins;
    },
    get messages() {
      return messages;
    },
    get size() {
      return joins.length + messages.length;
    },
    /** Is there a log that could not be read when it was looked at last? */
    isBlocked: () => unread.size > 0,
    /** Reads on where something was said. Returns whether there is more than it read. */
    async look(rung: ReadonlySet<AgentId> | "all"): Promise<boolean> {
      const agents = await roll();
      joins = await joined.goOn(agents);
      const found: UnheardMessage[] = [];
      const left: AgentId[] = [];
      const isRung = (agent: AgentId): boolean => rung === "all" || rung.has(agent) || cut.includes(agent);
      for (const agent of [...agents, place.observer]) {
        const isNew = joins.some(({ of }) => of.agent === agent);
        if (isNew) reading.forget(agent);
        const isKnown = agent === place.observer || marks.places.has(agent);
        const isDue = !isNew && isKnown && (isRung(agent) || unread.delete(agent));
        const part = isDue ? await reading.readOn(agent, agents) : undefined;
        if (part === "unreadable") unread.add(agent);
        else if (part === "other") {
          joined.doubt(agent);
          reading.forget(agent);
          left.push(agent);
        } else {
          found.push(...(part?.found ?? []));
          if (isNew || part?.isCut) left.push(agent);
        }
      }
      cut = left;
      messages = found.sort((a, b) => a.at.localeCompare(b.at));
      return cut.length > 0;
    },
    drop({ of, control, message }: ObservedEvent): void {
      if (control === "observe") joins = joins.filter((one) => one.of.agent !== of.agent);
      if (message) messages = messages.filter((one) => !isSeen(marks, one.message, one.from));
    },
  };
}

/** Rings whenever something may have been said, and tells by whom or to whom. */
function watchLogs({ inspector, observer }: ObservingPlace) {
  const wakers = new Set<() => void>();
  let rung: Set<AgentId> | "all" | undefined = "all";
  const wake = (): void => {
    for (const waker of wakers) waker();
  };
  const close = inspector.watch((seen) => {
    if (seen.kind !== "event") return;
    const { event, agent } = seen;
    const said = agent === observer ? ordersIn(event) : saidIn(event, { agent, log: "" });
    if (said.length === 0) return;
    if (rung !== "all") rung = (rung ?? new Set()).add(agent);
    wake();
  });
  return {
    close,
    hasRung: () => rung !== undefined,
    /** For everybody, or for nobody new. */
    ring(who: "all" | "nobody new" = "all"): void {
      if (who === "all") rung = "all";
      else rung ??= new Set();
      wake();
    },
    /** Whose logs it rang for since it was answered last; `undefined`: it did not ring. */
    answer(): ReadonlySet<AgentId> | "all" | undefined {
      const answered = rung;
      rung = undefined;
      return answered;
    },
    rung: (signal: AbortSignal): Promise<void> =>
      new Promise((resolve) => {
        if (rung !== undefined || signal.aborted) return resolve();
        const leave = (): void => {
          wakers.delete(leave);
          signal.removeEventListener("abort", leave);
          resolve();
        };
        wakers.add(leave);
        signal.addEventListener("abort", leave);
      }),
  };
}

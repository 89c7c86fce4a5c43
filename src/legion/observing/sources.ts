// What an agent observes, as its loop takes it in: one thing to do after the other.

import { linkSignals } from "../../base/process/signals.ts";
import type { Clock } from "../../base/clock.ts";
import type { Inspector } from "../../domain/inspection.ts";
import type { Sources } from "../../mail/sources.ts";
import type { ThreadSession } from "../../past/observed/invocations.ts";
import { createObservedMarks, foldObserved } from "../../past/observed/marks.ts";
import { createOrderedPlace } from "../../past/observed/orders.ts";
import type { Memory } from "../../past/past.ts";
import { createBacklog } from "./backlog.ts";
import { watchLogs } from "./bell.ts";
import type { Observation } from "./reading.ts";
import { again, ending, SILENCE_MS, toDo } from "./sessions.ts";

/** How often is looked at a log that could not be read. */
const RETRY_MS = 10_000;

export interface ObservingPlace extends Observation {
  readonly memory: Memory;
  readonly clock: Clock;
  readonly inspector: Pick<Inspector, "watch">;
  /** How often is looked whether other processes wrote something; absent: there are none. */
  readonly lookMs?: number;
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
  const bell = watchLogs(place.inspector, place.observer);
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

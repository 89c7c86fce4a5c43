// A stretch of an agent's log: the newest events as they come, or, while the person reads further up, older ones. It holds at
// most so many at once, and asks for what lies beyond either end when the person gets there.

import { signal, type Signal } from "@preact/signals";
import type { Event } from "../../src/domain/event/event.ts";
import { part, read } from "../connection/api.ts";
import { listen } from "../connection/stream.ts";
import { asOf } from "../place.ts";
import { createLive, type Live, type LiveWork } from "./live.ts";

export interface Stretch {
  /** Oldest first. */
  readonly events: readonly Event[];
  readonly hasOlder: boolean;
  /** There are newer events than the last of these. */
  readonly hasNewer: boolean;
}

/** So many are asked for at once. */
const PAGE = 150;
/** So many are held at most. */
const MOST = 450;
/** What arrives within that time is shown at once. */
const GATHER_MS = 50;

export type AgentRecord = ReturnType<typeof openRecord>;

export function openRecord(agent: string) {
  const base = `/agents/${part(agent)}`;
  const stretch = signal<Stretch | undefined>(undefined);
  /** Why nothing of it can be told; `null`: it can. */
  const trouble = signal<string | null>(null);
  /** Is the person at the newest event? Then what is old goes, else what is new waits. */
  const follows = signal(true);
  const loader = createLoader(base, stretch, trouble);
  const ear = createEar((arrived, away) => {
    trouble.value = away;
    if (arrived.some(loader.isOfAnother)) void toEnd();
    else if (stretch.value)
      stretch.value = joined(stretch.value, arrived, follows.value ? "follows" : "reads");
  });
  let hangUp = nothing;
  const toEnd = async (): Promise<void> => {
    hangUp();
    ear.clear();
    follows.value = true;
    await loader.load(`before=${Number.MAX_SAFE_INTEGER}`, newest);
    if (loader.isClosed() || asOf.peek() !== undefined) return;
    const from = (stretch.value?.events.at(-1)?.seq ?? 0) + 1;
    const path = `${base}/events?from=${from}`;
    hangUp = listen({ path, onItem: ear.hear, onBreak: (why) => void (trouble.value = why) });
  };
  return {
    stretch,
    trouble,
    follows,
    live: ear.live,
    toEnd,
    /** Shows what led to event `seq`, and stays there. */
    async toEvent(seq: number): Promise<void> {
      follows.value = false;
      await loader.settled();
      await loader.load(`before=${seq + 1}`, (found) => ({ ...newest(found), hasNewer: true }));
    },
    async loadOlder(): Promise<void> {
      const [first] = stretch.value?.hasOlder ? stretch.value.events : [];
      if (first) await loader.load(`before=${first.seq}`, (found) => withOlder(stretch.value!, found));
    },
    async loadNewer(): Promise<void> {
      const now = stretch.value;
      if (now?.hasNewer)
        await loader.load(`from=${now.events.at(-1)!.seq + 1}`, (found) => withNewer(stretch.value!, found));
    },
    /** Shows event `seq` and what is around it, and stays there. */
    async around(seq: number): Promise<void> {
      follows.value = false;
      if (!stretch.value?.events.some((event) => event.seq === seq))
        await loader.load(`from=${Math.max(1, seq - PAGE / 2)}`, withMore);
      showEntry(seq);
    },
    close(): void {
      loader.close();
      ear.clear();
      hangUp();
    },
  };
}

function nothing(): void {
  return undefined;
}

function showEntry(seq: number): void {
  requestAnimationFrame(() => {
    document.querySelector(`.timeline [data-seq="${seq}"]`)?.scrollIntoView({ block: "center" });
  });
}

/** Reads a piece of a log, one at a time. */
function createLoader(base: string, stretch: Signal<Stretch | undefined>, trouble: Signal<string | null>) {
  let log: string | null = null;
  let state: "at rest" | "loading" | "closed" = "at rest";
  let under: Promise<unknown> = Promise.resolve();
  const isClosed = (): boolean => state === "closed";
  return {
    isClosed,
    /** Resolves once nothing is being read. */
    settled: () => under,
    /** Has somebody put another log in its place? */
    isOfAnother: (event: Event): boolean => event.kind === "opened" && log !== null && event.log !== log,
    async load(query: string, join: (found: readonly Event[]) => Stretch): Promise<void> {
      if (state !== "at rest") return;
      state = "loading";
      const reading = read<"log">(`${base}/log?limit=${PAGE}&${query}`);
      under = reading;
      const heard = await reading;
      if (isClosed()) return;
      state = "at rest";
      trouble.value = heard.outcome === "done" ? null : heard.why;
      if (heard.outcome !== "done") return;
      const { events }: { readonly events: readonly object[] } = heard.answer;
      log = heard.answer.log;
      stretch.value = join(events as readonly Event[]);
    },
    close: () => void (state = "closed"),
  };
}

/** Gathers what arrives, and tells it a few times a second. */
function createEar(tell: (arrived: readonly Event[], away: string | null) => void) {
  const live = signal<LiveWork>({});
  const work = createLive();
  let waiting: Event[] = [];
  let away: string | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const flush = (): void => {
    timer = undefined;
    live.value = work.now();
    const arrived = waiting;
    waiting = [];
    tell(arrived, away);
  };
  return {
    live,
    hear(item: object): void {
      const one = item as Event | Live;
      away = one.kind === "live:away" ? (one as { readonly reason: string }).reason : null;
      if (one.kind.startsWith("live:")) work.tell(one as Live);
      else {
        work.settle(one as Event);
        waiting.push(one as Event);
      }
      timer ??= setTimeout(flush, GATHER_MS);
    },
    clear(): void {
      clearTimeout(timer);
      timer = undefined;
      waiting = [];
    },
  };
}

function newest(events: readonly Event[]): Stretch {
  return { events, hasOlder: (events[0]?.seq ?? 1) > 1, hasNewer: false };
}

function withMore(events: readonly Event[]): Stretch {
  return { events, hasOlder: (events[0]?.seq ?? 1) > 1, hasNewer: events.length >= PAGE };
}

/** Every event once and in order, whatever is told twice. */
function joined(now: Stretch, arrived: readonly Event[], way: "follows" | "reads"): Stretch {
  const last = now.events.at(-1)?.seq ?? 0;
  const news = arrived.filter(({ seq }) => seq > last);
  if (news.length === 0) return now;
  if (now.hasNewer || (way === "reads" && now.events.length + news.length > MOST))
    return { ...now, hasNewer: true };
  const events = [...now.events, ...news];
  const kept = events.slice(-MOST);
  return { events: kept, hasOlder: now.hasOlder || kept.length < events.length, hasNewer: false };
}

function withOlder(now: Stretch, found: readonly Event[]): Stretch {
  const first = now.events[0]?.seq ?? Infinity;
  const older = found.filter(({ seq }) => seq < first);
  const events = [...older, ...now.events];
  const kept = events.slice(0, MOST);
  return {
    events: kept,
    hasOlder: older.length > 0 && (kept[0]?.seq ?? 1) > 1,
    hasNewer: now.hasNewer || kept.length < events.length,
  };
}

function withNewer(now: Stretch, found: readonly Event[]): Stretch {
  const last = now.events.at(-1)?.seq ?? 0;
  const events = [...now.events, ...found.filter(({ seq }) => seq > last)];
  const kept = events.slice(-MOST);
  return {
    events: kept,
    hasOlder: now.hasOlder || kept.length < events.length,
    hasNewer: found.length >= PAGE,
  };
}

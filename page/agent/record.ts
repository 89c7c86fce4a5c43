// A stretch of an agent's log: the newest events as they come, or, while the person reads further up, older ones. It holds at
// most so many at once, and asks for what lies beyond either end when the person gets there.

import { signal } from "@preact/signals";
import type { Event } from "../../src/domain/event/event.ts";
import { part, read } from "../connection/api.ts";
import { listen } from "../connection/stream.ts";
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
  const ear = createEar((arrived) => {
    const way = follows.value ? "follows" : "reads";
    if (stretch.value) stretch.value = joined(stretch.value, arrived, way);
  });
  let hangUp = (): void => undefined;
  let state: "at rest" | "loading" | "over" = "at rest";

  const load = async (
    query: string,
    join: (found: readonly Event[]) => Stretch | undefined,
  ): Promise<void> => {
    if (state !== "at rest") return;
    state = "loading";
    const heard = await read<"log">(`${base}/log?limit=${PAGE}&${query}`);
    if (isOver()) return;
    state = "at rest";
    trouble.value = heard.outcome === "done" ? null : heard.why;
    if (heard.outcome !== "done") return;
    const { events }: { readonly events: readonly object[] } = heard.answer;
    stretch.value = join(events as readonly Event[]);
  };
  const isOver = (): boolean => state === "over";
  return {
    stretch,
    trouble,
    follows,
    live: ear.live,
    async toEnd(): Promise<void> {
      hangUp();
      ear.clear();
      follows.value = true;
      await load(`before=${Number.MAX_SAFE_INTEGER}`, newest);
      const from = (stretch.value?.events.at(-1)?.seq ?? 0) + 1;
      const onBreak = (why: string | null): void => void (trouble.value = why);
      if (!isOver()) hangUp = listen({ path: `${base}/events?from=${from}`, onItem: ear.hear, onBreak });
    },
    async loadOlder(): Promise<void> {
      const now = stretch.value;
      if (now?.hasOlder)
        await load(`before=${now.events[0]!.seq}`, (found) => withOlder(stretch.value!, found));
    },
    async loadNewer(): Promise<void> {
      const now = stretch.value;
      if (now?.hasNewer)
        await load(`from=${now.events.at(-1)!.seq + 1}`, (found) => withNewer(stretch.value!, found));
    },
    close(): void {
      state = "over";
      ear.clear();
      hangUp();
    },
  };
}

/** Gathers what arrives, and tells it a few times a second. */
function createEar(tell: (arrived: readonly Event[]) => void) {
  const live = signal<LiveWork>({});
  const work = createLive();
  let waiting: Event[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const flush = (): void => {
    timer = undefined;
    live.value = work.now();
    const arrived = waiting;
    waiting = [];
    if (arrived.length > 0) tell(arrived);
  };
  return {
    live,
    hear(item: object): void {
      const one = item as Event | Live;
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

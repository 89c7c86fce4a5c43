// Where two pasts part: two branches of an agent, a fork and the agent that it was made of, or the agents of two runs. Both are
// read in step, and of what comes after only the beginning is held.

import { LegionError } from "../../base/errors.ts";
import type { Event } from "../../domain/event/event.ts";
import { displayName, type AgentId } from "../../domain/message/message.ts";
import { along, forkIn, pathTo, type Fork } from "../../past/branch.ts";
import type { Reader } from "../../storage/contract/reader.ts";
import { createLikeness, firstUnlike, type Unlike } from "./likeness.ts";

/** One of the two. */
export interface ComparedPast {
  readonly reader: Pick<Reader, "events">;
  readonly agent: AgentId;
  /** The event that its branch ends with, and not one that it goes on from; absent: the newest. */
  readonly at?: number;
}

/** Where a past is. */
export interface PastPoint {
  readonly seq: number;
  readonly at: string;
}

/** What a past came to since it parted. */
export interface Since {
  readonly steps: number;
  readonly tokens: number;
  /** US dollars; `null`: unknown. */
  readonly cost: number | null;
  /** From its first event there to its last, in milliseconds. */
  readonly timeMs: number;
}

export interface OwnPast {
  /** Its newest event; `null`: there is none. */
  readonly last: PastPoint | null;
  /** The newest event that is the same; `null`: none is. */
  readonly shared: PastPoint | null;
  /** The first event that is not as on the other side; `null`: it has no more. */
  readonly parts: PastPoint | null;
  /** How many events of its log up to there are damaged or gone: they are left out. */
  readonly lost: number;
  /** What follows the shared past, oldest first; at most 200. */
  readonly events: readonly Event[];
  /** How many more there are. */
  readonly more: number;
  readonly since: Since;
}

export interface Parting {
  /** How many events are the same, of those that are compared. */
  readonly same: number;
  /** What is not the same in the first that differs; `null`: one past is the beginning of the other, or both are the same. */
  readonly unlike: Unlike | null;
  readonly one: OwnPast;
  readonly other: OwnPast;
}

const MOST_EVENTS = 200;
/** So much text of them at most, as JSON. */
const MOST_CHARS = 2_000_000;

/** Rejects with USAGE for an event that a log has not; as the readers do where a log is damaged. */
export async function comparePasts(one: ComparedPast, other: ComparedPast): Promise<Parting> {
  const sides = [await openSide(one), await openSide(other)] as const;
  let same = 0;
  for (;;) {
    const [first, second] = [await sides[0].next(), await sides[1].next()];
    const unlike = first && second ? firstUnlike(first, second) : null;
    if (first && second && !unlike) {
      same++;
      for (const side of sides) side.pass();
      continue;
    }
    return { same, unlike, one: await sides[0].finish(), other: await sides[1].finish() };
  }
}

async function openSide({ reader, agent, at }: ComparedPast) {
  const { forks, names, lost } = await lookThrough({ reader, agent, at });
  const events = along(reader.events(agent), pathTo(forks, at))[Symbol.asyncIterator]();
  const like = createLikeness(names);
  const following = createFollowing();
  let parts: Event | undefined;
  let shared: Event | undefined;
  return {
    /** What the next event that is compared comes to; `undefined` at the end. */
    async next() {
      for (let read = await events.next(); !read.done; read = await events.next()) {
        following.add(read.value);
        const essence = like(read.value);
        if (!essence) continue;
        parts = read.value;
        return essence;
      }
      parts = undefined;
      return undefined;
    },
    /** It is the same on both sides, and so is what stood before it. */
    pass(): void {
      shared = parts;
      following.clear();
    },
    async finish(): Promise<OwnPast> {
      for (let read = await events.next(); !read.done; read = await events.next()) following.add(read.value);
      const { events: own, more, since, last = shared } = following.sum();
      return {
        last: pointOf(last),
        shared: pointOf(shared),
        parts: pointOf(parts),
        lost,
        events: own,
        more,
        since,
      };
    },
  };
}

/** Its forks, and what it was called: what it was made of had another name. Throws USAGE unless the log has its last event. */
async function lookThrough({ reader, agent, at }: ComparedPast) {
  const forks: Fork[] = [];
  const names = new Set([agent]);
  let last = 0;
  let lost = 0;
  for await (const event of reader.events(agent)) {
    if (at !== undefined && event.seq > at) break;
    const fork = forkIn(event);
    if (fork) forks.push(fork);
    if (event.kind === "branch" && event.origin !== undefined) names.add(event.origin);
    lost += Math.max(0, event.seq - last - 1);
    last = event.seq;
  }
  if (at === undefined || last === at) return { forks, names, lost };
  const name = displayName(agent);
  const there = last < at ? `it ends at ${last}` : "it is lost";
  throw new LegionError("USAGE", `there is no event ${at} in the log of ${name}: ${there}`);
}

/** What came since the newest event that both share. */
function createFollowing() {
  let events: Event[] = [];
  let chars = 0;
  let count = 0;
  let first: Event | undefined;
  let last: Event | undefined;
  let spent = NOTHING_SPENT;
  return {
    add(event: Event): void {
      count++;
      first ??= event;
      last = event;
      spent = spend(spent, event);
      if (events.length < count - 1 || events.length === MOST_EVENTS) return;
      chars += JSON.stringify(event).length;
      if (chars <= MOST_CHARS || events.length === 0) events.push(event);
    },
    clear(): void {
      events = [];
      chars = count = 0;
      first = last = undefined;
      spent = NOTHING_SPENT;
    },
    sum() {
      const { steps, tokens, cost, unpriced } = spent;
      const timeMs = first && last ? Math.max(0, Date.parse(last.at) - Date.parse(first.at)) : 0;
      const since: Since = { steps, tokens, cost: unpriced > 0 ? null : cost, timeMs };
      return { events, more: count - events.length, since, last };
    },
  };
}

const NOTHING_SPENT = { steps: 0, tokens: 0, cost: 0, unpriced: 0 };

function spend(spent: typeof NOTHING_SPENT, event: Event): typeof NOTHING_SPENT {
  const usage = "usage" in event ? event.usage : undefined;
  const steps = spent.steps + (event.kind === "decision" ? 1 : 0);
  if (!usage) return { ...spent, steps };
  const cost = event.kind === "decision" ? (event.cost ?? usage.cost) : usage.cost;
  const tokens = usage.input + usage.output;
  const isUnknown = cost === undefined && tokens > 0;
  return {
    steps,
    tokens: spent.tokens + tokens,
    cost: spent.cost + (cost ?? 0),
    unpriced: spent.unpriced + (isUnknown ? 1 : 0),
  };
}

function pointOf(event: Event | undefined): PastPoint | null {
  return event ? { seq: event.seq, at: event.at } : null;
}

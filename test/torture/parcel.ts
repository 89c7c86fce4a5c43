// What travels in the torture test: a named parcel that goes from stop to stop, the last of which is Control.

import type { AgentId, SpokenLane } from "../../src/domain/message/message.ts";

export interface Parcel {
  readonly name: string;
  /** Agents in the order of the journey, `0` at the end; nobody twice in a row. */
  readonly route: readonly AgentId[];
}

/** A parcel in a message. */
export interface Handover extends Parcel {
  /** Which stop of its route the recipient is, from 0. */
  readonly stop: number;
  readonly from: AgentId;
  /** Counted by the sender itself, for each recipient from 1: the runtime knows nothing of it. */
  readonly number: number;
  /** The message that it came in, where that needs an answer. */
  readonly asked?: string;
}

/** How often each lane is drawn. */
export type Lanes = Readonly<Partial<Record<SpokenLane, number>>>;

export const NORMAL_ALONE: Lanes = { normal: 1 };
export const ALL_LANES: Lanes = { normal: 7, "follow-up": 3, steer: 1, abort: 1 };

export function drawLane(random: () => number, lanes: Lanes): SpokenLane {
  const all = Object.keys(lanes).flatMap((lane) =>
    Array<SpokenLane>(lanes[lane as SpokenLane]!).fill(lane as SpokenLane),
  );
  // One alone leaves the numbers to the journeys.
  return all.length === 1 ? all[0]! : all[Math.floor(random() * all.length)]!;
}

/** What Control says to all at the end: what an abort left undone is done then, and what follows it. */
export const GO_ON = "Go on.";

const MOST_STOPS = 7;

/** A journey that leads to any of `stops`, and to Control in the end. */
export function drawRoute(random: () => number, stops: readonly AgentId[]): readonly AgentId[] {
  const route: AgentId[] = [];
  const length = 1 + Math.floor(random() * MOST_STOPS);
  while (route.length < length) {
    const next = stops[Math.floor(random() * stops.length)]!;
    if (next !== route.at(-1)) route.push(next);
  }
  return [...route, "0"];
}

export function write({ name, stop, route, number, from }: Handover): string {
  return `parcel ${name} at stop ${stop} of ${route.join(",")}, number ${number} from ${from}`;
}

/** `undefined` for a message that carries no parcel. */
export function read(text: string): Handover | undefined {
  const match = /parcel (\S+) at stop (\d+) of ([\w,]+), number (\d+) from (\w+)$/.exec(text);
  if (!match) return undefined;
  const [, name = "", stop, route = "", number, from = ""] = match;
  const asked = /\(Needs an answer, to ([^\s)]+)\.\)/.exec(text)?.[1];
  const handover = { name, stop: Number(stop), route: route.split(","), number: Number(number), from };
  return asked === undefined ? handover : { ...handover, asked };
}

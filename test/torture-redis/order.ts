// What the nemesis tells a node, and what both write down of it.

import type { QuestionPlaces } from "../torture/answers.ts";
import type { Effect } from "../torture/carrier.ts";
import type { Fed } from "../torture/order.ts";
import { SCRIBE } from "../torture/scribe.ts";

/** What one node process is for; JSON, as its only argument. */
export interface Order {
  /** No other node's. */
  readonly project: string;
  /** Which node it is, of how many. */
  readonly node: number;
  readonly nodes: number;
  readonly legion: string;
  /** Where its own way to Redis begins. */
  readonly url: string;
  readonly durability: "always" | "weak";
  readonly leaseMs: number;
  readonly agents: readonly string[];
  /** Of the whole legion. */
  readonly steps: number;
  readonly work: Work;
}

export type Work = Parcels | Ticking;

/** Some of those who carry: the scribe does one thing after the other, and is to come to an end as soon as they do. */
export const OBSERVED: Order["agents"] = ["1", "2"];

/** Who is hosted for that: whoever carries parcels is listened to. */
export function hostedFor({ kind }: Pick<Work, "kind">, agents: Order["agents"]): Order["agents"] {
  return kind === "parcels" ? [...agents, SCRIBE] : agents;
}

/** A person at this node hands out parcels until there is word to stop. */
export interface Parcels extends Files {
  readonly kind: "parcels";
  /** Begins the names of what is said at this node, and those of nobody else. */
  readonly name: string;
  readonly seed: number;
  readonly everyMs: number;
}

/** Files outside all projects, which all nodes add to. */
export interface Files extends QuestionPlaces {
  /** What was done in the world. */
  readonly effects: string;
  /** What the person said. */
  readonly fed: string;
  /** What agents were told is in their logs. */
  readonly acknowledged: string;
  /** How often agents were closed, and woken. */
  readonly rests: string;
}

/** Agents decide again and again, each so often, until they are parked; nothing is written down. */
export interface Ticking {
  readonly kind: "ticking";
  readonly everyMs: number;
}

/** One line of the file of effects. */
export interface TimedEffect extends Effect {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Of the right under which it was done. */
  readonly epoch: number;
}

/** One line of the file `fed`: once before it is said, and once when that was acknowledged. */
export interface Said extends Fed {
  /** Of the message. */
  readonly id?: string;
}

/** One line of the file of what was acknowledged: this event is in the log. */
export interface Acknowledged {
  readonly agent: string;
  readonly seq: number;
  readonly epoch: number;
  readonly kind: string;
}

/** A word to a node, one a line: say no more and tell how you stand, or stop. */
export type Word = "calm" | "stop";

/** A line that a node prints. */
export type Report = { readonly kind: "ready" } | ({ readonly kind: "standing" } & Standing);

/** How a calm node stands. */
export interface Standing {
  /** Everything that the person wanted to say is said. */
  readonly isSilent: boolean;
  /** Agents that run here, and what they do; how many messages wait in front of them, and behind them. */
  readonly agents: readonly {
    readonly id: string;
    readonly state: string;
    readonly unread: number;
    readonly undelivered: number;
  }[];
}

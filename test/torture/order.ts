// What the nemesis tells the process, and what both write down of it.

import type { SpokenLane } from "../../src/domain/message/message.ts";
import type { QuestionPlaces } from "./answers.ts";
import type { Parcel } from "./parcel.ts";
import type { SharpPoint } from "./sharp-disk.ts";

/** What one life of the process is for; JSON, as its only argument. */
export interface Order extends Pick<QuestionPlaces, "asked" | "revoked"> {
  readonly project: string;
  /** Files outside the project: what was done in the world, and what Control was told to say. */
  readonly effects: string;
  readonly fed: string;
  /** How often agents were closed, and woken. */
  readonly rests: string;
  readonly mode: "host" | "send";
  readonly parcels: readonly Word[];
  /** A host ends when all is done, also what an abort left undone (`rest`), as soon as it has said everything, or never. */
  readonly until: "idle" | "rest" | "said" | "killed";
  readonly sharp?: SharpPoint;
}

/** What Control says: a parcel, in a lane. */
export interface Word extends Parcel {
  readonly number: number;
  readonly lane: SpokenLane;
}

/** One line of the file `fed`: once before Control says it and once when that was acknowledged. */
export interface Fed extends Parcel {
  readonly lane: SpokenLane;
  readonly said: boolean;
  /** Milliseconds since 1970. */
  readonly at: number;
}

export const CARRIERS = ["1", "2", "3", "4", "5"];

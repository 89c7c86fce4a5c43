// What the nemesis tells the process, and what both write down of it.

import type { QuestionPlaces } from "./answers.ts";
import type { Parcel } from "./parcel.ts";
import type { SharpPoint } from "./sharp-disk.ts";

/** What one life of the process is for; JSON, as its only argument. */
export interface Order extends Pick<QuestionPlaces, "asked" | "revoked"> {
  readonly project: string;
  /** Files outside the project: what was done in the world, and what Control was told to say. */
  readonly effects: string;
  readonly fed: string;
  readonly mode: "host" | "send";
  readonly parcels: readonly (Parcel & { readonly number: number })[];
  /** A host ends when all is done, as soon as it has said everything, or never. */
  readonly until: "idle" | "said" | "killed";
  readonly sharp?: SharpPoint;
}

/** One line of the file `fed`: once before Control says it and once when that was acknowledged. */
export interface Fed extends Parcel {
  readonly said: boolean;
}

export const CARRIERS = ["1", "2", "3", "4", "5"];

// How the protocol is tried without one of its parts, in the kind of moment at which that part matters.

import type { Temper } from "./answers.ts";
import { torture } from "./campaign.ts";
import type { Fault } from "./fault.ts";
import type { Campaign } from "./nemesis.ts";
import type { Lanes } from "./parcel.ts";
import type { Part } from "./question-ablations.ts";
import { sharpLives } from "./schedule.ts";
import type { SharpPoint } from "./sharp-disk.ts";

const PARCELS = 4;
/** That agents are at work when the next word comes. */
const MANY_PARCELS = 15;

export interface Ablation extends Part {
  readonly lives: (random: () => number) => Campaign["next"];
  readonly temper?: Temper;
  readonly lanes?: Lanes;
  /** What the checker finds then, at least. */
  readonly fault: Fault | readonly Fault[];
}

/** What two processes do at one time, such as answering twice before the first answer is read, may miss each other. */
const MAX_TRIES = 5;

/** Tries it, seed after seed, until the checker has found what it has to find, or in vain. */
export async function tryWithout({
  fault,
  ...ablation
}: Ablation): Promise<{ readonly isFound: boolean; readonly found: readonly Fault[] }> {
  const found = new Set<Fault>();
  const isFound = (): boolean => [fault].flat().some((expected) => found.has(expected));
  for (let seed = 1; seed <= MAX_TRIES && !isFound(); seed++) {
    const outcome = await torture({ ...ablation, seed, settleMs: 10_000, keep: "nothing" });
    const faults = outcome.violations.map((violation) => violation.fault);
    // What is only on its way may still be remembered.
    for (const one of faults) if (one !== "not remembered" || !faults.includes("unsettled")) found.add(one);
  }
  return { isFound: isFound(), found: [...found] };
}

/** So many lives, each with a point of its own, counted from 1. */
export function times(count: number, point: (n: number) => SharpPoint): Ablation["lives"] {
  const points = Array.from({ length: count }, (_, index) => point(index + 1));
  return () => sharpLives(points, PARCELS);
}

/** A life that comes to rest. */
export const NEVER: SharpPoint = { at: "effect", n: Infinity };

/** One life that comes to rest, in which there is much to do, and nobody to wait for. */
export function busyLife(lanes: Lanes): Pick<Ablation, "lives" | "temper" | "lanes"> {
  return { lives: () => sharpLives([NEVER], MANY_PARCELS), temper: "prompt", lanes };
}

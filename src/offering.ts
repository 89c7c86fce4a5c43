// What an agent sent before its Redis may have lost something is offered to its recipients once more. That this is still to
// be done stands beside the agent's log: whoever takes the agent next does it, whatever the one before had time for.

import { messageOf } from "./errors.ts";
import type { Outbox } from "./outbox.ts";
import { isUnoffered, setOffered } from "./redis/lease-scripts.ts";
import type { RedisPlace } from "./redis/place.ts";
import { createWatermarks } from "./redis/watermarks.ts";
import type { Tenure } from "./tenure.ts";

export interface Offering {
  readonly tenure: Tenure;
  readonly outbox: Outbox;
  /** Has nobody closed the outbox? */
  readonly isOpen: () => boolean;
}

/** Whoever has a message knows it by its number. Never rejects: where it fails, the right to run the agent ends. */
export async function offerWhatMayBeLost(
  place: RedisPlace,
  { tenure, outbox, isOpen }: Offering,
): Promise<void> {
  try {
    if (!(await isUnoffered(place))) return;
    const newest = createWatermarks(place);
    await outbox.offerAgain(async ({ to, from, n }) => n > (await newest(to, from)));
    if (isOpen()) await setOffered(place, tenure.token);
  } catch (error) {
    if (isOpen()) tenure.end(`what it had sent could not be offered again (${messageOf(error)})`);
  }
}

// What an agent sent before its Redis may have lost something is offered to its recipients once more. That this is still to
// be done stands beside the agent's log: whoever takes the agent next does it, whatever the one before had time for.

import { messageOf } from "../../../base/errors.ts";
import type { Outbox } from "../../../mail/outbox.ts";
import { isUnoffered, setOffered } from "../scripts/lease.ts";
import type { RedisPlace } from "../scripts/scope.ts";
import { createWatermarks } from "../scripts/watermarks.ts";
import type { Tenure } from "../../../domain/lease.ts";

export interface HostedSender {
  readonly tenure: Tenure;
  readonly outbox: Outbox;
  /** Has nobody closed the outbox? */
  readonly isOpen: () => boolean;
}

/** Whoever has a message knows it by its number. Never rejects: where it fails, the right to run the agent ends. */
export async function offerWhatMayBeLost(
  place: RedisPlace,
  { tenure, outbox, isOpen }: HostedSender,
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

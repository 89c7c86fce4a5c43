// What the calls of an agent came to that were paid from which account of the person's purse.

import { followCalls } from "./calls.ts";
import { createShares, type Shares } from "./shares.ts";

/** `undefined` stands for calls that no purse limited. */
export function createPaidInLog(): Shares<string | undefined> {
  const calls = followCalls(({ purse }) => purse);
  return createShares(calls.see);
}

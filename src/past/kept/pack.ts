// What is folded from a log, as bytes to be kept beside it: whoever opens the log again goes on from there and reads only what is
// new. Only a cache: what does not count is folded anew.
//
//   L9. A past that was kept and is gone on from is what the whole log comes to.

import { deserialize, serialize } from "node:v8";
import type { PackedTraffic } from "../digest/traffic.ts";
import type { ActiveBranch, KeptBranch } from "../fold.ts";
import type { Ledger } from "../ledger.ts";
import type { KeptView } from "../view.ts";

/** All of it together is only changed by a new version: what another one kept is folded anew. */
export const PAST_VERSION = 4;

/** Plain data, which shares objects. */
export interface KeptPast {
  readonly ledger: Ledger;
  readonly traffic: PackedTraffic;
  readonly active: ActiveBranch;
  readonly branch: KeptBranch;
  readonly view: KeptView;
}

export function packPast({ ledger, traffic, active, branch, view }: KeptPast): Uint8Array {
  const { conversation, state, offers } = branch;
  return serialize({
    version: PAST_VERSION,
    ...{ ledger: { ...ledger }, traffic, active, view },
    branch: { conversation, state, offers },
  });
}

/**
 * `undefined` for what another version made, and for a view of another way.
 *
 * @param bytes are what `packPast` gave: whoever could forge them could have an agent believe anything
 * @param way as `wayOf` has it
 */
export function unpackPast(bytes: Uint8Array, way: string): KeptPast | undefined {
  try {
    const { version, ...past } = deserialize(bytes) as KeptPast & { readonly version: unknown };
    return version === PAST_VERSION && past.view.way === way ? past : undefined;
  } catch {
    return undefined;
  }
}

// How hard a torture test is.

import type { TortureOptions } from "./campaign.ts";

type Severity = Pick<
  TortureOptions,
  "leaseMs" | "weights" | "everyMs" | "parcelMs" | "settleMs" | "durability"
>;

/** Everything that may happen, every few hundred milliseconds. */
export const EVERYTHING: Severity = {
  leaseMs: 600,
  weights: { kill: 3, stop: 3, cut: 3, leave: 0.5, redis: 0.7 },
  everyMs: 300,
  parcelMs: 150,
  settleMs: 120_000,
  durability: "always",
};

/** The same where agents have nothing to do for a while, again and again. */
export const SPARSE: Severity = { ...EVERYTHING, parcelMs: 3_000 };

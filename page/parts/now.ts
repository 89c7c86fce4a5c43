// The time for all ages on the page: that of day, with one beat a second for all of them and none while nobody looks, or the past that
// the page shows.

import { computed, signal } from "@preact/signals";
import { asOf } from "../place.ts";

const BEAT_MS = 1_000;

/** That of day, in milliseconds since 1970. */
export const today = signal(Date.now());
export const now = computed(() => (asOf.value === undefined ? today.value : Date.parse(asOf.value)));

export function startBeat(): void {
  setInterval(() => {
    if (!document.hidden) today.value = Date.now();
  }, BEAT_MS);
}

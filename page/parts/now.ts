// The time for all ages on the page: that of day, with one beat a second for all of them and none while nobody looks, or the past that
// the page shows, or the moment of a file.

import { computed, signal } from "@preact/signals";
import { isFile, savedAt } from "../connection/record.ts";
import { asOf } from "../place.ts";

const BEAT_MS = 1_000;

/** That of day, in milliseconds since 1970. */
export const today = signal(Date.now());
export const now = computed(() => {
  const at = asOf.value ?? savedAt.value;
  return at === undefined ? today.value : Date.parse(at);
});

export function startBeat(): void {
  if (isFile) return;
  setInterval(() => {
    if (!document.hidden) today.value = Date.now();
  }, BEAT_MS);
}

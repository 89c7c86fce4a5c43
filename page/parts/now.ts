// The time of day for all ages on the page: one beat a second for all of them, and none while nobody looks.

import { signal } from "@preact/signals";

const BEAT_MS = 1_000;

export const now = signal(Date.now());

export function startBeat(): void {
  setInterval(() => {
    if (!document.hidden) now.value = Date.now();
  }, BEAT_MS);
}

// What a screen reader says by itself: a few words, at most one saying in a while, the newest.

import { signal } from "@preact/signals";
import type { JSX } from "preact";

const APART_MS = 3_000;

const said = signal("");
let next: string | undefined;
let isWaiting = false;

export function announce(words: string): void {
  next = words;
  if (isWaiting) return;
  sayNext();
}

function sayNext(): void {
  isWaiting = next !== undefined;
  if (next === undefined) return;
  said.value = next;
  next = undefined;
  setTimeout(sayNext, APART_MS);
}

export function Announcer(): JSX.Element {
  return (
    <div class="unseen" role="status" aria-live="polite">
      {said}
    </div>
  );
}

// What an area shows of the legion as a whole: read when the person comes, and again as long as they look at it.

import { signal, type Signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { LookedUp, ReadingAnswer } from "../../src/control/api/readings.ts";
import { asOf } from "../place.ts";
import { read } from "./api.ts";
import { isFile } from "./record.ts";

const LOOK_MS = 5_000;
/** So many times as long as a reading took it is not read again. */
const APART = 4;

export interface KeptReading<K extends LookedUp> {
  /** The newest; `undefined` before the first. */
  readonly answer: Signal<ReadingAnswer<K> | undefined>;
  /** Why it could not be read; `null`: it was. */
  readonly trouble: Signal<string | null>;
  /** Reads it while the component is there. */
  use(): void;
  /** Reads it now, as whoever looks wants to be told something else. */
  again(): void;
}

/** @param path of each reading, where it is not always the same */
export function keepReading<K extends LookedUp>(path: string | (() => string)): KeptReading<K> {
  const answer = signal<ReadingAnswer<K> | undefined>(undefined);
  const trouble = signal<string | null>(null);
  const asked = signal(0);
  const begin = (): (() => void) => {
    let isGone = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = async (): Promise<void> => {
      const beganMs = performance.now();
      const heard = await read<K>(typeof path === "string" ? path : path());
      if (isGone) return;
      if (heard.outcome === "done") answer.value = heard.answer;
      trouble.value = heard.outcome === "done" ? null : heard.why;
      const tookMs = performance.now() - beganMs;
      // The past stays as it is, and so does a file.
      if (asOf.peek() === undefined && !isFile)
        timer = setTimeout(() => void look(), Math.max(LOOK_MS, APART * tookMs));
    };
    void look();
    return () => {
      isGone = true;
      clearTimeout(timer);
    };
  };
  return {
    answer,
    trouble,
    use: () => useEffect(begin, [asOf.value, asked.value]),
    again: () => void asked.value++,
  };
}

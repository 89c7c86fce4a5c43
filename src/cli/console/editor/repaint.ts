// When the bottom of the screen is painted again: at once after a change, but at most ten times a second; once a second
// while something is timed; and never otherwise.

export interface Repaint {
  /** Something is different now. */
  changed(): void;
  /** Paints no more. */
  close(): void;
}

const SHORTEST_MS = 100;
const SECOND_MS = 1_000;

/** @param paint gives back whether anything that it shows changes with time alone */
export function createRepaint(paint: () => "timed" | "still"): Repaint {
  let timer: NodeJS.Timeout | undefined;
  let dueMs = Infinity;
  let paintedMs = -Infinity;
  let state: "open" | "closed" = "open";
  const paintAt = (ms: number): void => {
    if (state === "closed" || ms >= dueMs) return;
    clearTimeout(timer);
    dueMs = ms;
    timer = setTimeout(run, Math.max(0, ms - performance.now())).unref();
  };
  const run = (): void => {
    dueMs = Infinity;
    paintedMs = performance.now();
    if (paint() === "timed") paintAt(paintedMs + SECOND_MS);
  };
  return {
    changed: () => paintAt(paintedMs + SHORTEST_MS),
    close() {
      state = "closed";
      clearTimeout(timer);
    },
  };
}

// What keeps a thousand agents from asking a provider that is down: after several calls that broke it is left alone for a
// while, then one call tries for all of them.

/** So many calls that broke, within so long, open the circuit. */
const FAILURES = 5;
const WITHIN_MS = 60_000;
/** How long it stays open; twice as long after each try that broke, up to the limit. */
const FIRST_OPEN_MS = 30_000;
const LAST_OPEN_MS = 300_000;

/** The right to try for all. */
export type Try = symbol;

export interface Circuit {
  readonly isOpen: boolean;
  /**
   * A call broke. Returns for how long from now nobody should ask, in milliseconds; 0 if that changes nothing: calls that
   * were under way when it opened break as well.
   */
  broke(nowMs: number, attempt: Try | undefined): number;
  /** A call was answered, with whatever: the circuit is closed. */
  answered(): void;
  /** Takes the one try that an open circuit allows, to be given back with `broke` or `left`; `undefined` if it is taken. */
  takeTry(): Try | undefined;
  /** The call went away without an answer. */
  left(attempt: Try | undefined): void;
  /** Calls `then` once, when the try that is under way is over. Returns how to stop waiting. */
  onTried(then: () => void): () => void;
}

export function createCircuit(): Circuit {
  let failures: number[] = [];
  let openMs = 0;
  let current: Try | undefined;
  const waiting = new Set<() => void>();
  const endTry = (): void => {
    current = undefined;
    for (const tell of [...waiting]) tell();
  };
  return {
    get isOpen() {
      return openMs > 0;
    },
    broke(nowMs, attempt) {
      failures = [...failures.filter((atMs) => nowMs - atMs < WITHIN_MS), nowMs].slice(-FAILURES);
      if (openMs > 0 && (!attempt || attempt !== current)) return 0;
      if (openMs > 0) openMs = Math.min(2 * openMs, LAST_OPEN_MS);
      else if (failures.length === FAILURES) openMs = FIRST_OPEN_MS;
      endTry();
      return openMs;
    },
    answered() {
      failures = [];
      openMs = 0;
      endTry();
    },
    takeTry() {
      if (current) return undefined;
      return (current = Symbol());
    },
    left(attempt) {
      if (attempt && attempt === current) endTry();
    },
    onTried(then) {
      const tell = (): void => {
        waiting.delete(tell);
        then();
      };
      waiting.add(tell);
      return () => waiting.delete(tell);
    },
  };
}

// What was fetched once is not fetched again for a while, whoever asks; and who asks at the same time waits together.
//
//   C1. A key is loaded once, however many ask for it while it is loaded or kept.
//   C2. Who gives up does not take it from the others; when the last one has, the loading is stopped.
//   C3. What failed, or is not to last, is not kept.

const KEPT_MS = 10 * 60_000;

export interface CacheOptions<T> {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly sizeOf: (value: T) => number;
  /** No: whoever asks later asks anew. Absent: yes, all. */
  readonly isLasting?: (value: T) => boolean;
  /** Of all values together; the one that was not asked for longest goes first. */
  readonly maxSize: number;
}

export interface Cache<T> {
  /** Rejects as `load` does, and with its reason once `signal` aborts. */
  get(key: string, signal: AbortSignal, load: (signal: AbortSignal) => Promise<T>): Promise<T>;
}

interface Kept<T> {
  readonly value: T;
  readonly size: number;
  readonly untilMs: number;
}

interface Loading<T> {
  readonly value: Promise<T>;
  readonly stop: AbortController;
  waiting: number;
}

export function createCache<T>({ now, sizeOf, isLasting = () => true, maxSize }: CacheOptions<T>): Cache<T> {
  const kept = new Map<string, Kept<T>>();
  const loading = new Map<string, Loading<T>>();
  const keep = (key: string, value: T): void => {
    kept.set(key, { value, size: sizeOf(value), untilMs: now() + KEPT_MS });
    let size = 0;
    for (const [each, { size: added, untilMs }] of [...kept].reverse()) {
      size += added;
      if (size > maxSize || untilMs <= now()) kept.delete(each);
    }
  };
  const forget = (key: string, begun: AbortController): void => {
    if (loading.get(key)?.stop === begun) loading.delete(key);
  };
  const begin = (key: string, load: (signal: AbortSignal) => Promise<T>): Loading<T> => {
    const stop = new AbortController();
    const value = load(stop.signal)
      .then((loaded) => {
        if (!stop.signal.aborted && isLasting(loaded)) keep(key, loaded);
        return loaded;
      })
      .finally(() => forget(key, stop));
    const begun = { value, stop, waiting: 0 };
    loading.set(key, begun);
    return begun;
  };
  return {
    async get(key, signal, load) {
      signal.throwIfAborted();
      const found = kept.get(key);
      if (found && found.untilMs > now()) {
        kept.delete(key);
        kept.set(key, found);
        return found.value;
      }
      const joined = loading.get(key) ?? begin(key, load);
      return join(joined, signal, () => forget(key, joined.stop));
    },
  };
}

/** Waits for what is loaded; `forget` is called before the loading is stopped. */
async function join<T>(loading: Loading<T>, signal: AbortSignal, forget: () => void): Promise<T> {
  loading.waiting++;
  let leave = (): void => undefined;
  const left = new Promise<never>((_, reject) => {
    leave = () => {
      // At once: whoever leaves next in the same turn has to know whether it is the last.
      if (--loading.waiting === 0) {
        forget();
        loading.stop.abort(signal.reason);
      }
      reject(signal.reason as Error);
    };
    signal.addEventListener("abort", leave, { once: true });
  });
  try {
    return await Promise.race([loading.value, left]);
  } finally {
    signal.removeEventListener("abort", leave);
    if (!signal.aborted) loading.waiting--;
  }
}

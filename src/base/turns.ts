/** Runs what it is given one after the other, whatever becomes of each. */
export function inTurns(): <T>(run: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (run) => {
    const turn = last.then(run);
    last = turn.catch(() => undefined);
    return turn;
  };
}

/** The same for each key: what has different ones runs side by side. */
export function inTurnsEach(): <T>(key: string, run: () => Promise<T>) => Promise<T> {
  const lasts = new Map<string, Promise<void>>();
  return (key, run) => {
    const turn = (lasts.get(key) ?? Promise.resolve()).then(run);
    const leave = (): void => {
      if (lasts.get(key) === last) lasts.delete(key);
    };
    const last = turn.then(leave, leave);
    lasts.set(key, last);
    return turn;
  };
}

/** Never two at once; whoever asks while one runs gets the one after it, and all of them the same. `run` never rejects. */
export function oneAtATime(run: () => Promise<void>): () => Promise<void> {
  let last = Promise.resolve();
  let next: Promise<void> | undefined;
  return () =>
    (next ??= last =
      last.then(() => {
        next = undefined;
        return run();
      }));
}

/** Whoever asks for the same at the same time gets the same answer. */
export function inOneAnswer<K, T>(ask: (key: K) => Promise<T>): (key: K) => Promise<T> {
  const asking = new Map<K, Promise<T>>();
  return (key) => {
    const asked = asking.get(key) ?? ask(key).finally(() => asking.delete(key));
    asking.set(key, asked);
    return asked;
  };
}

/** So many at once; the others begin in the order in which they came. */
export function inParallel(most: number): <T>(run: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (run) => {
    if (running >= most) await new Promise<void>((go) => waiting.push(go));
    else running++;
    try {
      return await run();
    } finally {
      // Whoever goes on takes this place.
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}

/** What `read` gives for each, in their order, while so many behind it are read already. `read` never rejects. */
export async function* readAhead<T, R>(
  all: readonly T[],
  many: number,
  read: (one: T) => Promise<R>,
): AsyncGenerator<R, undefined> {
  const begun: Promise<R>[] = [];
  for (const one of all) {
    begun.push(read(one));
    if (begun.length > many) yield begun.shift()!;
  }
  yield* begun;
  return undefined;
}

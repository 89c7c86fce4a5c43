/** Runs what it is given one after the other, whatever becomes of each. */
export function inTurns(): <T>(run: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (run) => {
    const turn = last.then(run);
    last = turn.catch(() => undefined);
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

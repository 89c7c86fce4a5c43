// Places for a limited number at once; whoever comes when all are taken waits in line.

export interface Slots {
  /** Resolves, in the order of the calls, with what gives the place back; rejects with the reason of `signal`. */
  take(signal: AbortSignal): Promise<() => void>;
}

export function createSlots(count: number): Slots {
  let free = count;
  const line = new Set<() => void>();

  function leave(): void {
    const [first] = line;
    if (first) first();
    else free++;
  }

  return {
    take(signal) {
      return new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason as Error);
        if (free > 0) {
          free--;
          return resolve(leave);
        }
        const giveUp = () => {
          line.delete(enter);
          reject(signal.reason as Error);
        };
        const enter = () => {
          line.delete(enter);
          signal.removeEventListener("abort", giveUp);
          resolve(leave);
        };
        line.add(enter);
        signal.addEventListener("abort", giveUp, { once: true });
      });
    },
  };
}

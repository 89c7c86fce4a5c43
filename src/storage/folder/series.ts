// How the segments of a journal are called: `<epoch>-<part>.jsonl`.

/** Where a segment stands among the others: the process that wrote it, and which of its files it is, from 0. */
export interface SegmentPlace {
  readonly epoch: number;
  readonly part: number;
}

export function segmentName({ epoch, part }: SegmentPlace): string {
  return `${String(epoch).padStart(8, "0")}-${String(part).padStart(3, "0")}.jsonl`;
}

/** Names the segments of a log that is written as a whole, one after the other; each seals the one before it. */
export function createSeries(epoch: number) {
  let bytes = 0;
  let part = -1;
  return {
    /** Begins the next one. */
    next() {
      const seals = part < 0 ? {} : { [segmentName({ epoch, part })]: bytes };
      bytes = 0;
      return { name: segmentName({ epoch, part: ++part }), seals };
    },
    /** So much was written to the newest one. */
    grew: (more: number): void => void (bytes += more),
  };
}

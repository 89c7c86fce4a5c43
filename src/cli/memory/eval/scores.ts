// How well what was asked was found.

/** What came of a question: the place of the first entry that answers it, from 1; `null`: it was not among those that were found. */
export interface FoundAnswer {
  readonly kind: string;
  readonly rank: number | null;
}

/** Of a kind of question, the share of them whose answer was found among the first so many, and the mean of 1 / rank. */
export interface Score {
  readonly kind: string;
  readonly asked: number;
  readonly hit1: number;
  readonly hit5: number;
  readonly hit10: number;
  readonly mrr: number;
}

export const ALL_KINDS = "all";

/** A line for each kind, in the order in which they came, then one for all where there are several. Empty for none. */
export function scoresOf(found: readonly FoundAnswer[]): readonly Score[] {
  const kinds = [...new Set(found.map(({ kind }) => kind))];
  const scores = kinds.map((kind) =>
    scoreOf(
      kind,
      found.filter((one) => one.kind === kind),
    ),
  );
  return kinds.length > 1 ? [...scores, scoreOf(ALL_KINDS, found)] : scores;
}

function scoreOf(kind: string, found: readonly FoundAnswer[]): Score {
  const within = (most: number): number =>
    share(found.filter(({ rank }) => rank !== null && rank <= most).length, found.length);
  const mrr = share(
    found.reduce((sum, { rank }) => sum + (rank === null ? 0 : 1 / rank), 0),
    found.length,
  );
  return { kind, asked: found.length, hit1: within(1), hit5: within(5), hit10: within(10), mrr };
}

/** To three digits. */
function share(part: number, whole: number): number {
  return Math.round((part / whole) * 1_000) / 1_000;
}

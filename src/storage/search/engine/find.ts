// A query in words, as SQLite is asked it: any of them, so that a question finds, and what holds more of the rare ones first.

import type { IndexQuery, SearchReply } from "../order.ts";
import type { Statements } from "./values.ts";
import { toWords, type QueryWord } from "./words.ts";

/** More are no question. */
const MAX_WORDS = 200;
/**
 * In how many documents words are looked for, each word's counted: a microsecond goes into each. What is in more than the rarer
 * words of the query leave is so common that it tells little.
 */
const MAX_WEIGHED = 20_000;

/** Best first, and of equals the newest. */
export function find(
  { database, of }: Statements,
  { text, limit, ...conditions }: IndexQuery,
): NonNullable<SearchReply["hits"]> {
  const counting = of(
    `select count(*) as count from (select 1 from word where word match ? limit ${MAX_WEIGHED})`,
  );
  const counted = toWords(text, MAX_WORDS)
    .map(toTerm)
    .map((term) => ({ term, count: Number(counting.get([term])?.["count"]) }));
  const match = rarest(counted).join(" OR ");
  if (match === "") return [];
  const { sql, values } = select(conditions);
  return database
    .all(sql, [match, ...values, Math.max(0, Math.floor(limit))])
    .map(({ seq, score }) => ({ seq: Number(seq), score: Number(score) }));
}

/** In the engine's syntax; words have no quotes. */
function toTerm({ text, begins }: QueryWord): string {
  return begins ? `"${text}" *` : `"${text}"`;
}

/** The rarest terms that are found, at least one if any is. */
function rarest(counted: readonly { readonly term: string; readonly count: number }[]): readonly string[] {
  const found = counted.filter(({ count }) => count > 0).sort((a, b) => a.count - b.count);
  let weighed = 0;
  return found
    .filter(({ count }, at) => (weighed += count) <= MAX_WEIGHED || at === 0)
    .map(({ term }) => term);
}

function select({ since, until, facets }: Omit<IndexQuery, "text" | "limit">) {
  const conditions: readonly (readonly [sql: string, value: string | number])[] = [
    ...(since === undefined ? [] : [["document.at >= ?", since] as const]),
    ...(until === undefined ? [] : [["document.at <= ?", until] as const]),
    ...facets.map((facet) => ["instr(document.facets, ?)", facet] as const),
  ];
  const join = conditions.length === 0 ? "" : "cross join document on document.seq = word.rowid";
  const where = ["word match ?", ...conditions.map(([sql]) => sql)].join(" and ");
  return {
    sql: `select word.rowid as seq, -bm25(word) as score from word ${join} where ${where} order by score desc, seq desc limit ?`,
    values: conditions.map(([, value]) => value),
  };
}

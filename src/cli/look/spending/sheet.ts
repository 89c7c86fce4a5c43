// A bill on a terminal.

import type { Bill } from "../../../legion/spending/bill.ts";
import type { CacheLoss, Guess } from "../../../past/digest/charges/guesses.ts";
import { WASTES, type WasteName, type Wasted } from "../../../past/digest/charges/waste.ts";
import { oneLine } from "../../kit/output.ts";
import { clip, wrap } from "../../kit/terminal.ts";
import { costCell, countCell, type Column, type TableSpace } from "../table.ts";
import type { BillRow } from "./rows.ts";

const INDENT = "  ";
const count = (of: number | null): string => (of === null ? "" : countCell(of));

export const COLUMNS: readonly Column<BillRow>[] = [
  { title: "FOR", align: "left", rank: 0, least: 12, cell: (row) => clip(titleOf(row), 36) },
  { title: "CALLS", align: "right", rank: 1, cell: ({ steps }) => (steps === null ? "" : String(steps)) },
  { title: "IN", align: "right", rank: 2, cell: ({ input }) => count(input) },
  { title: "CACHED", align: "right", rank: 3, cell: ({ cacheRead }) => count(cacheRead) },
  { title: "OUT", align: "right", rank: 2, cell: ({ output }) => count(output) },
  { title: "TOKENS", align: "right", rank: 1, cell: ({ tokens }) => countCell(tokens) },
  { title: "COST", align: "right", rank: 0, cell: costOf },
  { title: "MESSAGE", align: "left", rank: 1, cell: ({ text = "" }) => oneLine(text) },
];

function titleOf({ kind, name }: BillRow): string {
  if (kind === "total") return "all of it";
  if (kind === "unanswered") return "calls without an answer";
  const title = oneLine(name ?? "");
  return kind === "part" ? INDENT + title : title;
}

/** Tokens of unknown price stand beside what is known. */
function costOf({ cost, unpriced, tokens }: BillRow): string {
  if (!unpriced) return costCell(cost);
  return unpriced >= tokens ? "?" : `${costCell(cost)} + ?`;
}

const WASTE_WORDS: Readonly<Record<WasteName | "untaken", string>> = {
  unreadable: "answers without a readable action",
  retried: "calls without an answer that were made again",
  looped: "the same calls with the same results, from the third time on",
  summarised: "summaries of what was summarised before, or not kept",
  untaken: "answers to agents that did not take them in",
};

const LOSS_WORDS: Readonly<Record<CacheLoss, string>> = {
  model: "another model",
  introduction: "another introduction",
  summary: "a summary",
  pause: "a pause of more than 5 minutes",
  restart: "a restart",
  unknown: "something that the log does not tell",
};

/** What brought nothing, and what probably did; none where nothing of that is known. */
export function wasteLines(
  { waste, guesses: { reread, uncached } }: Bill,
  { columns }: Pick<TableSpace, "columns">,
): readonly string[] {
  const named = ([...WASTES, "untaken"] as const).flatMap((name) => {
    const sum = waste.get(name);
    return sum && sum.tokens > 0 ? [`${WASTE_WORDS[name]}: ${sumOf(sum)}`] : [];
  });
  const guessed = [
    ...(reread.times > 0 ? [`files read again as they were: ${guessOf(reread)}`] : []),
    ...[...uncached].map(
      ([why, guess]) => `not from the provider's cache, after ${LOSS_WORDS[why]}: ${guessOf(guess)}`,
    ),
  ];
  const titled = (title: string, lines: readonly string[]): readonly string[] => {
    const rows = lines.flatMap((line) => wrap(line, columns - INDENT.length));
    return rows.length > 0 ? ["", title, ...rows.map((row) => INDENT + row)] : [];
  };
  return [...titled("Of that brought nothing:", named), ...titled("Estimates, in no sum:", guessed)];
}

function sumOf({ tokens, cost }: Wasted): string {
  return `${countCell(tokens)} tokens${cost > 0 ? `, ${costCell(cost)}` : ""}`;
}

function guessOf({ times, tokens }: Guess): string {
  return `${times} ${times === 1 ? "time" : "times"}, about ${countCell(tokens)} tokens`;
}

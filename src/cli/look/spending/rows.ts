// A bill as rows, for programs and spreadsheets; the table of the terminal is made of the same.

import type { Bill, BillPart, BillWay } from "../../../legion/spending/bill.ts";
import type { Charge } from "../../../past/digest/charges/charge.ts";
import { roundedDollars as rounded } from "../../../past/limits/spending.ts";
import { partsOf } from "../../../past/digest/counts.ts";

/**
 * `line`: a part of the whole; `part`: of the line before it; `unanswered`: what is reserved for calls without an answer; `total`: the
 * lines and that; `waste`: a part of the total that brought nothing; `estimate`: in no sum.
 */
export interface BillRow {
  readonly kind: "line" | "part" | "unanswered" | "total" | "waste" | "estimate";
  /** `none`: before any message was shown, nobody's, or of calls without an answer. Null: the total. */
  readonly name: string | null;
  /** How the first message of a `root` begins, if a log has it. */
  readonly text?: string;
  /** Model calls. */
  readonly steps: number | null;
  readonly input: number | null;
  readonly output: number | null;
  readonly cacheRead: number | null;
  readonly tokens: number;
  /** US dollars, of what has a known price. */
  readonly cost: number | null;
  /** Tokens of unknown price: they stand beside the cost. */
  readonly unpriced: number | null;
}

export function rowsOf(bill: Bill, way: BillWay): readonly BillRow[] {
  const { lines, unanswered, total, waste, guesses, firsts } = bill;
  const partWay: BillWay = way === "agent" ? "model" : "agent";
  return [
    ...lines.flatMap(({ parts, ...line }) => [
      { ...rowOf("line", line, way), ...textOf(firsts.get(line.name ?? "")?.opening) },
      ...parts.map((part) => rowOf("part", part, partWay)),
    ]),
    sumRow("unanswered", "reserved for calls without an answer", unanswered),
    { ...chargeCells(total), kind: "total", name: null },
    ...[...waste].map(([name, sum]) => sumRow("waste", name, sum)),
    ...(guesses.reread.times > 0 ? [sumRow("estimate", "reread", guesses.reread)] : []),
    ...[...guesses.uncached].map(([why, guess]) => sumRow("estimate", `uncached: ${why}`, guess)),
  ];
}

function textOf(opening: string | undefined): { readonly text?: string } {
  return opening === undefined ? {} : { text: opening };
}

function rowOf(kind: "line" | "part", { name, charge }: BillPart, way: BillWay): BillRow {
  return { kind, name: nameIn(way, name), ...chargeCells(charge) };
}

/** Actions as they are called, and in parentheses what is none. */
function nameIn(way: BillWay, name: string | undefined): string {
  if (way !== "action" || name === undefined) return name || "none";
  const [purpose = "", ...actions] = partsOf(name);
  return purpose === "calls" ? actions.join(" + ") : `(${purpose})`;
}

function chargeCells({ steps, input, output, cacheRead, cost, unpriced }: Charge) {
  return { steps, input, output, cacheRead, tokens: input + output, cost: rounded(cost), unpriced };
}

function sumRow(kind: BillRow["kind"], name: string, { tokens, cost }: Sum): BillRow {
  const unknown = { steps: null, input: null, output: null, cacheRead: null, unpriced: null };
  return { kind, name, ...unknown, tokens, cost: cost === undefined ? null : rounded(cost) };
}

interface Sum {
  readonly tokens: number;
  readonly cost?: number;
}

const FIELDS = [
  ...["kind", "name", "steps", "input", "output", "cacheRead", "tokens", "cost", "unpriced", "text"],
] as const satisfies readonly (keyof BillRow)[];

/** RFC 4180 but for its line ends, with a first line of names. */
export function csvOf(rows: readonly BillRow[]): string {
  return [FIELDS.join(","), ...rows.map((row) => FIELDS.map((field) => cell(row[field])).join(","))].join(
    "\r\n",
  );
}

/** A text that a spreadsheet would take for a formula is told to be one. https://owasp.org/www-community/attacks/CSV_Injection */
function cell(value: string | number | null | undefined): string {
  if (typeof value !== "string") return value === null || value === undefined ? "" : String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

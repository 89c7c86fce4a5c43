// How the torture tests say what came of them.

import type { KnotFigures, LaneFigures, MemoryFigures, QuestionFigures, RestFigures } from "./fault.ts";

/** A count with its name, and what there is to say of it. */
export type Row = readonly [name: string, count: number, remark?: string];

interface Finding<Fault extends string> {
  readonly fault: Fault;
  readonly text: string;
}

interface Found<Fault extends string> {
  readonly violations: readonly Finding<Fault>[];
}

/** One row for each of the `counted` faults, and one for all others together. */
export function faultRows<Fault extends string>(
  all: readonly Found<Fault>[],
  counted: readonly Fault[],
): readonly Row[] {
  const faults = all.flatMap(({ violations }) => violations.map(({ fault }) => fault));
  const others = faults.filter((fault) => !counted.includes(fault));
  return [
    ...counted.map((fault): Row => [fault, faults.filter((other) => other === fault).length]),
    ["other violations", others.length],
  ];
}

/** How many questions there were, and how they ended. */
export function questionRows(all: readonly { readonly figures: QuestionFigures }[]): readonly Row[] {
  const sum = (figure: keyof QuestionFigures): number =>
    all.reduce((total, { figures }) => total + figures[figure], 0);
  const ends = (["approved", "denied", "expired", "superseded"] as const).map((end) => `${sum(end)} ${end}`);
  return [
    ["questions", sum("questions"), ends.join(", ")],
    ["answers for nothing", sum("voidAnswers")],
  ];
}

/** What came in lanes of its own, and what that did. */
export function laneRows(all: readonly { readonly figures: LaneFigures }[]): readonly Row[] {
  const sum = (figure: keyof LaneFigures): number =>
    all.reduce((total, { figures }) => total + figures[figure], 0);
  return [
    ["steers", sum("steers"), `which withdrew ${sum("withdrawn")} follow-ups`],
    ["aborts", sum("aborts")],
    ["follow-ups released", sum("released")],
    ["calls left out", sum("leftOut")],
    ["calls that only read", sum("looks")],
  ];
}

/** How often agents were closed while they rested. */
export function restRows(all: readonly { readonly figures: RestFigures }[]): readonly Row[] {
  const sum = (figure: keyof RestFigures): number =>
    all.reduce((total, { figures }) => total + figures[figure], 0);
  return [["agents closed at rest", sum("closed"), `of which ${sum("woken")} were woken`]];
}

/** Who waited for each other. */
export function knotRows(all: readonly { readonly figures: KnotFigures }[]): readonly Row[] {
  return [["knots told of", all.reduce((total, { figures }) => total + figures.knots, 0)]];
}

/** What came into long-term memory. */
export function memoryRows(all: readonly { readonly figures: MemoryFigures }[]): readonly Row[] {
  const sum = (figure: keyof MemoryFigures): number =>
    all.reduce((total, { figures }) => total + figures[figure], 0);
  return [
    ["messages remembered", sum("heard"), `and ${sum("kept")} entries of agents themselves`],
    ["flushes to context", sum("flushes"), `${sum("strays")} contexts of others`],
  ];
}

/** What may be wrong with it. */
export const MEMORY_FAULTS = [
  "not remembered",
  "remembered twice",
  "heard twice",
  "remembered otherwise",
  "remembered out of order",
  "never said",
  "stray",
  "out of turn",
  "miscounted",
] as const;

export function asTable(rows: readonly Row[]): string {
  return rows
    .map(([name, count, remark = ""]) =>
      `${name.padEnd(26)}${String(count).padStart(8)}  ${remark}`.trimEnd(),
    )
    .join("\n");
}

interface Run<Fault extends string> extends Found<Fault> {
  readonly seed: number;
  readonly folder: string | undefined;
}

/** What went wrong, as far as it can be read at once; empty if nothing did. */
export function complaintOf<Fault extends string>({ violations, seed, folder }: Run<Fault>): string {
  if (violations.length === 0) return "";
  const shown = violations.slice(0, 20).map(({ fault, text }) => `${fault}: ${text}`);
  return [`${violations.length} violations, seed ${seed}, evidence in ${folder}`, ...shown].join("\n");
}

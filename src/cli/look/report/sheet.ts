// A report on a terminal: what matters most first, in rows that fit.

import { displayName } from "../../../domain/message/message.ts";
import type {
  AskedState,
  Report,
  ReportAsked,
  ReportChanged,
  ReportCommand,
  ReportGroup,
  ReportOdd,
} from "../../../legion/report/report.ts";
import { oneLine } from "../../kit/output.ts";
import { clip, spelt, wrap, type Look, type Paint } from "../../kit/terminal.ts";
import { tableRows, type Column } from "../table.ts";
import * as words from "./words.ts";

export interface SheetLayout {
  readonly columns: number;
  readonly paint: Paint;
  /** The command that lists all lines. */
  readonly all: string;
  /** The command, where it is about one run. */
  readonly wayIn: (command: string) => string;
}

const INDENT = "  ";
const QUOTED_ROWS = 3;

const STATE_LOOKS: Readonly<Record<AskedState, Look>> = {
  asks: "yellow",
  parked: "yellow",
  refused: "red",
  unanswered: "red",
  waiting: "yellow",
  working: "cyan",
  answered: "green",
  told: "dim",
};

export function sheetOf(report: Report, layout: SheetLayout): readonly string[] {
  const { paint } = layout;
  const rows = createRows(layout);
  const head = [
    ...rows.text(words.titleOf(report)).map((row) => paint("bold", row)),
    ...words.sumsOf(report).flatMap((line) => rows.text(line)),
  ];
  if (report.agents === 0 && report.asked.total === 0) return head;
  return [
    ...head,
    ...rows.part("Waits for you", report.waiting, (item) => [
      ...rows.hanging(words.waitingWords(item)).map((row) => paint("yellow", row)),
      ...rows.hanging(layout.wayIn(item.way), 4),
    ]),
    ...rows.part("What was asked", report.asked, (item) => askedRows(item, report, rows)),
    ...rows.part("What was odd", report.odd, (item) => oddRows(item, report, rows)),
    ...rows.table("Files that were changed", report.changed, fileColumns(report)),
    ...noteRows(words.fileNotes(report.changed.items), rows),
    ...rows.table("Commands", report.commands, commandColumns(report)),
    ...noteRows(words.commandNotes(report.commands.items), rows),
  ];
}

type Rows = ReturnType<typeof createRows>;

function createRows({ columns, paint, all, wayIn }: SheetLayout) {
  const text = (line: string): readonly string[] => wrap(line, columns);
  const hanging = (line: string, indent = 2): readonly string[] =>
    wrap(line, columns - indent).map((row) => " ".repeat(indent) + row);
  /** Each of them whole, as far as it fits. */
  const facts = (each: readonly string[], indent: number): readonly string[] => {
    const joined: string[] = [];
    for (const fact of each) {
      const longer = joined.length === 0 ? fact : `${joined.at(-1)} · ${fact}`;
      if (longer.length <= columns - indent) joined.splice(-1, 1, longer);
      else joined.push(fact);
    }
    return joined.flatMap((row) => hanging(row, indent));
  };
  const rest = (group: ReportGroup<unknown>): readonly string[] => {
    const more = words.restOf(group);
    return more === undefined ? [] : hanging(`${more}: ${wayIn(all)}`).map(dim);
  };
  const dim = (row: string): string => paint("dim", row);
  const title = (name: string, group: ReportGroup<unknown>): readonly string[] => [
    "",
    ...text(`${name} (${words.totalOf(group)})`).map((row) => paint("bold", row)),
  ];
  const nothing = (name: string): readonly string[] => ["", ...text(`${name}: nothing.`).map(dim)];
  return {
    ...{ columns, paint, text, hanging, facts, dim, wayIn },
    part: <T>(
      name: string,
      group: ReportGroup<T>,
      show: (item: T) => readonly string[],
    ): readonly string[] =>
      group.total === 0
        ? nothing(name)
        : [...title(name, group), ...group.items.flatMap(show), ...rest(group)],
    table<T>(name: string, group: ReportGroup<T>, wanted: readonly Column<T>[]): readonly string[] {
      if (group.total === 0) return nothing(name);
      const space = { columns: columns - INDENT.length, nowMs: 0 };
      const [heads = "", ...rows] = tableRows(group.items, wanted, space).map((row) => INDENT + row);
      return [...title(name, group), dim(heads), ...rows, ...rest(group)];
    },
  };
}

function askedRows(item: ReportAsked, { until }: Report, rows: Rows): readonly string[] {
  const { text, root, state, why, answer } = item;
  const nowMs = Date.parse(until);
  const { columns, paint } = rows;
  const asked = clip(oneLine(text ?? `(${root}, of which no log has the words)`), columns - INDENT.length);
  const mark = words.STATE_WORDS[state];
  const undo = words.undoWords(item);
  const [head = "", ...more] = rows.facts([mark, ...words.askedFacts(item, nowMs)], 4);
  return [
    INDENT + paint("bold", asked),
    head.replace(mark, () => paint(STATE_LOOKS[state], mark)),
    ...more,
    ...(why === "" || state === "asks" ? [] : rows.hanging(oneLine(why), 4)),
    ...(answer ? answerRows(answer, nowMs, rows) : []),
    ...(undo ? rows.hanging(`${undo[0]}; to take back: ${rows.wayIn(undo[1])}`, 4).map(rows.dim) : []),
  ];
}

function answerRows(
  { agent, at, text, receipts }: NonNullable<ReportAsked["answer"]>,
  nowMs: number,
  { columns, hanging, dim }: Rows,
): readonly string[] {
  const said = `${displayName(agent)}, ${words.whenOf(at, nowMs)}: ${oneLine(text)}`;
  const shown = hanging(said, 4);
  const cited = receipts.flatMap((line) => hanging(oneLine(line), 4)).map(dim);
  if (shown.length <= QUOTED_ROWS) return [...shown, ...cited];
  const last = shown.slice(QUOTED_ROWS - 1).map((row) => row.trim());
  return [...shown.slice(0, QUOTED_ROWS - 1), clip(`    ${last.join(" ")}`, columns), ...cited];
}

function oddRows(item: ReportOdd, { until }: Report, { hanging, dim, wayIn }: Rows): readonly string[] {
  const way = item.way === "" ? [] : hanging(wayIn(item.way), 4).map(dim);
  return [...hanging(oneLine(words.oddWords(item, Date.parse(until)))), ...way];
}

function noteRows(notes: readonly string[], { hanging, dim }: Rows): readonly string[] {
  return notes.flatMap((note) => hanging(oneLine(note))).map(dim);
}

type ForWhat = Pick<ReportChanged, "agent" | "asked" | "at" | "seq">;

function forWhat({ until }: Report): readonly Column<ForWhat>[] {
  const when = (at: string): string => words.whenOf(at, Date.parse(until));
  return [
    { title: "BY", align: "left", rank: 0, least: 8, cell: ({ agent }) => displayName(agent) },
    { title: "AT", align: "left", rank: 2, cell: ({ at }) => when(at) },
    { title: "FOR", align: "left", rank: 1, cell: ({ asked }) => clip(oneLine(asked ?? "-"), 40) },
  ];
}

function fileColumns(report: Report): readonly Column<ReportChanged>[] {
  const path = ({ path: to, from, ...item }: ReportChanged): string =>
    (from === undefined ? "" : `${spelt(from)} -> `) + spelt(to) + words.besidesWords(item);
  return [
    { title: "FILE", align: "left", rank: 0, least: 16, cell: path },
    { title: "DID", align: "left", rank: 0, least: 8, cell: words.didWords },
    { title: "LINES", align: "left", rank: 0, cell: words.linesOf },
    ...(report.changed.items.some(({ command }) => command !== null) ? [BY_COMMAND] : []),
    ...forWhat(report),
  ];
}

const BY_COMMAND: Column<ReportChanged> = {
  ...{ title: "COMMAND", align: "left", rank: 1, least: 12 },
  cell: ({ command }) => (command === null ? "" : clip(spelt(command), 40)),
};

const CHANGED: Column<ReportCommand> = {
  ...{ title: "CHANGED", align: "left", rank: 1, least: 9 },
  cell: words.changedWords,
};

function commandColumns(report: Report): readonly Column<ReportCommand>[] {
  return [
    { title: "COMMAND", align: "left", rank: 0, least: 16, cell: ({ command }) => spelt(command) },
    { title: "CAME TO", align: "left", rank: 0, cell: words.cameTo },
    ...(words.isAnyKnown(report.commands.items) ? [CHANGED] : []),
    { title: "TIMES", align: "right", rank: 1, cell: ({ times }) => String(times) },
    ...forWhat(report),
  ];
}

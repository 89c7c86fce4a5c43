// One completion as it streams, broken into rows.

import { MULTILINE_DELIMITER } from "../../../model/protocol/text-syntax.ts";
import { plain, takeRow } from "../../kit/terminal.ts";

export interface TextStream {
  /** Takes in a piece of text and gives out the rows that are complete now. */
  write(piece: string, layout: RowLayout): readonly string[];
  /** Gives out what is left. */
  end(layout: RowLayout): readonly string[];
}

export interface RowLayout {
  readonly columns: number;
  /** Rows are given out as they fill, or only as whole sentences: where others may speak, too. */
  readonly pace: "rows" | "sentences";
}

export interface StreamOptions {
  readonly maxRows: number;
  /** An action written as text comes line by line, without what only delimits its values. */
  readonly content: "prose" | "action";
}

/** A line that is longer does not wait for its end. */
const MAX_PENDING = 2_000;
const MAX_INDENT = 8;

export function createTextStream({ maxRows, content }: StreamOptions): TextStream {
  let pending = "";
  /** Of the line that is being given out, for the rows after its first; `undefined` at the start of a line. */
  let indent: string | undefined;
  let isBlankOwed = false;
  let shown = 0;
  let hidden = 0;

  const give = (row: string): readonly string[] => {
    if (shown >= maxRows) {
      hidden++;
      return [];
    }
    const rows = isBlankOwed && shown > 0 ? ["", row] : [row];
    isBlankOwed = false;
    shown += rows.length;
    return rows;
  };
  const takeOff = (line: string, columns: number) => {
    const { row, rest } = takeRow((indent ?? "") + line, columns);
    indent ??= " ".repeat(Math.min(MAX_INDENT, line.length - line.trimStart().length));
    return { rows: give(row), rest };
  };
  const takeLine = (raw: string, columns: number): readonly string[] => {
    const line = plain(content === "action" ? withoutDelimiters(raw) : raw).trimEnd();
    const rows: string[] = [];
    if (raw.trim() === "" && indent === undefined) isBlankOwed = true;
    for (let rest = line; rest !== "";) {
      const taken = takeOff(rest, columns);
      rows.push(...taken.rows);
      rest = taken.rest;
    }
    indent = undefined;
    return rows;
  };
  return {
    write(piece, { columns, pace }) {
      const mayWait = pace === "sentences" && content === "prose" && pending.length <= MAX_PENDING;
      const { lines, rest } = takeLines(pending + piece, mayWait ? endsSentence : () => true);
      pending = rest;
      const rows = lines.flatMap((line) => takeLine(line, columns));
      // A control sequence may be cut in two by the end of the piece: it waits for the rest of its line.
      const mayFlow = pace === "rows" && content === "prose" && !pending.includes("\u001b");
      const limit = mayFlow ? Math.min(columns, MAX_PENDING) : MAX_PENDING;
      while (pending.length > limit && !pending.includes("\n")) {
        const taken = takeOff(plain(pending), columns);
        rows.push(...taken.rows);
        pending = taken.rest;
      }
      return rows;
    },
    end({ columns }) {
      const rows = pending.split("\n").flatMap((line) => takeLine(line, columns));
      pending = "";
      return hidden > 0 ? [...rows, `… ${hidden} more ${hidden === 1 ? "row" : "rows"}`] : rows;
    },
  };
}

/** The lines up to the last one that is an end, and the text behind them. */
function takeLines(text: string, isEnd: (line: string) => boolean) {
  const lines = text.split("\n");
  const last = lines.pop()!;
  const count = lines.findLastIndex(isEnd) + 1;
  return { lines: lines.slice(0, count), rest: [...lines.slice(count), last].join("\n") };
}

/** Or a paragraph. */
function endsSentence(line: string): boolean {
  return line.trim() === "" || /[.!?:;…。！？：][\p{Pe}\p{Pf}\p{Po}]*\s*$/u.test(line);
}

function withoutDelimiters(line: string): string {
  return line.replace(MULTILINE_DELIMITER, "").replace(/^`{3}\w*$/, "");
}

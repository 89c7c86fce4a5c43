import { plain, takeRow } from "../kit/terminal.ts";

/**
 * Whole rows, those that are too long broken at spaces, under their own indentation; JSON and what has colours stays as
 * it is.
 */
export function fitRows(rows: string, columns: number): string {
  if (columns === Infinity) return rows;
  return rows
    .split("\n")
    .flatMap((row) => (row.startsWith("{") || plain(row) !== row ? [row] : fitRow(row, columns)))
    .join("\n");
}

function fitRow(row: string, columns: number): readonly string[] {
  const indent = /^ */.exec(row)![0].slice(0, Math.floor(columns / 2));
  const taken = takeRow(row, columns);
  const fitted = [taken.row];
  for (let rest = taken.rest; rest !== "";) {
    const next = takeRow(indent + rest, columns);
    fitted.push(next.row);
    rest = next.rest;
  }
  return fitted;
}

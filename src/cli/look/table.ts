// Tables that fit: where there is no room for all columns, texts are cut, and then those that matter least are left out.

import type { Io } from "../kit/command.ts";
import { columnsFor } from "../kit/output.ts";
import { clip, columnsOf } from "../kit/terminal.ts";

export interface Column<Row> {
  readonly title: string;
  readonly align: "left" | "right";
  /** Of two columns that do not fit both, the one with the lower number stays. */
  readonly rank: number;
  /** Rather than leave columns out, it is cut down to this width; absent: it is not. */
  readonly least?: number;
  cell(row: Row, nowMs: number): string;
}

export interface TableSpace {
  readonly columns: number;
  readonly nowMs: number;
}

/** A terminal has room for so much; in a pipe nothing is cut. */
export function tableSpace({ stdout }: Pick<Io, "stdout">): TableSpace {
  return { columns: stdout.isTTY ? columnsFor({ stdout }) : Infinity, nowMs: Date.now() };
}

interface FilledColumn {
  readonly title: string;
  readonly align: "left" | "right";
  readonly rank: number;
  /** Of each row. */
  readonly cells: readonly string[];
  readonly width: number;
  /** What it may be cut to. */
  readonly least: number;
}

const GAP = "  ";
/** What the last column may be cut to. */
const LEAST_LAST = 8;

/** The titles, then a line for each row. */
export function tableRows<Row>(
  rows: readonly Row[],
  wanted: readonly Column<Row>[],
  { columns, nowMs }: TableSpace,
): readonly string[] {
  const filled = wanted.map((column): FilledColumn => {
    const cells = rows.map((row) => column.cell(row, nowMs));
    const width = Math.max(column.title.length, ...cells.map(columnsOf));
    const least = column.least ?? (column === wanted.at(-1) ? LEAST_LAST : width);
    return { ...column, cells, width, least: Math.min(width, least) };
  });
  const shown = fit(filled, columns);
  const line = (textOf: (filled: FilledColumn) => string): string =>
    shown
      .map((one) => pad(textOf(one), one))
      .join(GAP)
      .trimEnd();
  return [line(({ title }) => title), ...rows.map((_, index) => line(({ cells }) => cells[index]!))];
}

/** Leaves out the columns of the highest rank until the others fit, cut or not. */
function fit(all: readonly FilledColumn[], columns: number): readonly FilledColumn[] {
  for (let rank = Math.max(...all.map((column) => column.rank)); rank >= 0; rank--) {
    const shown = all.filter((column) => column.rank <= rank);
    const room = columns - (shown.length - 1) * GAP.length;
    if (sum(shown.map(({ least }) => least)) <= room) return cutTo(room, shown);
  }
  return all.filter(({ rank }) => rank === 0);
}

/** The widest gives way first. */
function cutTo(room: number, shown: readonly FilledColumn[]): readonly FilledColumn[] {
  const widths = shown.map(({ width }) => width);
  for (let over = sum(widths) - room; over > 0; over--) {
    const cuttable = widths.map((width, index) => (width > shown[index]!.least ? width : 0));
    widths[cuttable.indexOf(Math.max(...cuttable))]!--;
  }
  return shown.map((column, index) => ({ ...column, width: widths[index]! }));
}

function sum(widths: readonly number[]): number {
  return widths.reduce((total, width) => total + width, 0);
}

function pad(cell: string, { width, align }: Pick<FilledColumn, "width" | "align">): string {
  const text = clip(cell, width);
  const space = " ".repeat(Math.max(0, width - columnsOf(text)));
  return align === "left" ? text + space : space + text;
}

/** `-`: free. `?`: unknown. */
export function costCell(cost: number | null): string {
  if (cost === null) return "?";
  return cost === 0 ? "-" : `$${cost.toFixed(cost < 100 ? 4 : 2)}`;
}

/** `950`, `29.4k`, `1.2M`. */
export function countCell(count: number): string {
  if (count < 1_000) return String(count);
  return count < 1_000_000 ? `${(count / 1_000).toFixed(1)}k` : `${(count / 1_000_000).toFixed(1)}M`;
}

import { append, appendText, type Build, type Builder } from "./build.ts";
import { elementsIn, lineOf, type DomElement } from "../dom.ts";

/** A table of values becomes rows of one width under one row of names; a table that only arranges, its cells in order. */
const table: Builder = (build, from, into) => {
  build.blocks++;
  const grid = gridOf(from);
  if (!grid) {
    append(build, "div", into, (made) => build.children(from, made));
    return;
  }
  const { caption } = grid;
  if (caption) append(build, "p", into, (made) => build.children(caption, made));
  append(build, "table", into, (made) => addRows(build, grid, made));
};

function addRows(build: Build, { head, body }: Grid, made: DomElement): void {
  const width = (body[0] ?? head[0] ?? []).length;
  const addRow = (section: string, name: string, fill: (cell: DomElement, column: number) => void): void => {
    append(build, section, made, (rows) => {
      append(build, "tr", rows, (tr) => {
        for (let column = 0; column < width; column++) {
          const cell = build.out.createElement(name);
          tr.appendChild(cell);
          build.inLine++;
          build.inCell++;
          fill(cell, column);
          build.inLine--;
          build.inCell--;
        }
      });
    });
  };
  addRow("thead", "th", (cell, column) => addName(build, namesOf(head, column), cell));
  for (const row of body)
    addRow("tbody", "td", (cell, column) => row[column] && build.children(row[column], cell));
}

/** Names in several rows, such as `Default` over `small` and `large`, become one: `Default small`. */
function namesOf(head: readonly Row[], column: number): readonly DomElement[] {
  const names = new Map<string, DomElement>();
  for (const { [column]: cell } of head) {
    const name = lineOf(cell);
    if (cell && name && !names.has(name)) names.set(name, cell);
  }
  return [...names.values()];
}

/** What is left out of a text, such as a control, may be all that a column is called by. */
function addName(build: Build, names: readonly DomElement[], into: DomElement): void {
  for (const [index, name] of names.entries()) {
    if (index > 0) appendText(build, " ", into);
    const before = lineOf(into);
    build.children(name, into);
    if (lineOf(into) === before) appendText(build, lineOf(name), into);
  }
}

const cells: Builder = (build, from, into) => {
  build.blocks++;
  append(build, "div", into, (made) => build.children(from, made));
};

export const TABLE_BUILDERS: readonly (readonly [string, Builder])[] = [
  ["table", table],
  ...["td", "th", "caption"].map((name) => [name, cells] as const),
];

/** The cell that covers a place of the grid, where it should be shown; `undefined` leaves it empty. */
type Row = readonly (DomElement | undefined)[];

/** A table as a rectangle: cells that span others are repeated downwards and leave room to the right. */
interface Grid {
  readonly caption: DomElement | undefined;
  /** Rows of column names; may be empty. */
  readonly head: readonly Row[];
  readonly body: readonly Row[];
}

const MAX_COLUMNS = 100;
/** A longer text is not said again in every row that it covers. */
const REPEATED_LENGTH = 200;
const SECTIONS = new Set(["thead", "tbody", "tfoot"]);

interface SourceRow {
  readonly section: string;
  readonly cells: readonly DomElement[];
}

function rowsOf(table: DomElement): readonly SourceRow[] {
  const rows: SourceRow[] = [];
  const add = (tr: DomElement, section: string): void => {
    const cells = elementsIn(tr).filter(({ localName }) => localName === "td" || localName === "th");
    if (cells.length > 0) rows.push({ section, cells });
  };
  for (const part of elementsIn(table)) {
    if (part.localName === "tr") add(part, "tbody");
    else if (SECTIONS.has(part.localName)) {
      for (const tr of elementsIn(part)) if (tr.localName === "tr") add(tr, part.localName);
    }
  }
  return rows;
}

/** `undefined` for a table that only arranges other content. */
function gridOf(table: DomElement): Grid | undefined {
  const rows = rowsOf(table);
  if (isLayout(table, rows)) return undefined;
  const width = Math.min(MAX_COLUMNS, Math.max(...rows.map(({ cells }) => widthOf(cells))));
  const grid = fill(rows, width);
  const caption = elementsIn(table).find(({ localName }) => localName === "caption");
  const heads = headRows(rows);
  return { caption, head: grid.slice(0, heads), body: grid.slice(heads) };
}

function isLayout(table: DomElement, rows: readonly SourceRow[]): boolean {
  if (rows.length === 0 || /^(?:presentation|none)$/.test(table.getAttribute("role") ?? "")) return true;
  if (table.querySelector("table") !== null) return true;
  if (table.querySelector("th, caption, thead") !== null) return false;
  if (rows.length === 1 || rows.every(({ cells }) => cells.length === 1)) return true;
  return table.querySelector("td h1, td h2, td h3, td p + p, td ul, td form") !== null;
}

/** Rows in `thead` or of nothing but `th` at the top; in a table without any `th`, the first row. */
function headRows(rows: readonly SourceRow[]): number {
  const isHead = ({ section, cells }: SourceRow): boolean =>
    section === "thead" || cells.every(({ localName }) => localName === "th");
  const first = rows.findIndex((row) => !isHead(row));
  if (first > 0) return first;
  if (first < 0) return 1;
  return rows.some(({ cells }) => cells.some(({ localName }) => localName === "th")) ? 0 : 1;
}

function fill(rows: readonly SourceRow[], width: number): readonly Row[] {
  const grid: (DomElement | undefined)[][] = [];
  /** For each column, the cell from above that still covers it, and how many rows down. */
  const covering: ({ cell: DomElement | undefined; rows: number } | undefined)[] = [];
  for (const { cells, section } of rows) {
    const row: (DomElement | undefined)[] = [];
    let column = 0;
    const takeCovered = (): void => {
      for (
        let above = covering[column];
        above && above.rows > 0 && column < width;
        above = covering[column]
      ) {
        above.rows--;
        row[column++] = above.cell;
      }
    };
    for (const cell of cells) {
      takeCovered();
      const down = span(cell, "rowspan") - 1;
      const again = lineOf(cell).length <= REPEATED_LENGTH ? cell : undefined;
      for (let across = span(cell, "colspan"); across > 0 && column < width; across--) {
        const shown = across === span(cell, "colspan") || section === "thead";
        row[column] = shown ? cell : undefined;
        covering[column++] = { cell: shown ? again : undefined, rows: down };
      }
    }
    takeCovered();
    while (row.length < width) row.push(undefined);
    grid.push(row);
  }
  return grid;
}

function widthOf(cells: readonly DomElement[]): number {
  return cells.reduce((width, cell) => width + span(cell, "colspan"), 0);
}

function span(cell: DomElement, name: "colspan" | "rowspan"): number {
  const written = Number.parseInt(cell.getAttribute(name) ?? "", 10);
  return written > 1 ? Math.min(written, MAX_COLUMNS) : 1;
}

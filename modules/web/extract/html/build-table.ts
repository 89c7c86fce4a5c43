import { append, appendText, type Build, type Builder } from "./build.ts";
import { lineOf, type DomElement } from "./dom.ts";
import { gridOf, type Grid, type Row } from "./grid.ts";

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

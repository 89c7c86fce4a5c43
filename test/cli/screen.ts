// As much of a terminal as our console needs: what a person sees, as rows.

import { PassThrough, Writable } from "node:stream";
import { columnsOf } from "../../src/cli/kit/terminal.ts";
import type { ConsoleIo } from "../../src/cli/console/editor/input.ts";

export interface Terminal {
  readonly stdin: ConsoleIo["stdin"] & PassThrough;
  readonly stdout: ConsoleIo["stdout"];
  /** Types keys, and resolves when they were read. */
  type(keys: string): Promise<void>;
  /** Pastes a text as terminals do that mark it, in pieces of this many characters. */
  paste(text: string, size?: number): Promise<void>;
  /** Shows what a program wrote to it. */
  show(text: string): void;
  /** Makes it as wide as this: longer rows are broken, as terminals do. */
  resize(columns: number): void;
  /** Everything that was written, with all sequences. */
  written(): string;
  /** Rows without the spaces at their ends, and without empty ones at the bottom. */
  rows(): string[];
  /** Where the cursor is, both from 0. */
  cursor(): { readonly row: number; readonly column: number };
}

export function createTerminal(width: number): Terminal {
  let columns = width;
  let cells: string[][] = [[]];
  /** Does a row that is full go on in the next one? */
  let wraps = true;
  let written = "";
  let row = 0;
  let column = 0;
  const put = (character: string): void => {
    const size = columnsOf(character);
    if (size === 0) return;
    if (column + size > columns && wraps) newRow();
    column = Math.min(column, columns - size);
    const cell = (cells[row] ??= []);
    cell[column] = character;
    if (size === 2) cell[column + 1] = "";
    column += size;
  };
  const newRow = (): void => {
    row++;
    column = 0;
    cells[row] ??= [];
  };
  const act = (amount: number, letter: string, mode: string): void => {
    if (mode !== "") {
      if (mode === "?7l" || mode === "?7h") wraps = letter === "h";
    } else if (letter === "A") row = Math.max(0, row - amount);
    else if (letter === "C") column = Math.min(columns - 1, column + amount);
    else if (letter === "D") column = Math.max(0, Math.min(column, columns - 1) - amount);
    else if (letter === "G") column = amount - 1;
    else if (letter === "H") row = column = 0;
    else if (letter === "J" && amount === 2) cells = [];
    else if (letter === "J") {
      cells.length = row + 1;
      cells[row]!.length = Math.min(cells[row]!.length, column);
    } else if (letter !== "m") throw new Error(`a terminal that knows nothing of ${letter}`);
  };
  const show = (text: string): void => {
    written += text;
    for (const [piece, mark, amount, letter = ""] of text.matchAll(/\u001b\[(\??)([\d;]*)([A-Za-z])|[^]/gu)) {
      if (letter !== "") act(Number(amount || 1), letter, mark === "" ? "" : `?${amount}${letter}`);
      else if (piece === "\n") newRow();
      else if (piece === "\r") column = 0;
      else if (piece < " ") throw new Error(`${JSON.stringify(piece)} reached the terminal`);
      else put(piece);
    }
  };
  const stdout = new Writable({
    decodeStrings: false,
    write(chunk: string, _, done) {
      show(chunk);
      done();
    },
  });
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => stdin });
  Object.defineProperties(stdout, {
    isTTY: { value: true, configurable: true },
    columns: { get: () => columns },
  });
  return {
    stdin: stdin,
    stdout,
    show,
    written: () => written,
    resize(next) {
      const before = cells;
      const place = cells[row] ?? [];
      columns = next;
      cells = before.flatMap((cell) =>
        Array.from({ length: Math.max(1, Math.ceil(cell.length / next)) }, (_, part) =>
          cell.slice(part * next, (part + 1) * next),
        ),
      );
      const above = before.slice(0, before.indexOf(place));
      row = above.reduce((sum, cell) => sum + Math.max(1, Math.ceil(cell.length / next)), 0);
      row += Math.floor(column / next);
      column %= next;
      stdout.emit("resize");
    },
    async paste(text, size = 4_000) {
      const marked = `\u001b[200~${text}\u001b[201~`;
      for (let at = 0; at < marked.length; at += size) {
        stdin.write(marked.slice(at, at + size));
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
    async type(keys) {
      for (const key of keys) {
        stdin.write(key);
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
    rows() {
      const rows = Array.from(cells, (cell) =>
        Array.from(cell, (character) => character ?? " ")
          .join("")
          .trimEnd(),
      );
      while (rows.at(-1) === "") rows.pop();
      return rows;
    },
    cursor: () => ({ row, column }),
  };
}

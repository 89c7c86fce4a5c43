// As much of a terminal as our console needs: what a person sees, as rows.

import { PassThrough, Writable } from "node:stream";
import type { ConsoleIo } from "../../src/cli/console.ts";

export interface Terminal {
  readonly stdin: ConsoleIo["stdin"];
  readonly stdout: ConsoleIo["stdout"];
  /** Types keys, and resolves when they were read. */
  type(keys: string): Promise<void>;
  /** Rows without the spaces at their ends, and without empty ones at the bottom. */
  rows(): string[];
  /** Where the cursor is, both from 0. */
  cursor(): { readonly row: number; readonly column: number };
}

export function createTerminal(columns: number): Terminal {
  const cells: string[][] = [[]];
  let row = 0;
  let column = 0;
  const put = (character: string): void => {
    if (column === columns) newRow();
    (cells[row] ??= [])[column++] = character;
  };
  const newRow = (): void => {
    row++;
    column = 0;
    cells[row] ??= [];
  };
  const act = (amount: number, letter: string): void => {
    if (letter === "A") row = Math.max(0, row - amount);
    else if (letter === "C") column = Math.min(columns - 1, column + amount);
    else if (letter === "D") column = Math.max(0, Math.min(column, columns - 1) - amount);
    else if (letter === "G") column = amount - 1;
    else if (letter === "J") {
      cells.length = row + 1;
      cells[row]!.length = Math.min(cells[row]!.length, column);
    } else if (letter !== "m") throw new Error(`a terminal that knows nothing of ${letter}`);
  };
  const show = (text: string): void => {
    for (const [piece, amount, letter] of text.matchAll(/\u001b\[(\d*)([A-Za-z])|[^]/gu)) {
      if (letter !== undefined) act(Number(amount || 1), letter);
      else if (piece === "\n") newRow();
      else if (piece === "\r") column = 0;
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
  return {
    stdin: stdin,
    stdout: Object.assign(stdout, { isTTY: true, columns }),
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

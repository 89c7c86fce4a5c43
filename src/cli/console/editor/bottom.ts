// The bottom of a terminal: rows that are painted again in place, and under them the line that is being typed. All else
// is printed above. What changes goes out in one write, so that nothing flickers.

import type { Interface } from "node:readline";
import { Writable } from "node:stream";
import type { ConsoleIo } from "./input.ts";
import { columnsOf, plain } from "../../kit/terminal.ts";

/** The line that is being typed, as its editor shows it. */
type TypedLine = Pick<Interface, "getCursorPos" | "prompt">;

export interface Bottom {
  /** What the line editor writes to. */
  readonly forEditor: NodeJS.WritableStream;
  /** Prints whole rows, each with a newline at its end, above. */
  print(rows: string): void;
  /** What stands at the bottom from now on; each row fits into the terminal. */
  show(rows: readonly string[]): void;
  /** From now on this is typed there; `undefined`: nothing is. */
  type(typed: TypedLine | undefined): void;
  /** The cursor is at the end of what is typed; what the editor writes until all is painted again is not shown. */
  lift(): void;
  /** Paints it again if it was lifted and is not on the screen yet. */
  settle(): void;
  /** Paints all of it where `before`, a sequence for the terminal, brings the cursor. */
  begin(before: string): void;
  /** The terminal has another width now. */
  resize(): void;
  /** Takes all of it away. */
  close(): void;
}

const ESCAPE = "\u001b[";
/** A row whose width terminals disagree on is cut at their edge, never continued in a second one. */
const NO_WRAP = `${ESCAPE}?7l`;
const WRAP = `${ESCAPE}?7h`;
const DEFAULT_COLUMNS = 80;

export function openBottom(screen: ConsoleIo["stdout"]): Bottom {
  let typed: TypedLine | undefined;
  let wanted: readonly string[] = [];
  /** The widths of the rows that are on the screen. */
  let painted: readonly number[] = [];
  /** Takes away what is on the screen, if that has not been written yet. */
  let lifted: string | undefined;
  /** What is being put together for the screen. */
  let frame: string | undefined;
  const columns = (): number => screen.columns || DEFAULT_COLUMNS;
  const forEditor = createTerminalOutput(columns, (text) => {
    if (frame !== undefined) frame += text;
    else if (lifted === undefined) screen.write(text);
  });
  const rowsAboveCursor = (): number => typed?.getCursorPos().rows ?? 0;
  const takeAway = (): string => {
    const up = heightOf(painted, columns()) + rowsAboveCursor();
    painted = [];
    return `${up > 0 ? `${ESCAPE}${up}A` : ""}\r${ESCAPE}J`;
  };
  const paint = (above: string): void => {
    const before = lifted ?? takeAway();
    lifted = undefined;
    const rows = wanted.length > 0 ? `${NO_WRAP}${wanted.join("\n")}\n${WRAP}` : "";
    painted = wanted.map((row) => Math.min(columns(), columnsOf(plain(row))));
    // The editor draws its line as many rows up as that had above the cursor before.
    frame = before + above + rows + "\n".repeat(rowsAboveCursor());
    typed?.prompt(true);
    screen.write(frame);
    frame = undefined;
  };
  const change = (rows: readonly string[], next: TypedLine | undefined): void => {
    lifted ??= takeAway();
    wanted = rows;
    typed = next;
    paint("");
  };
  /** Where it is not, the screen may be a pipe. */
  const isInUse = (): boolean => Boolean(typed) || painted.length > 0 || lifted !== undefined;
  return {
    forEditor,
    print: (rows) => void (isInUse() ? paint(rows) : screen.write(rows)),
    show: (rows) => void (rows.join("\n") !== wanted.join("\n") && change(rows, typed)),
    type: (next) => change(wanted, next),
    lift: () => void (lifted ??= takeAway()),
    settle: () => void (lifted !== undefined && paint("")),
    begin(before) {
      lifted = `\r${ESCAPE}J${before}`;
      paint("");
    },
    resize() {
      // The editor forgets how many rows its line had in the other width; what it writes of that is not shown.
      frame = "";
      forEditor.emit("resize");
      frame = undefined;
      paint("");
    },
    close: () => void (isInUse() && change([], undefined)),
  };
}

/** What the line editor takes for a terminal. */
function createTerminalOutput(columns: () => number, onText: (text: string) => void): Writable {
  const output = new Writable({
    decodeStrings: false,
    write(text: string, _, done) {
      onText(text);
      done();
    },
  });
  return Object.defineProperties(output, { columns: { get: columns }, isTTY: { value: true } });
}

/** A terminal that became narrower has broken rows of these widths into more of them. */
function heightOf(widths: readonly number[], columns: number): number {
  return widths.reduce((sum, width) => sum + Math.max(1, Math.ceil(width / columns)), 0);
}

// The bottom of a terminal: rows that are painted again in place, and under them the line that is being typed. All else
// is printed above. What changes goes out in one write, so that nothing flickers.

import { columnsOf, plain } from "../../kit/terminal.ts";
import { createEditorOutput } from "./editor-output.ts";

/** The line that is being typed, as its editor shows it. */
export interface TypedLine {
  /** How many rows of it are above the cursor. */
  rowsAbove(): number;
  /** Draws it from where the cursor is, as many rows up as it had above the cursor before. */
  draw(): void;
}

export interface Bottom {
  /** What the line editor writes to. */
  readonly forEditor: NodeJS.WritableStream;
  /** Prints whole rows, each with a newline at its end, above. */
  print(rows: string): void;
  /** What stands at the bottom from now on; each row fits into the terminal. */
  show(rows: readonly string[]): void;
  /** From now on this is typed there; `undefined`: nothing is. */
  type(typed: TypedLine | undefined): void;
  /** The cursor is at the end of what is typed; what the editor writes until `settle` is not shown. */
  lift(): void;
  /** Paints all of it again, under `rows` that are new. */
  settle(rows: string): void;
  /** The same where `lift` was called and `settle` was not. */
  settleLifted(): void;
  /** Paints all of it where `before`, a sequence for the terminal, brings the cursor. */
  begin(before: string): void;
  /** The terminal has another width now. */
  resize(): void;
  /** Takes all of it away. */
  close(): void;
}

export type Screen = NodeJS.WritableStream & { readonly columns?: number };

const ESCAPE = "\u001b[";
/** A row whose width terminals disagree on is cut at their edge, never continued in a second one. */
const NO_WRAP = `${ESCAPE}?7l`;
const WRAP = `${ESCAPE}?7h`;
const DEFAULT_COLUMNS = 80;

export function openBottom(screen: Screen): Bottom {
  let typed: TypedLine | undefined;
  let wanted: readonly string[] = [];
  /** The widths of the rows that are on the screen. */
  let painted: readonly number[] = [];
  /** Takes away what is on the screen, if that has not been written yet. */
  let lifted: string | undefined;
  const columns = (): number => screen.columns || DEFAULT_COLUMNS;
  const editor = createEditorOutput(screen, columns);

  const takeAway = (): string => {
    const up = heightOf(painted, columns()) + (typed?.rowsAbove() ?? 0);
    painted = [];
    return `${up > 0 ? `${ESCAPE}${up}A` : ""}\r${ESCAPE}J`;
  };
  const paint = (above: string): void => {
    const before = lifted ?? takeAway();
    lifted = undefined;
    editor.pass();
    const rows = wanted.length > 0 ? `${NO_WRAP}${wanted.join("\n")}\n${WRAP}` : "";
    painted = wanted.map((row) => Math.min(columns(), columnsOf(plain(row))));
    screen.write(
      before + above + rows + (typed ? "\n".repeat(typed.rowsAbove()) + editor.capture(typed.draw) : ""),
    );
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
    forEditor: editor.stream,
    print: (rows) => void (isInUse() ? paint(rows) : screen.write(rows)),
    show(rows) {
      const isSame = rows.length === wanted.length && rows.every((row, index) => row === wanted[index]);
      if (!isSame) change(rows, typed);
    },
    type: (next) => change(wanted, next),
    lift() {
      lifted ??= takeAway();
      editor.lose();
    },
    settle: paint,
    settleLifted: () => void (editor.isLost() && paint("")),
    begin(before) {
      lifted = `\r${ESCAPE}J${before}`;
      paint("");
    },
    resize() {
      // The editor forgets how many rows its line had in the other width.
      editor.lose();
      editor.stream.emit("resize");
      paint("");
    },
    close: () => void (isInUse() && change([], undefined)),
  };
}

/** A terminal that became narrower has broken rows of these widths into more of them. */
function heightOf(widths: readonly number[], columns: number): number {
  return widths.reduce((sum, width) => sum + Math.max(1, Math.ceil(width / columns)), 0);
}

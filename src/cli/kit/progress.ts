import type { Io } from "./command.ts";

export interface Progress {
  /** Shows `text` in place of what was shown before; seldom enough to cost nothing. */
  show(text: string): void;
  clear(): void;
}

const EVERY_MS = 200;

/** One line on standard error that says how far long work has come; nothing where no person watches it. */
export function createProgress({ stderr }: Pick<Io, "stderr">): Progress {
  let shownMs = performance.now();
  let width = 0;
  return {
    show(text) {
      if (!stderr.isTTY || performance.now() - shownMs < EVERY_MS) return;
      shownMs = performance.now();
      stderr.write(`\r${text.padEnd(width)}`);
      width = text.length;
    },
    clear() {
      if (width > 0) stderr.write(`\r${" ".repeat(width)}\r`);
      width = 0;
    },
  };
}

// A text of an agent, cut where it is long; all of it can be looked at, a piece at a time.

import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { grouped } from "./numbers.ts";
import { shown } from "./shown.ts";

const MAX_LINES = 12;
const PIECE_CHARS = 100_000;

interface LongTextProps {
  readonly text: string;
  /** So many characters are shown at first. */
  readonly chars?: number;
  /** Of a program or for one: in columns. */
  readonly isCode?: boolean;
}

export function LongText({ text, chars = 800, isCode = false }: LongTextProps): JSX.Element {
  const length = useSignal(0);
  const first = firstOf(text, chars);
  const end = Math.max(first, length.value);
  const more = (): void => void (length.value = end + PIECE_CHARS);
  const rest = text.length - end;
  return (
    <div class={isCode ? "text code" : "text"}>
      {shown(text.slice(0, end))}
      {rest > 0 && (
        <>
          <span aria-hidden="true">…</span>{" "}
          <button type="button" class="quiet" onClick={more}>
            {rest > PIECE_CHARS ? "Show more" : "Show all"} ({grouped(rest)} more characters)
          </button>
        </>
      )}
      {length.value > 0 && (
        <button type="button" class="quiet" onClick={() => (length.value = 0)}>
          Show less
        </button>
      )}
    </div>
  );
}

/** How much of it is shown at first: not half a character, and no more than some lines. */
function firstOf(text: string, chars: number): number {
  let end = Math.min(chars, text.length);
  let line = -1;
  for (let lines = 0; lines < MAX_LINES; lines++) {
    line = text.indexOf("\n", line + 1);
    if (line === -1 || line > end) break;
    if (lines === MAX_LINES - 1) end = line;
  }
  const isHigh = /[\ud800-\udbff]/.test(text.charAt(end - 1));
  return isHigh && end < text.length ? end - 1 : end;
}

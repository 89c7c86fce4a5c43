// What comes from a terminal, told apart: keys that a person presses, and text that is pasted (bracketed paste).

import { MAX_CONTENT_BYTES } from "../../../domain/message/message.ts";

/** Asks a terminal to mark what is pasted, and to stop doing so. */
export const MARK_PASTES = "\u001b[?2004h";
export const LEAVE_PASTES = "\u001b[?2004l";
const START = "\u001b[200~";
const END = "\u001b[201~";
const INTERRUPT = "\u0003";
export const ESCAPE = "\u001b";
/** Nobody presses so many keys at once: it was pasted, or comes from a program. */
const MOST_KEYS = 1_000;
/** What could be the beginning of a mark, or of another key, is a key of its own if nothing follows. */
const MARK_MS = 50;

export interface KeyListener {
  readonly onKeys: (keys: string) => void;
  /** The Escape key, alone: other keys begin as it does. */
  readonly onEscape: () => void;
  /** Line ends are as they came. Of a text longer than a message can be, enough is kept to tell. */
  readonly onPaste: (text: string) => void;
  /** The person gave up a paste whose end did not come; nothing of it was kept. */
  readonly onLeft: () => void;
}

/** Takes in what was read, in pieces of any size. */
export function createKeys({ onKeys, onEscape, onPaste, onLeft }: KeyListener): (chunk: string) => void {
  let held = "";
  let pasted: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  const press = (keys: string): void => {
    if (keys.length > MOST_KEYS) onPaste(keys);
    else if (keys !== "") onKeys(keys);
  };
  const step = (text: string): string => {
    const mark = pasted === undefined ? START : END;
    const at = text.indexOf(mark);
    const end = at < 0 ? text.length - overlap(text, mark) : at;
    const before = text.slice(0, end);
    if (pasted === undefined) press(before);
    else if (pasted.length <= MAX_CONTENT_BYTES) pasted += before;
    if (at < 0) {
      held = text.slice(end);
      return "";
    }
    const whole = pasted;
    pasted = whole === undefined ? "" : undefined;
    if (whole !== undefined) onPaste(whole);
    return text.slice(at + mark.length);
  };
  const release = (): void => {
    if (held === ESCAPE) onEscape();
    else press(held);
    held = "";
  };
  return (chunk) => {
    clearTimeout(timer);
    // The end of a paste may have been lost; no paste consists of this alone.
    if (pasted !== undefined && chunk === INTERRUPT) {
      pasted = undefined;
      held = "";
      return onLeft();
    }
    let rest = held + chunk;
    held = "";
    while (rest !== "") rest = step(rest);
    if (held !== "" && pasted === undefined) timer = setTimeout(release, MARK_MS).unref();
  };
}

/** How much of the end of `text` could be the beginning of `mark`. */
function overlap(text: string, mark: string): number {
  for (let length = Math.min(text.length, mark.length - 1); length > 0; length--)
    if (text.endsWith(mark.slice(0, length))) return length;
  return 0;
}

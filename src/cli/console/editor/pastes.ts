// Texts that are too long, or have too many lines, to stand in the line that is being typed: there stands a mark in their
// place.

import { LegionError } from "../../../base/errors.ts";
import { MAX_CONTENT_BYTES } from "../../../domain/message/message.ts";
import { columnsOf, plain } from "../../kit/terminal.ts";
import { TOO_LONG } from "./input.ts";

export interface Pastes {
  /** `text` itself where it can stand in a line, else a mark for it. */
  fold(text: string): string;
  /** A line with the texts that its marks stand for. Throws USAGE if one is kept no longer, or all are too long for a message. */
  unfold(line: string): string;
  /** A text of several lines as one line: the first, and a mark for the others. */
  foldLines(text: string): string;
}

/** What is kept for marks that may be sent once more, in characters. */
const MAX_KEPT = 4 * 1_048_576;
const MAX_SHOWN = 200;
const MARK = /\[pasted #(\d+): [\d,]+ (?:lines?|characters)\]/g;

export function createPastes(): Pastes {
  const texts = new Map<number, string>();
  let newest = 0;
  let kept = 0;
  const mark = (text: string): string => {
    texts.set(++newest, text);
    kept += text.length;
    for (const [number, old] of texts) {
      if (kept <= MAX_KEPT || number === newest) break;
      texts.delete(number);
      kept -= old.length;
    }
    const lines = text.trim().split("\n").length;
    const size = lines > 1 ? `${lines} lines` : `${text.length.toLocaleString("en")} characters`;
    return `[pasted #${newest}: ${size}]`;
  };
  return {
    fold(pasted) {
      // The line end that was copied with a line is not part of it.
      const text = pasted.replace(/\r\n?/g, "\n").replace(/\n$/, "");
      return plain(text) === text && !text.includes("\n") && columnsOf(text) <= MAX_SHOWN ? text : mark(text);
    },
    unfold(line) {
      let length = 0;
      return line.replace(MARK, (shown, digits: string) => {
        const number = Number(digits);
        const text = texts.get(number);
        if (text === undefined && number <= newest)
          throw new LegionError("USAGE", `${shown} is kept no longer; paste it again`);
        length += text?.length ?? 0;
        if (length > MAX_CONTENT_BYTES) throw new LegionError("USAGE", `a line is ${TOO_LONG}`);
        return text ?? shown;
      });
    },
    foldLines(text) {
      const end = text.indexOf("\n");
      return end < 0 ? text : text.slice(0, end) + mark(text.slice(end));
    },
  };
}

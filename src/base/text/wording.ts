import { nearest } from "./nearest.ts";

/** `text` on one line in backticks, cut where it would drown the sentence around it. */
export function quote(text: string): string {
  const start = text.slice(0, 400).replace(/\s+/g, " ").trim();
  return `\`${start.length > 80 || text.length > 400 ? `${start.slice(0, 79)}…` : start}\``;
}

/** `a`, `b` and `c`, quoted; past ten the rest is counted. */
export function enumerate(names: readonly string[], conjunction: "and" | "or" = "and"): string {
  const shown = names.slice(0, 10).map(quote);
  if (names.length > shown.length) shown.push(`${names.length - shown.length} more`);
  const last = shown.pop() ?? "";
  return shown.length === 0 ? last : `${shown.join(", ")} ${conjunction} ${last}`;
}

/** `1 line`, `2 lines`. */
export function count(n: number, unit: string): string {
  return `${n} ${unit}${n === 1 ? "" : "s"}`;
}

/** ` Did you mean ...?` with a leading space, or nothing if no name is near. */
export function didYouMean(name: string, names: readonly string[]): string {
  const near = nearest(name, names);
  return near.length === 0 ? "" : ` Did you mean ${enumerate(near, "or")}?`;
}

/** `text`, or its beginning and end with the number of characters left out between them. */
export function elide(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const half = Math.floor(maxChars / 2);
  // A cut must not part the two halves of a character: providers refuse what is left of it.
  const start = text.slice(0, half).replace(/[\uD800-\uDBFF]$/, "");
  const end = text.slice(text.length - half).replace(/^[\uDC00-\uDFFF]/, "");
  return `${start} [... ${count(text.length - start.length - end.length, "character")} left out ...] ${end}`;
}

/** What nobody sees, and a model may still read past; a byte order mark is a blank for some. */
const UNSEEN = /(?!\ufeff)[\p{Cf}\p{Mn}\u115f\u1160\u3164\uffa0]+/gu;
/** A hyphen, or what looks like one. */
const HYPHEN = "[-\\u2010-\\u2015\\u2212\\ufe58\\ufe63\\uff0d]";
const HYPHENS = new RegExp(HYPHEN);
const MARK = Array(3).fill(HYPHEN).join("\\ufeff*");
/** Of one line without what nobody sees. No part of it can end where the next begins: it takes no longer than the line. */
const HEADER = new RegExp(`^\\s*${MARK}\\s.*\\s${MARK}\\s*$`);
const LINE = /[^\n\r\u2028\u2029]+/g;

/** `text` with a backslash before each line that would look like one of our headers, such as that of a message. */
export function escapeHeaders(text: string): string {
  if (!HYPHENS.test(text)) return text;
  const isHeader = (line: string): boolean => HYPHENS.test(line) && HEADER.test(line.replace(UNSEEN, ""));
  return text.replace(LINE, (line) => (isHeader(line) ? `\\${line}` : line));
}

// What Jinja has in its syntax and we do not: named, with what stands for it.

import { fail } from "../python/values.ts";

/** Marks that keep blanks where a setting strips them. */
const KEPT_BLANKS = /\{[{%#]\+|\+[%#]\}/;

/** The first such mark of a template, and where it stands. */
export function keptBlanksIn(text: string): { readonly fault: string; readonly offset: number } | undefined {
  const found = KEPT_BLANKS.exec(text);
  if (!found) return undefined;
  const fault = `\`${found[0]}\` is not supported; leave out the +: blanks are kept anyway`;
  return { fault, offset: found.index };
}

/** The first word of a condition that is none of the tag. */
const STRAY: ReadonlyMap<string, string> = new Map([
  ["if", "if"],
  ["elif", "if"],
  ["for", "else"],
]);

/**
 * Jinja takes no `a if b else c` for what such a tag goes by, unless it stands in brackets; the library does.
 *
 * @param start where the name of the tag is
 */
export function checkCondition(
  tokens: readonly { readonly type: string; readonly value: string }[],
  start: number,
): void {
  const stray = STRAY.get(tokens[start]!.value);
  let depth = 0;
  for (let index = start + 1; stray !== undefined && index < tokens.length; index++) {
    const { type, value } = tokens[index]!;
    if (type.endsWith("Statement")) return;
    if (type.startsWith("Open")) depth++;
    if (type.startsWith("Close")) depth--;
    if (depth === 0 && type === "Identifier" && value === stray && tokens[index - 1]!.type !== "Dot")
      fail(`syntax error at \`${value}\`; put the condition in parentheses`);
  }
}

/** What is wrong where `next` stands right behind the operand `value`. */
export function faultBehind(value: string, next: string): string {
  if (/^\d+(?:\.\d+)?$/.test(value) && /^e\d*$/i.test(next))
    return `the number \`${value}${next}\` is not supported; write it without e`;
  if (next === "recursive") return "`for ... recursive` is not supported; write a loop inside the loop";
  return `syntax error at \`${next.slice(0, 40)}\``;
}

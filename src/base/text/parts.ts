// Long texts in parts, each of which takes a few milliseconds at most, whatever is done with it.

/** In UTF-16 units. */
const PART = 65_536;

/** `text` in parts, in their order; one of a text that is no longer than that. No part ends within a character. */
export function partsOf(text: string): readonly string[] {
  if (text.length <= PART) return [text];
  const parts: string[] = [];
  for (let from = 0; from < text.length;) {
    const most = from + PART;
    const to = most < text.length && isHalf(text.charCodeAt(most - 1)) ? most - 1 : most;
    parts.push(text.slice(from, to));
    from = to;
  }
  return parts;
}

/** Is it the first half of a character? */
function isHalf(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}

/** `text` with `newText` in place of `oldText`, both with the line ends of `text`; or how often `oldText` occurs. */
export function replaceOnce(text: string, oldText: string, newText: string): string | number {
  const toLineEnds = text.includes("\r\n") ? withCrlf : (part: string) => part;
  for (const [wanted, replacement] of [
    [toLineEnds(oldText), toLineEnds(newText)],
    [oldText, newText],
  ] as const) {
    const { first, count } = find(text, wanted);
    if (count > 1) return count;
    if (count === 1) return text.slice(0, first) + replacement + text.slice(first + wanted.length);
  }
  return 0;
}

function withCrlf(text: string): string {
  return text.replace(/\r?\n/g, "\r\n");
}

/**
 * Where `part` first stands in `text`, and how often; overlapping places count, since each could be meant.
 * Knuth, Morris and Pratt: `indexOf` may take minutes for texts that repeat themselves, this never does.
 */
function find(text: string, part: string): { readonly first: number; readonly count: number } {
  const borders = bordersOf(part);
  let first = -1;
  let count = 0;
  let matched = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    while (matched > 0 && part.charCodeAt(matched) !== unit) matched = borders[matched - 1]!;
    if (part.charCodeAt(matched) === unit) matched++;
    if (matched < part.length) continue;
    if (count++ === 0) first = at - part.length + 1;
    matched = borders[matched - 1]!;
  }
  return { first, count };
}

/** For each prefix of `part`: the length of the longest shorter prefix that it ends with. */
function bordersOf(part: string): Int32Array {
  const borders = new Int32Array(part.length);
  for (let at = 1, matched = 0; at < part.length; at++) {
    while (matched > 0 && part.charCodeAt(matched) !== part.charCodeAt(at)) matched = borders[matched - 1]!;
    if (part.charCodeAt(matched) === part.charCodeAt(at)) matched++;
    borders[at] = matched;
  }
  return borders;
}

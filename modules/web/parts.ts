// A long text in parts that a model can take.

/** How long a text is, in tokens; of two texts together no more than the sum. */
export type CountTokens = (text: string) => number;

/** A long line is cut at a space, if there is one in this last share of what fits. */
const SEARCHED_SHARE = 1 / 4;

/**
 * Parts of at most `maxTokens`, divided between lines; a line that is longer is cut. Joined with newlines, and cut lines
 * directly, they are the text again. At least one part; empty for an empty text.
 */
export function divide(text: string, maxTokens: number, count: CountTokens): readonly string[] {
  const parts: string[] = [];
  let lines: string[] = [];
  let tokens = 0;
  const flush = (): void => {
    if (lines.length > 0) parts.push(lines.join("\n"));
    lines = [];
    tokens = 0;
  };
  for (const line of text.split("\n")) {
    const added = count(`${line}\n`);
    if (tokens + added > maxTokens) flush();
    if (added > maxTokens) parts.push(...cut(line, maxTokens, count));
    else {
      lines.push(line);
      tokens += added;
    }
  }
  flush();
  return parts.length > 0 ? parts : [""];
}

function cut(line: string, maxTokens: number, count: CountTokens): readonly string[] {
  const pieces: string[] = [];
  let from = 0;
  while (from < line.length) {
    const end = endOfPiece(line, { from, maxTokens }, count);
    pieces.push(line.slice(from, end));
    from = end;
  }
  return pieces;
}

/** Where the longest piece ends that begins at `from` and fits. */
function endOfPiece(
  line: string,
  { from, maxTokens }: { readonly from: number; readonly maxTokens: number },
  count: CountTokens,
): number {
  // A token has seldom fewer than one character and seldom more than eight, so the search is over a short stretch.
  let fits = from + 1;
  let reaches = Math.min(line.length, from + 8 * maxTokens);
  while (fits < reaches) {
    const middle = Math.ceil((fits + reaches) / 2);
    if (count(line.slice(from, middle)) <= maxTokens) fits = middle;
    else reaches = middle - 1;
  }
  if (fits === line.length) return fits;
  // Only there: a search through all of what stands before would be quadratic.
  const searched = fits - Math.floor((fits - from) * SEARCHED_SHARE);
  const space = line.slice(searched - 1, fits).lastIndexOf(" ");
  const end = space === -1 ? fits : searched + space;
  if (!isInsidePair(line, end)) return end;
  return end - 1 > from ? end - 1 : end + 1;
}

/** Would a cut here divide one character? */
function isInsidePair(text: string, index: number): boolean {
  const [before, after] = [text.charCodeAt(index - 1), text.charCodeAt(index)];
  return before >= 0xd800 && before < 0xdc00 && after >= 0xdc00 && after < 0xe000;
}

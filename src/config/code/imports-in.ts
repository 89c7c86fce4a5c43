// Which other code the text of a module loads, as far as its text tells. It reads no grammar: every `import`, `from` and
// `require` before a name in quotes counts, in comments and strings, too. So nothing is hidden by what would confuse a
// parser, and what is too much does no harm: it is looked at, and mostly not there.
//
// A text that wants to hide what it loads can: this is for whoever trusts a module as it is, and wants to hear of changes.

export interface Imports {
  /** As they are written, each once. */
  readonly specifiers: readonly string[];
  /** What loads code that only running it tells, such as `import(...)` of a variable; empty: `specifiers` is all. */
  readonly untold: readonly string[];
}

/** Modules of Node that run code from elsewhere. */
const LOADERS = new Set(["cluster", "module", "vm", "worker_threads"]);
const DYNAMIC =
  /\b(?:(?:eval|fork|Function)\s*\(|new\s+Function\b|new\s+(?:Shared)?Worker\b|getBuiltinModule\b)/g;

export function importsIn(text: string): Imports {
  const specifiers = new Set<string>();
  const untold = new Set<string>([...text.matchAll(DYNAMIC)].map(([found]) => found.replace(/\W+$/, "")));
  const scan = createScan(text);
  for (const { 0: word, index } of text.matchAll(/(?<!(?<!\.\.)\.)\b(import|from)\b|\b(require)\b/g)) {
    const found = specifierAt(scan, word, index + word.length);
    if (found === "untold") untold.add(`${word}(...)`);
    else if (found !== "none") specifiers.add(found.specifier);
  }
  for (const specifier of specifiers) {
    if (LOADERS.has(specifier.replace(/^node:/, ""))) untold.add(specifier);
  }
  return { specifiers: [...specifiers], untold: [...untold] };
}

type FoundImport = { readonly specifier: string } | "untold" | "none";

/** What follows the word that ends before `at`. */
function specifierAt({ text, skip }: Scan, word: string, at: number): FoundImport {
  let next = skip(at);
  if (text[next] === "." && word !== "from") {
    const [member = ""] = /^\.\s*(?:resolve|defer|source)\b/.exec(text.slice(next, next + 40)) ?? [];
    if (member === "") return "none";
    next = skip(next + member.length);
  }
  if (text.startsWith("?.", next) && word !== "from") next = skip(next + 2);
  const isCall = text[next] === "(" && word !== "from";
  if (isCall) next = skip(next + 1);
  const quote = text[next] ?? "";
  if (!"\"'`".includes(quote) || quote === "") return isCall ? "untold" : "none";
  const end = text.indexOf(quote, next + 1);
  const specifier = end < 0 ? "" : text.slice(next + 1, end);
  // A name over several lines is the text between two others.
  if (end < 0 || /[\r\n]/.test(specifier)) return isCall ? "untold" : "none";
  if (specifier.includes("\\") || (quote === "`" && specifier.includes("${"))) return "untold";
  return isCall && !"),".includes(text[skip(end + 1)] ?? " ") ? "untold" : { specifier };
}

interface Scan {
  readonly text: string;
  /** Where white space and comments end that begin at `at`. To be asked from front to back. */
  skip(at: number): number;
}

function createScan(text: string): Scan {
  /** Of the comment that was looked at last: a text full of beginnings is not searched for an end again and again. */
  let commentEnd = -1;
  const endOfComment = (at: number): number => {
    if (commentEnd < at + 4) {
      const found = text.indexOf("*/", at + 2);
      commentEnd = found < 0 ? text.length : found + 2;
    }
    return commentEnd;
  };
  /** Of the comment that was looked at last: what lies between it and the one before is skipped, too. */
  let lineEnd = -1;
  const endOfLine = (at: number): number => {
    if (lineEnd <= at) lineEnd = past(line, at);
    return lineEnd;
  };
  const space = /\s*/y;
  const line = /[^\r\n\u2028\u2029]*/y;
  const past = (pattern: RegExp, at: number): number => {
    pattern.lastIndex = at;
    pattern.test(text);
    return pattern.lastIndex;
  };
  return {
    text,
    skip(at) {
      for (let next = past(space, at); ; next = past(space, next)) {
        if (text.startsWith("//", next)) next = endOfLine(next);
        else if (text.startsWith("/*", next)) next = endOfComment(next);
        else return next;
      }
    },
  };
}

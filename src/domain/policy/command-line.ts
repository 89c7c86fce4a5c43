// A command as a shell reads it, as far as that can be told without running it. What is not read plainly says so: then its
// parts are a guess, good enough to deny or to ask, and never to allow.

export type Words = readonly string[];

/** In a word: whatever the shell may put there. As a whole word: any words, also none. */
export const HOLE = "\0";

export interface CommandLine {
  /** The simple commands of its lists and pipes. */
  readonly parts: readonly Words[];
  /** What of it a shell makes something else of, such as `a substitution`; absent: `parts` are all of it. */
  readonly unread?: string;
}

/** Texts of documents are read on their own as well; a command with more of them may be anything. */
const MAX_TEXTS = 32;
const KEYWORDS = new Set(
  "! { } if then elif else fi for while until do done case esac in select function time coproc [[ ]]".split(
    " ",
  ),
);
const ASSIGNMENT = /^[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=/;
/** Of what stands between braces, this makes several words. */
const SEVERAL = /,|\.\./;

/** Reads `text` as bash would. */
export function readCommandLine(text: string): CommandLine {
  const line: LineReading = { parts: [], texts: [{ text, closes: "" }], unread: undefined };
  if (text.includes(HOLE)) line.unread = "a NUL";
  for (let next = 0; next < line.texts.length; next++) readText(line, line.texts[next]!);
  const { parts, unread } = line;
  return unread === undefined ? { parts } : { parts, unread };
}

interface LineReading {
  readonly parts: Words[];
  /** What is still to be read: a command, or a text with substitutions. */
  readonly texts: { readonly text: string; readonly closes: "" | "text" }[];
  unread: string | undefined;
}

interface PartReading {
  words: string[];
  /** The word that is being read. */
  word: string | undefined;
  /** Is some of the word quoted? Then it is no keyword. */
  isQuoted: boolean;
  hasBraces: boolean;
  /** What comes next: a word of the command, where a redirection leads, what ends a document, or a document itself. */
  next: "word" | "target" | "end" | "document";
}

/** Inside of what the reading is. */
interface Nesting {
  /** What ends it. */
  readonly closes: "" | "text" | '"' | ")" | "`" | "\\`" | "}";
  readonly part: PartReading;
  /** Does it leave a hole in the part around it? */
  readonly isHole: boolean;
  /** How many `case` are open in it: a parenthesis may end one of their patterns. */
  cases: number;
}

interface TextReading {
  readonly line: LineReading;
  readonly text: string;
  at: number;
  /** The innermost is the last. */
  readonly levels: Nesting[];
  /** What ends the documents that begin with the next line. */
  readonly ends: string[];
}

/** What to do with what fits at this place. */
type ReadingStep = readonly [pattern: RegExp, take: (reading: TextReading, found: RegExpExecArray) => void];

const SUBSTITUTIONS: readonly ReadingStep[] = [
  [/\$\(/y, (reading) => open(reading, ")", "a substitution")],
  [/`/y, (reading) => tick(reading, "`")],
  [/\$\{/y, (reading) => open(reading, "}", "a variable")],
  [/\$(?:[A-Za-z_]\w*|[\d@*#?$!-])?/y, (reading) => add(unread(reading, "a variable"), HOLE)],
];

const QUOTED_STEPS: readonly ReadingStep[] = [
  [/\\\n/y, () => undefined],
  [/\\([$`"\\])/y, (reading, [, sign]) => add(reading, sign!)],
  [/"/y, (reading) => (innermost(reading).closes === "text" ? undefined : close(reading))],
  ...SUBSTITUTIONS,
  [/[^\\"$`]+|[^]/y, (reading, [text]) => add(reading, text)],
];

const PLAIN_STEPS: readonly ReadingStep[] = [
  [/\\\n/y, () => undefined],
  [/\\`/y, (reading) => (closing(reading, "`") === -1 ? quote(reading, "`") : tick(reading, "\\`"))],
  [/\\([^])/y, (reading, [, character]) => quote(reading, character!)],
  [/'([^']*)'/y, (reading, [, inside]) => quote(reading, inside!)],
  [/\$'(?:[^'\\]|\\[^])*'/y, (reading) => quote(unread(reading, "an encoded word"), HOLE)],
  [/"/y, openQuote],
  [/['\\]/y, (reading) => void unread(reading, "a quote that has no end")],
  [/[<>]\(/y, (reading) => open(reading, ")", "a substitution")],
  ...SUBSTITUTIONS,
  [/&>>?|<<<|<<-?|<[&>]?|>[>|&]?/y, redirect],
  [/[;|&]/y, endPart],
  [/\n/y, endLine],
  [/\(/y, (reading) => (endPart(reading), open(reading, ")", "a group"))],
  [/\)/y, closeGroup],
  [/\}/y, (reading) => (innermost(reading).closes === "}" ? close(reading) : addBrace(reading, "}"))],
  [/\{/y, (reading) => addBrace(reading, "{")],
  [/[*?]|\[[^\]\s/]*\]/y, (reading) => add(unread(reading, "a pattern"), HOLE)],
  [
    /~/y,
    (reading) => add(unread(reading, "a pattern"), innermost(reading).part.word === undefined ? HOLE : "~"),
  ],
  [/[[\]]/y, (reading, [sign]) => add(unread(reading, "a pattern"), sign)],
  [/[ \t]+/y, endWord],
  [/#/y, readHash],
  [/[^\s\\'"$`<>;|&()*?[\]{}~#]+|[^]/y, (reading, [plain]) => add(reading, plain)],
];

function readText(line: LineReading, { text, closes }: LineReading["texts"][number]): void {
  const base: Nesting = { closes, part: newPart(), isHole: false, cases: 0 };
  const reading: TextReading = { line, text, at: 0, levels: [base], ends: [] };
  while (reading.at < text.length) {
    const { closes } = innermost(reading);
    for (const [pattern, take] of closes === '"' || closes === "text" ? QUOTED_STEPS : PLAIN_STEPS) {
      pattern.lastIndex = reading.at;
      const found = pattern.exec(text);
      if (!found) continue;
      reading.at += found[0].length;
      take(reading, found);
      break;
    }
  }
  if (reading.levels.length > 1) unread(reading, "something that has no end");
  while (reading.levels.length > 1) close(reading);
  if (closes === "") endPart(reading);
}

function newPart(): PartReading {
  return { words: [], word: undefined, isQuoted: false, hasBraces: false, next: "word" };
}

function innermost({ levels }: TextReading): Nesting {
  return levels.at(-1)!;
}

function unread(reading: TextReading, what: string): TextReading {
  reading.line.unread ??= what;
  return reading;
}

function add(reading: TextReading, text: string): void {
  const { part } = innermost(reading);
  part.word = (part.word ?? "") + text;
}

function quote(reading: TextReading, text: string): void {
  add(reading, text);
  innermost(reading).part.isQuoted = true;
}

function addBrace(reading: TextReading, brace: string): void {
  add(unread(reading, "a pattern"), brace);
  innermost(reading).part.hasBraces = true;
}

/** What is quoted belongs to the word around it. */
function openQuote(reading: TextReading): void {
  quote(reading, "");
  const { part } = innermost(reading);
  reading.levels.push({ closes: '"', part, isHole: false, cases: 0 });
}

/** What is inside is a command of its own. */
function open(reading: TextReading, closes: Nesting["closes"], what: string): void {
  unread(reading, what);
  reading.levels.push({ closes, part: newPart(), isHole: what !== "a group", cases: 0 });
}

function close(reading: TextReading): void {
  const { closes, isHole } = innermost(reading);
  if (closes !== '"') endPart(reading);
  reading.levels.pop();
  if (isHole) add(reading, HOLE);
}

/** Which level `sign` ends; -1 if none. */
function closing({ levels }: TextReading, sign: Nesting["closes"]): number {
  return levels.findLastIndex(({ closes }) => closes === sign);
}

/** Ends the substitution that it began, whatever is open inside of that, or begins one. */
function tick(reading: TextReading, sign: "`" | "\\`"): void {
  const ended = closing(reading, sign);
  if (ended === -1) return open(reading, sign, "a substitution");
  while (reading.levels.length > ended) close(reading);
}

function closeGroup(reading: TextReading): void {
  const { closes, cases } = innermost(reading);
  if (closes === ")" && cases === 0) close(reading);
  else endPart(unread(reading, "a group"));
}

function redirect(reading: TextReading, [sign]: RegExpExecArray): void {
  const { part } = innermost(unread(reading, "a redirection"));
  // The number of what is redirected.
  if (!part.isQuoted && /^\d+$/.test(part.word ?? "")) part.word = undefined;
  endWord(reading);
  part.next = sign === "<<<" ? "document" : sign.startsWith("<<") ? "end" : "target";
}

/** A comment begins at the beginning of a word. */
function readHash(reading: TextReading): void {
  if (innermost(reading).part.word !== undefined) return add(reading, "#");
  unread(reading, "a comment");
  reading.at = (reading.text.indexOf("\n", reading.at) + 1 || reading.text.length + 1) - 1;
}

function endWord(reading: TextReading): void {
  const level = innermost(reading);
  const { part } = level;
  const { words, word, next } = part;
  if (word === undefined) return;
  const isKeyword = !part.isQuoted && (word === "{" || (words.length === 0 && KEYWORDS.has(word)));
  const meant = part.hasBraces && SEVERAL.test(word) ? HOLE : word;
  Object.assign(part, { word: undefined, isQuoted: false, hasBraces: false, next: "word" });
  if (next === "end") reading.ends.push(word);
  else if (next === "document") later(reading, word);
  else if (next === "target") return;
  else if (isKeyword) readKeyword(unread(reading, `\`${word}\``), word);
  else if (words.length === 0 && ASSIGNMENT.test(word)) unread(reading, "an assignment");
  else words.push(meant);
}

function readKeyword(reading: TextReading, word: string): void {
  const level = innermost(reading);
  if (word === "case") level.cases++;
  else if (word === "esac") level.cases = Math.max(0, level.cases - 1);
  // It takes options, as a program does.
  else if (word === "time") level.part.words.push(word);
  else if (word === "{") endPart(reading);
}

function endPart(reading: TextReading): void {
  endWord(reading);
  const { part } = innermost(reading);
  if (part.words.length > 0) reading.line.parts.push(part.words);
  part.words = [];
  part.next = "word";
}

/** With the line that a document is named in ends what stands before its text. */
function endLine(reading: TextReading): void {
  endPart(reading);
  const { text, ends } = reading;
  for (const end of ends.splice(0)) {
    const from = reading.at;
    let until: number;
    do {
      until = (text.indexOf("\n", reading.at) + 1 || text.length + 1) - 1;
      const isEnd = text.slice(reading.at, until).replace(/^\t+/, "") === end;
      if (isEnd) later(reading, text.slice(from, reading.at));
      else if (until === text.length) later(reading, text.slice(from));
      reading.at = Math.min(until + 1, text.length);
      if (isEnd) break;
    } while (until < text.length);
  }
}

/** A document is a command where a shell gets it; and what is quoted in it is not. */
function later({ line }: TextReading, text: string): void {
  if (line.texts.length < MAX_TEXTS) line.texts.push({ text, closes: "" }, { text, closes: "text" });
  else line.parts.push([HOLE]);
}

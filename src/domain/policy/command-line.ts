// A command as a shell reads it, as far as that can be told without running it. What is not read plainly says so: then its
// parts are a guess, good enough to deny or to ask, and never to allow.

export type Words = readonly string[];

export interface CommandLine {
  /** The simple commands of its lists and pipes. */
  readonly parts: readonly Words[];
  /** What of it a shell makes something else of, such as `a substitution`; absent: `parts` are all of it. */
  readonly unread?: string;
}

/** What follows a substitution is read on its own as well; of more of them the rest does not count. */
const MAX_SUBSTITUTIONS = 32;
const KEYWORDS = new Set(
  "! { } if then elif else fi for while until do done case esac in select function time coproc [[ ]]".split(
    " ",
  ),
);
const ASSIGNMENT = /^[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=/;

/** Reads `text` as bash would. */
export function readCommandLine(text: string): CommandLine {
  const reading: LineReading = { parts: [], words: [], word: undefined, isQuoted: false, unread: undefined };
  const rest = [text];
  for (let next = 0; next < Math.min(rest.length, MAX_SUBSTITUTIONS); next++)
    read(reading, rest[next]!, rest);
  const { parts, unread } = reading;
  return unread === undefined ? { parts } : { parts, unread };
}

interface LineReading {
  readonly parts: Words[];
  words: string[];
  /** The word that is being read. */
  word: string | undefined;
  /** Is a part of it quoted? Then it is no keyword. */
  isQuoted: boolean;
  unread: string | undefined;
}

/** What to do with what fits at this place. */
type ReadingStep = readonly [
  pattern: RegExp,
  take: (reading: LineReading, found: RegExpExecArray, rest: string[], after: string) => void,
];

const STEPS: readonly ReadingStep[] = [
  [/\\\n/y, () => undefined],
  [/\\([^])/y, (reading, [, character]) => add(reading, character!, "quoted")],
  [/'([^']*)'/y, (reading, [, inside]) => add(reading, inside!, "quoted")],
  [/"((?:[^"\\]|\\[^])*)"/y, (reading, [, inside], rest) => addQuoted(reading, inside!, rest)],
  [/['"\\]/y, (reading) => void (reading.unread ??= "a quote that has no end")],
  [/\$\(|`|[<>]\(/y, (reading, _, rest, after) => substitute(reading, after, rest)],
  [/\$/y, (reading) => void (reading.unread ??= "a variable")],
  [/[<>]/y, (reading) => leave(reading, "a redirection")],
  [/[\n;|&]/y, endPart],
  [/[()]/y, (reading) => (endPart(reading), leave(reading, "a group"))],
  [/[ \t]+/y, endWord],
  [/[*?[\]{}~]/y, (reading, [sign]) => (add(reading, sign!, "plain"), leave(reading, "a pattern", "go on"))],
  [/#[^\n]*/y, readHash],
  [/[^\s\\'"$`<>;|&()*?[\]{}~#]+|[^]/y, (reading, [plain]) => add(reading, plain!, "plain")],
];

function read(reading: LineReading, text: string, rest: string[]): void {
  for (let at = 0; at < text.length;) {
    for (const [pattern, take] of STEPS) {
      pattern.lastIndex = at;
      const found = pattern.exec(text);
      if (!found) continue;
      at += found[0].length;
      take(reading, found, rest, text.slice(at));
      break;
    }
  }
  endPart(reading);
}

function add(reading: LineReading, text: string, how: "plain" | "quoted"): void {
  reading.word = (reading.word ?? "") + text;
  if (how === "quoted") reading.isQuoted = true;
}

function addQuoted(reading: LineReading, inside: string, rest: string[]): void {
  add(
    reading,
    inside.replace(/\\([$`"\\\n])/g, (_, sign: string) => (sign === "\n" ? "" : sign)),
    "quoted",
  );
  const [, after] = /(?:^|[^\\])(?:\\\\)*(?:\$\(|`)([^]*)/.exec(inside) ?? [];
  if (after !== undefined) substitute(reading, after, rest);
  else if (/(?:^|[^\\])(?:\\\\)*\$/.test(inside)) reading.unread ??= "a variable";
}

/** What is inside is a command of its own; where it ends does not matter for a guess. */
function substitute(reading: LineReading, after: string, rest: string[]): void {
  reading.unread ??= "a substitution";
  if (rest.length < MAX_SUBSTITUTIONS) rest.push(after.replace(/[)`]/g, "\n"));
}

function leave(reading: LineReading, what: string, then: "end word" | "go on" = "end word"): void {
  reading.unread ??= what;
  if (then === "end word") endWord(reading);
}

/** A comment begins at the beginning of a word. */
function readHash(reading: LineReading, [text]: RegExpExecArray): void {
  if (reading.word === undefined) reading.unread ??= "a comment";
  else add(reading, text, "plain");
}

function endWord(reading: LineReading): void {
  const { word, words, isQuoted } = reading;
  if (word === undefined) return;
  reading.word = undefined;
  reading.isQuoted = false;
  if (words.length === 0 && ASSIGNMENT.test(word)) reading.unread ??= "an assignment";
  else if (words.length === 0 && !isQuoted && KEYWORDS.has(word)) reading.unread ??= `\`${word}\``;
  else words.push(word);
}

function endPart(reading: LineReading): void {
  endWord(reading);
  if (reading.words.length > 0) reading.parts.push(reading.words);
  reading.words = [];
}

/** So many words of options and settings are passed over before a program that another one runs. */
const MAX_OPTIONS = 64;
/** Programs that run what their arguments say. */
const RUN_OTHERS = new Set(
  (
    "sudo doas env nice ionice nohup time timeout xargs command exec builtin eval stdbuf setsid unbuffer watch find parallel " +
    "busybox chroot unshare nsenter runuser su script strace ltrace bash sh dash zsh ksh fish source ."
  ).split(" "),
);

/**
 * All that one of the parts may come to run: itself, and what a program such as `env` or `bash -c` makes of its arguments.
 * The program is named without its folder.
 */
export function meaningsOf(part: Words): readonly Words[] {
  const [program = "", ...given] = part;
  const name = program.slice(program.lastIndexOf("/") + 1);
  const own = [part, [name, ...given]];
  if (!RUN_OTHERS.has(name)) return own;
  const inside = given.flatMap((word) => (/\s/.test(word) ? readCommandLine(word).parts : []));
  return [...own, ...given.slice(0, MAX_OPTIONS).map((_, at) => given.slice(at)), ...inside];
}

// What git leaves out of a folder, by the `.gitignore` files from the top of the workspace down to it. They are rules that
// somebody wrote: matching takes no more steps than a pattern times a path has characters, whatever they say, and of more
// rules than any project has the rest does not count.
// Read are neither `.git/info/exclude` nor what a person set up for all projects; what git keeps in spite of a rule is
// taken for ignored.

import type { Host } from "../../../src/domain/authoring/module.ts";
import { openFile, withEntry, type Errand } from "../confine/confine.ts";
import { codeOf, Refusal } from "../refusal.ts";

/** Is `name`, in the folder that was asked about, left out? */
export type IsIgnored = (name: string, kind: "file" | "folder") => boolean;

/** As one file has them, in its order. */
export interface Rules {
  /** Names from the top of the workspace to the folder of the file. */
  readonly folder: readonly string[];
  readonly rules: readonly Rule[];
}

interface Rule {
  readonly says: "leave out" | "take in";
  readonly fits: "files and folders" | "folders";
  readonly parts: readonly Part[];
}

/** `**`, or what one name has to look like. */
type Part = "any names" | readonly Piece[];
/** `*`, or one character. */
type Piece = "any text" | ((character: string) => boolean);

const MAX_BYTES = 256 * 1024;
/** Of all files together that have a say in one folder. */
const MAX_RULES = 1_000;
const READ: Errand = { access: "read", lastLink: "keep", missingFolders: "refuse" };

/** Of the one folder at `names`; empty if it has none, or none that can be read. */
export async function rulesIn(host: Host, names: readonly string[]): Promise<Rules> {
  try {
    const text = await withEntry(host, [...names, ".gitignore"].join("/"), READ, async (at) => {
      const { file, size } = await openFile(at, "read");
      try {
        return size > MAX_BYTES ? "" : await file.readFile("utf8");
      } finally {
        await file.close();
      }
    });
    return { folder: names, rules: readRules(text) };
  } catch (error) {
    if (!(error instanceof Refusal) && codeOf(error) === undefined) throw error;
    return { folder: names, rules: [] };
  }
}

/** Of the top of the workspace, and of each folder down to the one at `names`. */
export function rulesDownTo(host: Host, names: readonly string[]): Promise<readonly Rules[]> {
  return Promise.all([...names.keys(), names.length].map((depth) => rulesIn(host, names.slice(0, depth))));
}

/** What the last fitting rule of `all`, the deepest folder's last, says of what lies in the folder at `names`. */
export function ignoredBy(all: readonly Rules[], names: readonly string[]): IsIgnored {
  const deepestFirst = within(MAX_RULES, all).toReversed();
  const way = names.map((each) => Array.from(each));
  return (name, kind) => {
    const path = [...way, Array.from(name)];
    for (const { folder, rules } of deepestFirst) {
      const below = path.slice(folder.length);
      const last = rules.findLast(
        ({ fits, parts }) => (kind === "folder" || fits !== "folders") && fit(parts, below),
      );
      if (last) return last.says === "leave out";
    }
    return false;
  };
}

function within(most: number, all: readonly Rules[]): readonly Rules[] {
  let room = most;
  return all.map(({ folder, rules }) => {
    const counted = rules.slice(0, room);
    room -= counted.length;
    return { folder, rules: counted };
  });
}

export function readRules(text: string): readonly Rule[] {
  const lines = text.replace(/^\ufeff/, "").split("\n");
  const rules: Rule[] = [];
  for (const line of lines) {
    if (rules.length < MAX_RULES) rules.push(...readRule(line));
  }
  return rules;
}

function readRule(line: string): readonly Rule[] {
  let pattern = withoutTrailingSpaces(line.replace(/\r$/, ""));
  if (pattern.startsWith("#")) return [];
  const isNegated = pattern.startsWith("!");
  if (isNegated) pattern = pattern.slice(1);
  const isForFolders = pattern.endsWith("/");
  if (isForFolders) pattern = pattern.slice(0, -1);
  if (pattern === "") return [];
  // A slash at the beginning or in the middle ties it to the folder of its file.
  const names = pattern.includes("/") ? pattern.replace(/^\//, "").split("/") : ["**", pattern];
  // At the end it stands for everything inside: at least one name.
  if (names.at(-1) === "**" && names.length > 1) names.push("*");
  const parts = names.map((name) => (name === "**" ? "any names" : readPieces(name)));
  if (parts.includes(undefined)) return [];
  return [
    {
      says: isNegated ? "take in" : "leave out",
      fits: isForFolders ? "folders" : "files and folders",
      parts: parts as readonly Part[],
    },
  ];
}

function withoutTrailingSpaces(line: string): string {
  let end = line.length;
  while (end > 0 && line[end - 1] === " " && !isEscaped(line, end - 1)) end--;
  return line.slice(0, end);
}

function isEscaped(line: string, at: number): boolean {
  let slashes = 0;
  while (line[at - 1 - slashes] === "\\") slashes++;
  return slashes % 2 === 1;
}

/** `undefined`: it fits nothing. */
function readPieces(glob: string): readonly Piece[] | undefined {
  const pieces: Piece[] = [];
  const characters = Array.from(glob);
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at]!;
    if (character === "*") {
      if (pieces.at(-1) !== "any text") pieces.push("any text");
    } else if (character === "?") pieces.push(() => true);
    else if (character === "[") {
      const set = readSet(characters, at);
      if (!set) return undefined;
      pieces.push(set.holds);
      at = set.end;
    } else {
      const literal = character === "\\" ? characters[++at] : character;
      if (literal === undefined) return undefined;
      pieces.push((other) => other === literal);
    }
  }
  return pieces;
}

const CLASSES: Readonly<Record<string, RegExp>> = {
  alnum: /[a-z0-9]/i,
  alpha: /[a-z]/i,
  blank: /[ \t]/,
  cntrl: /[\0-\x1f\x7f]/,
  digit: /[0-9]/,
  graph: /[!-~]/,
  lower: /[a-z]/,
  print: /[ -~]/,
  punct: /[!-/:-@[-`{-~]/,
  space: /\s/,
  upper: /[A-Z]/,
  xdigit: /[0-9a-f]/i,
};

/** `[a-z]`, `[!abc]`, `[[:digit:]_]`: what stands between the brackets, and where it ends. */
function readSet(characters: readonly string[], start: number) {
  const members: ((character: string) => boolean)[] = [];
  let at = start + 1;
  const isNegated = characters[at] === "!" || characters[at] === "^";
  if (isNegated) at++;
  const first = at;
  while (at < characters.length && (characters[at] !== "]" || at === first)) {
    const named = /^\[:([a-z]+):\]/.exec(characters.slice(at, at + 12).join(""));
    if (named) {
      const known = CLASSES[named[1]!];
      if (!known) return undefined;
      members.push((character) => known.test(character));
      at += named[0].length;
      continue;
    }
    if (characters[at] === "\\") at++;
    const low = characters[at++];
    let high = low;
    if (characters[at] === "-" && characters[at + 1] !== undefined && characters[at + 1] !== "]") {
      if (characters[++at] === "\\") at++;
      high = characters[at++];
    }
    if (low === undefined || high === undefined) return undefined;
    members.push((character) => low <= character && character <= high);
  }
  if (at >= characters.length) return undefined;
  const holds = (character: string): boolean => members.some((member) => member(character)) !== isNegated;
  return { holds, end: at };
}

/** `names`: each as its characters. */
function fit(parts: readonly Part[], names: readonly (readonly string[])[]): boolean {
  return match(parts, names, "any names", (pieces, name) =>
    match(pieces as readonly Piece[], name, "any text", (piece, character) =>
      (piece as (character: string) => boolean)(character),
    ),
  );
}

/**
 * Does `pattern` fit all of `items`? `wild` stands for any number of them. Only the last one met is ever tried again: what
 * came before it fits already, so more tries could not help.
 */
function match<P, I>(
  pattern: readonly P[],
  items: readonly I[],
  wild: P,
  fits: (part: P, item: I) => boolean,
): boolean {
  let at = 0;
  let again: { readonly part: number; item: number } | undefined;
  for (let item = 0; item < items.length;) {
    const part = pattern[at];
    if (part === wild) again = { part: ++at, item };
    else if (part !== undefined && fits(part, items[item]!)) {
      at++;
      item++;
    } else if (again) {
      item = ++again.item;
      at = again.part;
    } else return false;
  }
  while (pattern[at] === wild) at++;
  return at === pattern.length;
}

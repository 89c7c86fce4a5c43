// Rules of `.gitignore` files. Somebody wrote them: of more rules than any project has, and of such as would take long to hold
// against a path, the rest does not count.

import ignore from "ignore";

/** Is `name`, in the folder that was asked about, left out? */
export type IsIgnored = (name: string, kind: "file" | "folder") => boolean;

/** As one file has them, in its order. */
export interface Rules {
  /** Names from the top of the workspace to the folder of the file. */
  readonly folder: readonly string[];
  readonly lines: readonly string[];
}

/** Of one file. */
export const MAX_BYTES = 256 * 1024;
/** Of all files together that have a say in one folder. */
const MAX_RULES = 1_000;
/** In folders that lie deeper nothing is left out: rules that reach over many folders would take too long. */
const MAX_DEPTH = 100;
const REACHES_OVER_FOLDERS = /\*\*+\//g;
const MAX_REACHES = 2;
/** What is asked is kept in mind: after so many questions that is let go. */
const MAX_KEPT = 10_000;

/** The lines of a `.gitignore` that count. */
export function readRules(text: string): readonly string[] {
  return text
    .replace(/^\ufeff/, "")
    .split(/\r?\n/)
    .filter((line) => line !== "" && !line.startsWith("#"))
    .filter((line) => (line.match(REACHES_OVER_FOLDERS)?.length ?? 0) <= MAX_REACHES)
    .slice(0, MAX_RULES);
}

/**
 * What the last fitting rule of `all`, the deepest folder's last, says of what lies in the folder at `names`, which itself is
 * looked into whatever they say of it.
 */
export function ignoredBy(all: readonly Rules[], names: readonly string[]): IsIgnored {
  if (names.length > MAX_DEPTH) return () => false;
  const deepestFirst = within(MAX_RULES, all)
    .map((rules) => {
      const below = names.slice(rules.folder.length);
      return { way: below.map((name) => `${name}/`).join(""), says: matcherOf(rules, below) };
    })
    .toReversed();
  return (name, kind) => {
    for (const { way, says } of deepestFirst) {
      const { ignored, unignored } = says(`${way}${name}${kind === "folder" ? "/" : ""}`);
      if (ignored || unignored) return ignored;
    }
    return false;
  };
}

type Matcher = (path: string) => { readonly ignored: boolean; readonly unignored: boolean };

/** What the last fitting of `lines` says of a path, or of a folder above it; paths of folders end in `/`. */
export function compile(lines: readonly string[]): Matcher {
  const options = { ignorecase: false, allowRelativePaths: true };
  let rules = ignore(options).add(lines);
  let asked = 0;
  return (path) => {
    if (++asked % MAX_KEPT === 0) rules = ignore(options).add(rules);
    return rules.test(path);
  };
}

const compiled = new WeakMap<Rules, Matcher>();

/** For what lies in `below`, a folder that is looked into whatever the rules say of it. */
function matcherOf(rules: Rules, below: readonly string[]): Matcher {
  const known = compiled.get(rules) ?? compile(rules.lines);
  compiled.set(rules, known);
  const way = below.map((name) => `${name}/`).join("");
  return way !== "" && known(way).ignored ? compile([...rules.lines, ...takingIn(below)]) : known;
}

/** Rules that take in each of the folders on the way that `names` are. */
export function takingIn(names: readonly string[]): readonly string[] {
  const spelt = names.map(literal);
  return spelt.map((_, at) => `!/${spelt.slice(0, at + 1).join("/")}/`);
}

/** The lines of `all` as one file at the top of the workspace would have them. */
export function fromTop(all: readonly Rules[]): readonly string[] {
  return all.flatMap(({ folder, lines }) => {
    if (folder.length === 0) return lines;
    const from = folder.map((name) => `/${literal(name)}`).join("");
    return lines.map((line) => {
      const [, not = "", rule = ""] = /^(!?)(.*)$/s.exec(line) ?? [];
      const isTied = rule.slice(0, -1).includes("/");
      return `${not}${from}/${isTied ? "" : "**/"}${rule.replace(/^\//, "")}`;
    });
  });
}

/** As a rule has to spell `name` to mean just that; a line end cannot be spelt. */
export function literal(name: string): string {
  return name.replace(/[*?[\]\\!# ]/g, "\\$&").replace(/[\r\n]/g, "?");
}

function within(most: number, all: readonly Rules[]): readonly Rules[] {
  let room = most;
  return all.map((rules) => {
    const fits = rules.lines.length <= room;
    const counted = fits ? rules : { ...rules, lines: rules.lines.slice(0, room) };
    room -= counted.lines.length;
    return counted;
  });
}

// What git leaves out of a folder, by the `.gitignore` files from the top of the workspace down to it. They are rules that
// somebody wrote: of more rules than any project has, and of such as would take long to hold against a path, the rest does
// not count.
// Read are neither `.git/info/exclude` nor what a person set up for all projects; what git keeps in spite of a rule is
// taken for ignored.

import ignore from "ignore";
import type { Host } from "../../../src/domain/authoring/module.ts";
import { openFile, withEntry, type Errand } from "../confine/confine.ts";
import { codeOf, Refusal } from "../refusal.ts";

/** Is `name`, in the folder that was asked about, left out? */
export type IsIgnored = (name: string, kind: "file" | "folder") => boolean;

/** As one file has them, in its order. */
export interface Rules {
  /** Names from the top of the workspace to the folder of the file. */
  readonly folder: readonly string[];
  readonly lines: readonly string[];
}

export const MAX_BYTES = 256 * 1024;
/** Of all files together that have a say in one folder. */
const MAX_RULES = 1_000;
/** In folders that lie deeper nothing is left out: rules that reach over many folders would take too long. */
const MAX_DEPTH = 100;
const REACHES_OVER_FOLDERS = /\*\*+\//g;
const MAX_REACHES = 2;
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
    return { folder: names, lines: readRules(text) };
  } catch (error) {
    if (!(error instanceof Refusal) && codeOf(error) === undefined) throw error;
    return { folder: names, lines: [] };
  }
}

/** Of the top of the workspace, and of each folder down to the one at `names`. */
export function rulesDownTo(host: Host, names: readonly string[]): Promise<readonly Rules[]> {
  return Promise.all([...names.keys(), names.length].map((depth) => rulesIn(host, names.slice(0, depth))));
}

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
    .map(({ folder, lines }) => {
      const below = names.slice(folder.length);
      return {
        way: below.map((name) => `${name}/`).join(""),
        rules: compile([...lines, ...takingIn(below)]),
      };
    })
    .toReversed();
  return (name, kind) => {
    for (const { way, rules } of deepestFirst) {
      const { ignored, unignored } = rules.test(`${way}${name}${kind === "folder" ? "/" : ""}`);
      if (ignored || unignored) return ignored;
    }
    return false;
  };
}

export function compile(lines: readonly string[]) {
  return ignore({ ignorecase: false, allowRelativePaths: true }).add(lines);
}

/** Rules that take in each of the folders on the way that `names` are. */
export function takingIn(names: readonly string[]): readonly string[] {
  return names.map(
    (_, at) =>
      `!/${names
        .slice(0, at + 1)
        .map(literal)
        .join("/")}/`,
  );
}

/** As a rule has to spell `name` to mean just that; a line end cannot be spelt. */
export function literal(name: string): string {
  return name.replace(/[*?[\]\\!# ]/g, "\\$&").replace(/[\r\n]/g, "?");
}

function within(most: number, all: readonly Rules[]): readonly Rules[] {
  let room = most;
  return all.map(({ folder, lines }) => {
    const counted = lines.slice(0, room);
    room -= counted.length;
    return { folder, lines: counted };
  });
}

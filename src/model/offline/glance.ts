// What a project says of itself: the overview of its folder, its README, its manifest. The agent that was asked for a
// survey looks at these itself.

import { fieldsOf, readJson } from "../../base/json.ts";
import { clean } from "./survey/findings.ts";
import type { Wanted } from "./commands.ts";
import { lastStep, within } from "./move.ts";
import { joinPath, PATH, readPath } from "./paths.ts";
import type { Survey } from "./survey/team.ts";
import type { OfflineView, ActionStep } from "./prompt-reader.ts";

interface Manifest {
  /** Empty: it says none. */
  readonly name: string;
  /** May be empty. */
  readonly description: string;
  /** Commands that it offers, as they are typed. */
  readonly commands: readonly string[];
  /** Files that it names as what others run or import, as it writes them. */
  readonly entries: readonly string[];
}

export interface Glance extends Manifest {
  /** The first paragraph of its README; may be empty. */
  readonly purpose: string;
  /** The folders at the top, and how many files each holds. */
  readonly holds: readonly Counted[];
  /** Paths from the surveyed folder, the first the largest; and how many lines they have. */
  readonly largest: readonly Counted[];
  /** And how many files import them. */
  readonly imported: readonly Counted[];
}

export interface Counted {
  readonly path: string;
  readonly count: string;
}

const README = /^readme(?:\.(?:md|markdown|rst|txt))?$/i;
const MANIFESTS = ["package.json", "pyproject.toml", "Cargo.toml", "go.mod"];
const README_LINES = 15;
const MANIFEST_LINES = 100;

/** What to look at; `names`: what lies in the folder. */
export function glanceCalls(
  view: OfflineView,
  { dir, at }: Survey,
  names: readonly string[],
): readonly Wanted[] {
  const files = [names.find((name) => README.test(name)), MANIFESTS.find((name) => names.includes(name))];
  const calls: readonly Wanted[] = [
    { action: "outline", parameters: { path: dir, limit: 0 } },
    ...files.flatMap((name) => {
      const limit = name && README.test(name) ? README_LINES : MANIFEST_LINES;
      return name ? [{ action: "readFile", parameters: { path: joinPath(dir, name), limit } }] : [];
    }),
  ];
  const isNew = ({ action, parameters: { path } }: Wanted): boolean =>
    !lastStep(view, at, action, (made) => made["path"] === path);
  return within(view, calls.filter(isNew));
}

export function glanceAt(view: OfflineView, { dir, at }: Survey): Glance {
  const read = (fits: (name: string) => boolean): string => {
    const step = lastStep(view, at, "readFile", ({ path }) => fits(nameIn(dir, String(path))));
    return step ? textOf(step) : "";
  };
  const overview = lastStep(view, at, "outline", ({ path }) => path === dir)?.result.content ?? "";
  const readme = read((name) => README.test(name));
  const manifest = readManifest(read((name) => MANIFESTS.includes(name)));
  return {
    ...manifest,
    name: manifest.name || (/^# +(.+)$/m.exec(readme)?.[1] ?? ""),
    purpose: firstParagraph(readme),
    holds: readCounted("Holds", overview),
    largest: readCounted("Largest", overview),
    imported: readCounted("Most imported", overview),
  };
}

function nameIn(dir: string, path: string): string {
  return dir === "." ? path : path.slice(dir.length + 1);
}

/** What a `readFile` shows, without its own words. */
function textOf({ result: { content, isError } }: ActionStep): string {
  const lines = isError ? [] : content.split("\n").slice(1);
  return lines.filter((line) => !/^\[Lines \d+ to /.test(line)).join("\n");
}

/** No heading, list, table, quotation, badge, code or markup. */
const PROSE = /^(?![#>|<![\]=~`:.-]|\*\s|\d+\. |\s{4})\s*\S/;
const MAX_PURPOSE = 600;

function firstParagraph(text: string): string {
  const lines = text.split("\n");
  const start = lines.findIndex((line) => PROSE.test(line));
  const length = lines.slice(Math.max(start, 0)).findIndex((line) => !PROSE.test(line));
  const paragraph = start === -1 ? [] : lines.slice(start, length === -1 ? undefined : start + length);
  return clean(paragraph.join(" "), MAX_PURPOSE);
}

const MAX_COMMANDS = 8;

function readManifest(text: string): Manifest {
  if (text.trimStart().startsWith("{")) {
    const { name, description, scripts, main, module, bin, exports } = fieldsOf(readJson(text));
    const commands = Object.keys(fieldsOf(scripts)).filter((script) => !/^(?:pre|post)/.test(script));
    return {
      name: wordsOf(name),
      description: wordsOf(description),
      commands: commands.slice(0, MAX_COMMANDS).map((script) => `npm ${npmWord(clean(script))}`),
      entries: [...new Set([main, module, bin, exports].flatMap(stringsIn))],
    };
  }
  const word = (key: string): string =>
    clean(new RegExp(`^${key}\\s{0,9}=?\\s{0,9}"?([^"\\n]{1,300})"?$`, "m").exec(text)?.[1] ?? "");
  return {
    name: word("name") || word("module"),
    description: word("description"),
    commands: [],
    entries: [],
  };
}

function npmWord(script: string): string {
  return script === "start" || script === "test" ? script : `run ${script}`;
}

function wordsOf(value: unknown): string {
  return typeof value === "string" ? clean(value) : "";
}

/** At any depth: `exports` nests. */
function stringsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value.replace(/^\.\//, "")];
  return Object.values(fieldsOf(value)).flatMap(stringsIn);
}

const COUNTED = new RegExp(`(${PATH}) \\((\\d{1,9})(?: \\w{1,9})?\\)`, "g");

function readCounted(label: string, overview: string): readonly Counted[] {
  const row = overview.split("\n").find((line) => line.startsWith(`${label}: `)) ?? "";
  return Array.from(row.slice(label.length + 2).matchAll(COUNTED), ([, path, n]) => ({
    path: readPath(path!),
    count: n!,
  }));
}

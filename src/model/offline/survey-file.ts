// SURVEY.md: what a project says of itself, which the agent that was asked looks at, and what all of its team found.

import { fieldsOf, readJson } from "../../base/text/json.ts";
import { displayName, type AgentId } from "../../domain/message/message.ts";
import type { Wanted } from "./commands.ts";
import { clean, mergeFindings, writeCounts, writeFound, type Findings, type FoundFile } from "./findings.ts";
import { joinPath, PATH, readPath, writePath } from "./paths.ts";
import type { ActionStep } from "./view.ts";

/** What a survey is written into. */
export const SURVEY_FILE = "SURVEY.md";

const README = /^readme(?:\.(?:md|markdown|rst|txt))?$/i;
const README_LINES = 15;
const MANIFEST = /^(?:package\.json|pyproject\.toml|Cargo\.toml|go\.mod)$/;
const MANIFEST_LINES = 100;

/** What to look at in the folder `dir`, in which `names` lie: an overview, its README, its manifest. */
export function glanceCalls(dir: string, names: readonly string[]): readonly Wanted[] {
  const read = (fits: RegExp, limit: number): readonly Wanted[] => {
    const name = names.find((one) => fits.test(one));
    return name ? [{ action: "readFile", parameters: { path: joinPath(dir, name), limit } }] : [];
  };
  const overview = { action: "outline", parameters: { path: dir, limit: 0 } };
  return [overview, ...read(README, README_LINES), ...read(MANIFEST, MANIFEST_LINES)];
}

/** What one agent walked of a survey. */
export interface Contribution {
  readonly agent: AgentId;
  readonly entries: readonly string[];
  readonly findings: Findings;
}

/** One line: the sums, and who found them. */
export function writeSummary(contributions: readonly Contribution[]): string {
  const names = contributions.map(({ agent }) => displayName(agent));
  return `${writeCounts(merged(contributions))} Walked by ${names.join(", ")}.`;
}

function merged(contributions: readonly Contribution[]): Findings {
  return mergeFindings(contributions.map(({ findings }) => findings));
}

const MAX_FILE_BYTES = 64_000;

/** A Markdown text. `looks`: what came of `glanceCalls`. */
export function writeSurvey(
  dir: string,
  looks: readonly ActionStep[],
  contributions: readonly Contribution[],
): string {
  const all = merged(contributions);
  const overview = looks.find(({ action }) => action === "outline")?.result.content ?? "";
  const readme = textOf(looks, README);
  const { name, description, commands } = readManifest(textOf(looks, MANIFEST));
  const purposes = new Set([firstParagraph(readme), description]);
  const before = [
    `# Survey of ${name || clean(/^# +(.+)$/m.exec(readme)?.[1] ?? "") || writePath(dir)}`,
    "",
    ...[...purposes].flatMap((text) => (text ? [`> ${text}`, ""] : [])),
    `${writeCounts(all)} What git ignores is left out.`,
    ...section("How it is laid out", listOf("Holds", overview, all)),
    ...section("Where to start", starts(all.found, commands)),
    ...section("The largest files", listOf("Largest", overview, all)),
    ...section("The most imported files", listOf("Most imported", overview, all)),
  ];
  const after = section("Who walked what", contributions.map(writeContribution));
  const room = MAX_FILE_BYTES - Buffer.byteLength([...before, ...after].join("\n"));
  const files = writeFound(all, { maxBytes: room, heading: (folder) => `\n### ${writePath(folder)}\n` });
  return [...before, ...section("Files", files), ...after, ""].join("\n");
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ["", `## ${title}`, "", ...lines];
}

/** What stands in the file that fits, but for the words of the action; empty if it could not be read. */
function textOf(looks: readonly ActionStep[], fits: RegExp): string {
  const step = looks.find(
    ({ action, parameters: { path } }) => action === "readFile" && fits.test(String(path).split("/").at(-1)!),
  );
  if (!step || step.result.isError) return "";
  const [header = "", ...lines] = step.result.content.split("\n");
  const isNumbered = header.startsWith("File: ");
  return lines.map((line) => (isNumbered ? line.replace(/^\d+: /, "") : line)).join("\n");
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

/** What is not said is empty; `commands` as they are typed. */
function readManifest(text: string) {
  const { name, description, scripts } = fieldsOf(readJson(text));
  const line = (key: string): string =>
    new RegExp(`^${key}\\s{0,9}=?\\s{0,9}"?([^"\\n]{1,300})"?$`, "m").exec(text)?.[1] ?? "";
  const runs = Object.keys(fieldsOf(scripts)).filter((script) => !/^(?:pre|post)/.test(script));
  const npm = (script: string): string => `npm ${/^(?:start|test)$/.test(script) ? "" : "run "}${script}`;
  return {
    name: clean(typeof name === "string" ? name : line("(?:name|module)")),
    description: clean(typeof description === "string" ? description : line("description")),
    commands: runs.slice(0, MAX_COMMANDS).map((script) => npm(clean(script))),
  };
}

/** The row of an overview that begins with `label`, as a list; nothing that an earlier survey has left. */
function listOf(label: string, overview: string, { found }: Findings): readonly string[] {
  const row = overview.split("\n").find((line) => line.startsWith(`${label}: `)) ?? "";
  const items = row.matchAll(new RegExp(`(${PATH}) \\((\\d{1,9}(?: \\w{1,9})?)\\)`, "g"));
  return Array.from(items).flatMap(([, path = "", n]) => {
    if (path === SURVEY_FILE) return [];
    const [, ...about] = found.find((one) => one.path === readPath(path))?.says.split("; ") ?? [];
    return [`- ${path}: ${[label === "Most imported" ? `imported by ${n}` : n, ...about].join("; ")}`];
  });
}

const DOCUMENTS = [
  /^readme\b[^/]*$/i,
  /^(?:contributing|getting.?started|architecture|hacking|development)\b[^/]*$/i,
];
const MAIN =
  /^(?:(?:src|app|lib|source|cmd\/[^/]+)\/)?(?:index|main|app|server|cli|manage|__main__|lib|mod)\.(?:[cm]?[jt]sx?|py|go|rs|rb)$/;
const MAX_STARTS = 10;

/** What to read, what to open, what to run. */
function starts(found: readonly FoundFile[], commands: readonly string[]): readonly string[] {
  const files = [...DOCUMENTS, MAIN].flatMap((name) => found.filter(({ path }) => name.test(path)));
  const lines = files.slice(0, MAX_STARTS).map(({ path, says }) => `- ${writePath(path)}: ${says}`);
  return commands.length > 0 ? [...lines, `- to run: ${commands.join(", ")}`] : lines;
}

const MAX_ENTRIES = 20;

function writeContribution({ agent, entries, findings }: Contribution): string {
  const named = entries.slice(0, MAX_ENTRIES).map(writePath);
  const rest = entries.length - named.length;
  const list = [...named, ...(rest > 0 ? [`${rest} more`] : [])].join(", ") || "nothing";
  return `- ${displayName(agent)} (${list}): ${writeCounts(findings)}`;
}

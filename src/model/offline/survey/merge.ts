// What all agents of a survey found, as one text.

import { count } from "../../../base/wording.ts";
import { displayName, type AgentId } from "../../../domain/message.ts";
import { mergeFindings, writeCounts, writeFound, type Findings, type FoundFile } from "./findings.ts";
import type { Counted, Glance } from "../glance.ts";
import { joinPath, writePath } from "../paths.ts";
import type { Survey, Team } from "./team.ts";
import type { OfflineView } from "../prompt-reader.ts";
import { SURVEY_FILE, walk } from "./walk.ts";

export interface Contribution {
  readonly agent: AgentId;
  /** What it walked. */
  readonly entries: readonly string[];
  readonly findings: Findings;
}

/** This agent's first. `unnamed`: how much lies in the folder that its list did not name. */
export function contributionsTo(
  view: OfflineView,
  { at }: Survey,
  { own, parts, unnamed }: Team & { readonly unnamed: number },
): readonly Contribution[] {
  const { findings } = walk(view, at, own);
  const all = { ...findings, files: findings.files + unnamed, unread: findings.unread + unnamed };
  return [
    { agent: view.own, entries: own.entries, findings: all },
    ...parts.flatMap(({ agent, share: { entries }, state }) =>
      typeof state === "object" ? [{ agent, entries, findings: state }] : [],
    ),
  ];
}

/** Where the survey of `dir` is written down. */
export function surveyPath(dir: string): string {
  return joinPath(dir, SURVEY_FILE);
}

/** One line: the sums, and who found them. */
export function writeSummary(contributions: readonly Contribution[]): string {
  const names = contributions.map(({ agent }) => displayName(agent));
  return `${writeCounts(merged(contributions))} Walked by ${names.join(", ")}.`;
}

/** A Markdown text of at most about `maxBytes` of UTF-8. */
export function writeSurvey(
  { dir }: Survey,
  { contributions, glance }: { readonly contributions: readonly Contribution[]; readonly glance: Glance },
  maxBytes: number,
): string {
  const all = merged(contributions);
  const about = new Map(all.found.map((found) => [found.path, found]));
  const before = [
    `# Survey of ${glance.name || writePath(dir)}`,
    "",
    ...whatItIs(glance),
    `${writeCounts(all)} What git ignores is left out.`,
    ...section(
      "How it is laid out",
      glance.holds.map(({ path, count: n }) => `- ${writePath(path)}: ${count(Number(n), "file")}`),
    ),
    ...section("Where to start", starts(glance, all.found)),
    ...section("The largest files", glance.largest.flatMap(listed(about, (n) => count(Number(n), "line")))),
    ...section("The most imported files", glance.imported.flatMap(listed(about, (n) => `imported by ${n}`))),
  ];
  const after = section("Who walked what", contributions.map(writeShare));
  const room = maxBytes - Buffer.byteLength([...before, ...after].join("\n"));
  const files = writeFound(all, { maxBytes: room, heading: (folder) => `\n### ${writePath(folder)}\n` });
  return [...before, ...section("Files", files), ...after, ""].join("\n");
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ["", `## ${title}`, "", ...lines];
}

function merged(contributions: readonly Contribution[]): Findings {
  return mergeFindings(contributions.map(({ findings }) => findings));
}

function whatItIs({ purpose, description }: Glance): readonly string[] {
  const said = [purpose, description === purpose ? "" : description].filter((text) => text !== "");
  return said.flatMap((text) => [`> ${text}`, ""]);
}

const DOCUMENTS = [
  /^readme\b[^/]*$/i,
  /^(?:contributing|getting.?started|architecture|hacking|development)\b[^/]*$/i,
];
const MAIN =
  /^(?:(?:src|app|lib|source|cmd\/[^/]+)\/)?(?:index|main|app|server|cli|manage|__main__|lib|mod)\.(?:[cm]?[jt]sx?|py|go|rs|rb)$/;
const MAX_STARTS = 10;

/** What to read, what to open, what to run; a manifest names what was built, so its source is looked for, too. */
function starts({ entries, commands }: Glance, found: readonly FoundFile[]): readonly string[] {
  const named = new Set(
    entries.flatMap((path) => [path, sourceOf(path), sourceOf(path.slice(path.indexOf("/") + 1))]),
  );
  const documents = DOCUMENTS.flatMap((name) => found.filter(({ path }) => name.test(path)));
  const code = found.filter(({ path }) => named.has(path) || MAIN.test(path));
  return [
    ...[...documents, ...code]
      .slice(0, MAX_STARTS)
      .map(({ path, about }) => `- ${writePath(path)}${about && `: ${about}`}`),
    ...(commands.length > 0 ? [`- to run: ${commands.join(", ")}`] : []),
  ];
}

function sourceOf(path: string): string {
  return path.replace(/(?:\.d)?\.([cm]?)[jt]s$/, ".$1ts");
}

/** Nothing for what an earlier survey has left. */
function listed(about: ReadonlyMap<string, FoundFile>, say: (n: string) => string) {
  return ({ path, count: n }: Counted): readonly string[] => {
    const found = about.get(path);
    return path === SURVEY_FILE
      ? []
      : [`- ${writePath(path)}: ${say(n)}${found?.about ? `; ${found.about}` : ""}`];
  };
}

const MAX_ENTRIES = 20;

function writeShare({ agent, entries, findings }: Contribution): string {
  const named = entries.slice(0, MAX_ENTRIES).map(writePath);
  const rest = entries.length - named.length;
  const list = [...named, ...(rest > 0 ? [`${rest} more`] : [])].join(", ") || "nothing";
  return `- ${displayName(agent)} (${list}): ${writeCounts(findings)}`;
}

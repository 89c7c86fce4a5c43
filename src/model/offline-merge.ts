// What all agents of a survey found, as one text.

import { displayName, type AgentId } from "../message.ts";
import { mergeFindings, writeCounts, writeFindings, type Findings } from "./offline-findings.ts";
import { joinPath, writePath } from "./offline-paths.ts";
import { walkOrNote } from "./offline-share.ts";
import type { Survey, Team } from "./offline-team.ts";
import type { OfflineView } from "./offline-view.ts";
import { SURVEY_FILE } from "./offline-walk.ts";

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
  const { findings } = walkOrNote(view, at, own);
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
export function writeSurvey(dir: string, contributions: readonly Contribution[], maxBytes: number): string {
  const opening = [
    `# Survey of ${writePath(dir)}`,
    "",
    "## Who walked what",
    "",
    ...contributions.map(writeShare),
  ];
  const room = maxBytes - Buffer.byteLength(opening.join("\n"));
  const [counts = "", ...found] = writeFindings(merged(contributions), room).split("\n");
  return [...opening, "", "## What is there", "", counts, "", ...found, ""].join("\n");
}

function merged(contributions: readonly Contribution[]): Findings {
  return mergeFindings(contributions.map(({ findings }) => findings));
}

const MAX_ENTRIES = 20;

function writeShare({ agent, entries, findings }: Contribution): string {
  const named = entries.slice(0, MAX_ENTRIES).map(writePath);
  const rest = entries.length - named.length;
  const list = [...named, ...(rest > 0 ? [`${rest} more`] : [])].join(", ") || "nothing";
  return `- ${displayName(agent)} (${list}): ${writeCounts(findings)}`;
}

// A report in Markdown. What agents wrote is text and nothing else: no mark of theirs is one of the page.

import { displayName } from "../../../domain/message/message.ts";
import type {
  Report,
  ReportAsked,
  ReportChanged,
  ReportCommand,
  ReportGroup,
} from "../../../legion/report/report.ts";
import { oneLine } from "../../kit/output.ts";
import { plain, spelt } from "../../kit/terminal.ts";
import * as words from "./words.ts";

export interface MarkdownWays {
  /** The command that lists all lines. */
  readonly all: string;
  /** The command, where it is about one run. */
  readonly wayIn: (command: string) => string;
}

export function markdownOf(report: Report, { all, wayIn }: MarkdownWays): string {
  const nowMs = Date.parse(report.until);
  const isAnyKnown = words.isAnyKnown(report.commands.items);
  const part = <T>(
    name: string,
    group: ReportGroup<T>,
    show: (item: T) => readonly string[],
    notes: readonly string[] = [],
  ) => {
    const more = words.restOf(group);
    return [
      "",
      `## ${name} (${words.totalOf(group)})`,
      "",
      ...(group.total === 0 ? ["Nothing."] : group.items.flatMap(show)),
      ...(more === undefined ? [] : [`- ${more}: ${code(wayIn(all))}`]),
      ...notes.flatMap((note) => ["", text(note)]),
    ];
  };
  const lines = [
    `# ${words.titleOf(report)}`,
    "",
    words.sumsOf(report).join(" "),
    ...part("Waits for you", report.waiting, (item) => [
      `- ${text(words.waitingWords(item))} — ${code(wayIn(item.way))}`,
    ]),
    ...part("What was asked", report.asked, (item) => askedLines(item, nowMs, wayIn)),
    ...part("What was odd", report.odd, (item) => [
      `- ${text(words.oddWords(item, nowMs))}${item.way === "" ? "" : ` — ${code(wayIn(item.way))}`}`,
    ]),
    ...part(
      "Files that were changed",
      report.changed,
      (item) => changedLines(item, nowMs),
      words.fileNotes(report.changed.items),
    ),
    ...part(
      "Commands",
      report.commands,
      (item) => [commandLine(item, isAnyKnown ? changesOf(item) : [], nowMs)],
      words.commandNotes(report.commands.items),
    ),
  ];
  return lines.join("\n").replace(/\n{3,}/g, "\n\n");
}

function askedLines(item: ReportAsked, nowMs: number, wayIn: MarkdownWays["wayIn"]): readonly string[] {
  const undo = words.undoWords(item);
  const { state, text: asked, root, why, answer } = item;
  const facts = text(words.askedFacts(item, nowMs).join(" · "));
  const [said = ""] = answer ? [quoted(answer.text)] : [];
  const cited = (answer?.receipts ?? []).flatMap((line) => ["  >", `  > ${text(line)}`]);
  return [
    `- **${text(asked ?? root)}**`,
    `  ${words.STATE_WORDS[state]} · ${facts}${why === "" ? "" : `. ${text(why)}`}`,
    ...(answer
      ? [
          "",
          `  > ${text(displayName(answer.agent))}, ${words.whenOf(answer.at, nowMs)}: ${said}`,
          ...cited,
          "",
        ]
      : []),
    ...(undo ? [`  ${undo[0]}; to take back: ${code(wayIn(undo[1]))}`] : []),
  ];
}

function quoted(answer: string): string {
  return plain(answer)
    .split("\n")
    .map((line) => text(line))
    .filter((line) => line !== "")
    .join("\\\n  > ");
}

function changedLines(item: ReportChanged, nowMs: number): readonly string[] {
  const { path, from, diff, isCut } = item;
  const moved = from === undefined ? "" : `${code(spelt(from))} → `;
  const lines = words.linesOf(item);
  const by = item.command === null ? [] : [`by ${code(spelt(item.command))}`];
  const facts = [words.didWords(item), ...(lines === "" ? [] : [lines]), ...by, ...forWhat(item, nowMs)];
  return [
    `- ${moved}${code(spelt(path))}${words.besidesWords(item)} ${facts.join(" · ")}`,
    ...(diff === "" ? [] : ["", ...fenced(diff), ...(isCut ? ["  (there is more of it)"] : []), ""]),
  ];
}

function changesOf(item: ReportCommand): readonly string[] {
  return [item.files === null ? "changes not known" : `changed ${words.changedWords(item)}`];
}

function commandLine(item: ReportCommand, changed: readonly string[], nowMs: number): string {
  const { command, times } = item;
  const many = times > 1 ? [`${times} times`] : [];
  const facts = [words.cameTo(item), ...many, ...changed, ...forWhat(item, nowMs)];
  return `- ${code(spelt(command))} ${facts.join(" · ")}`;
}

function forWhat(
  { agent, at, asked }: Pick<ReportChanged, "agent" | "at" | "asked">,
  nowMs: number,
): readonly string[] {
  const what = asked === null ? [] : [`for: ${text(asked.slice(0, 200))}`];
  return [text(displayName(agent)), words.whenOf(at, nowMs), ...what];
}

const MARKS = /[\\`*_[\]|~]/g;
const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/** Words of anybody's, on one line. */
function text(words: string): string {
  return (
    oneLine(words)
      .replace(MARKS, "\\$&")
      .replace(/[&<>]/g, (sign) => ENTITIES[sign]!)
      // What would begin a list, a heading or a link.
      .replace(/^([#+=-]|\d+(?=[.)]))/, (mark) => (/\d/.test(mark) ? `${mark}\\` : `\\${mark}`))
      .replaceAll("://", ":\\//")
      .replace(/www\./gi, (www) => `${www.slice(0, -1)}\\.`)
  );
}

/** In backticks, more of them than stand in it. */
function code(words: string): string {
  const fence = "`".repeat(longestRun(words) + 1);
  const pad = words.startsWith("`") || words.endsWith("`") ? " " : "";
  return `${fence}${pad}${words}${pad}${fence}`;
}

function fenced(diff: string): readonly string[] {
  const fence = "`".repeat(Math.max(3, longestRun(diff) + 1));
  return [`${fence}diff`, ...plain(diff).split("\n"), fence].map((line) => `  ${line}`);
}

function longestRun(words: string): number {
  return Math.max(0, ...[...words.matchAll(/`+/g)].map(([run]) => run.length));
}

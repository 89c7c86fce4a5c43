// What the parts of a report are called, on a terminal and in Markdown.

import { formatDuration } from "../../../base/text/duration.ts";
import { count } from "../../../base/text/wording.ts";
import { CONTROL, displayName, type AgentId } from "../../../domain/message/message.ts";
import {
  ASKED_STATES,
  type AskedState,
  type Report,
  type ReportAsked,
  type ReportChanged,
  type ReportCommand,
  type ReportGroup,
  type ReportOdd,
  type ReportSpent,
  type ReportWaiting,
} from "../../../legion/report/report.ts";
import { dayOf, momentOf, timeOf } from "../../kit/times.ts";
import { countCell } from "../table.ts";

export const STATE_WORDS: Readonly<Record<AskedState, string>> = {
  asks: "waits for you",
  parked: "stands still",
  refused: "not delivered",
  unanswered: "never answered",
  waiting: "waits",
  working: "goes on",
  answered: "answered",
  told: "told",
};

/** `ok`, `exit 3`; `error`: it failed, or did not run; `unknown`: its process ended first. */
export function cameTo({ outcome, exit }: Pick<ReportCommand, "outcome" | "exit">): string {
  if (outcome === "interrupted") return "unknown";
  if (exit !== null && exit !== 0) return `exit ${exit}`;
  return outcome;
}

/** `14:03`, `yesterday 14:03`, `2026-11-21 14:03`. */
export function whenOf(at: string | null, nowMs: number): string {
  if (at === null) return "";
  const day = dayOf(at);
  if (day === dayOf(new Date(nowMs).toISOString())) return timeOf(at).slice(0, 5);
  const yesterday = dayOf(new Date(nowMs - 24 * 3_600_000).toISOString());
  return day === yesterday ? `yesterday ${timeOf(at).slice(0, 5)}` : momentOf(at);
}

/** `$1.32`, `$0.004`, `$1.32 + ?`; empty for nothing. */
export function moneyOf({ cost, unpriced, tokens }: ReportSpent): string {
  if (tokens === 0) return "";
  const known = cost === 0 ? "free" : `$${cost < 0.01 ? cost.toPrecision(1) : cost.toFixed(2)}`;
  if (unpriced === 0) return known;
  return cost === 0 ? "price unknown" : `${known} + ?`;
}

/** What it came to; empty for nothing. */
export function spentWords(spent: ReportSpent): readonly string[] {
  const { steps, timeMs } = spent;
  if (steps === 0) return [];
  return [count(steps, "step"), ...(timeMs >= 1_000 ? [formatDuration(timeMs)] : []), moneyOf(spent)].filter(
    (word) => word !== "",
  );
}

/** `Agent 1`, `Agent 1 and Agent 2`, `12 agents`. */
export function agentsOf(ids: readonly AgentId[]): string {
  if (ids.length > 3) return `${ids.length} agents`;
  return new Intl.ListFormat("en-GB").format(ids.map(nameOf));
}

function nameOf(id: AgentId): string {
  return id === CONTROL ? "you" : displayName(id);
}

export function titleOf({ since, until }: Report): string {
  if (since === null) return "All that is recorded";
  const untilMs = Date.parse(until);
  return `Since ${whenOf(since, untilMs)} (${formatDuration(untilMs - Date.parse(since))})`;
}

/** What it all comes to, in one or two sentences. */
export function sumsOf({ states, agents, worked, spent }: Report): readonly string[] {
  const parts = ASKED_STATES.flatMap((state) =>
    states[state] ? [`${states[state]} ${STATE_WORDS[state]}`] : [],
  );
  const asked = Object.values(states).reduce((sum, many) => sum + many, 0);
  const total = asked === 0 ? "Nothing was asked." : `${asked} asked: ${parts.join(", ")}.`;
  if (spent.steps === 0)
    return [total, agents === 0 ? "There are no agents yet; `legion start` makes one." : "Nobody worked."];
  const { tokens } = spent;
  const sums = [...spentWords(spent).slice(0, -1), `${countCell(tokens)} tokens`, moneyOf(spent)];
  return [total, `${worked} of ${count(agents, "agent")} worked: ${sums.join(", ")}.`];
}

/** `23`, `at least 200`. */
export function totalOf({ total, isMore }: ReportGroup<unknown>): string {
  return isMore ? `at least ${total}` : String(total);
}

/** Those that are not told; `undefined`: all are. */
export function restOf({ items, total, isMore }: ReportGroup<unknown>): string | undefined {
  const more = total - items.length;
  return more > 0 ? `and ${isMore ? "at least " : ""}${more} more` : undefined;
}

/** Who waits, for what. */
export function waitingWords({ kind, id, agent, text }: ReportWaiting): string {
  if (kind === "question")
    return `${displayName(agent)} asks ${id}: may I ${text.startsWith("call ") ? "" : "call "}${text}?`;
  if (kind === "dead") return `A message of ${nameOf(agent)} was not delivered, ${text}`;
  return kind === "start" ? text : `${displayName(agent)} is ${kind}${text === "" ? "" : `: ${text}`}`;
}

/** How it stands, who asked it when, and who worked on it for how much. */
export function askedFacts(asked: ReportAsked, nowMs: number): readonly string[] {
  const { from, agent, at, agents, spent, times, answers } = asked;
  const by = {
    person: "",
    program: "by another program ",
    runtime: "by the runtime ",
    agent: "by an agent ",
  };
  const to = agent === "" ? "" : ` to ${nameOf(agent)}`;
  const others = agents.filter((id) => id !== agent);
  return [
    `${from === "runtime" ? "said" : "asked"} ${by[from]}${whenOf(at, nowMs)}${to}`.replace(/ {2,}/g, " "),
    ...(times > 1 ? [count(times, "time")] : []),
    ...(others.length > 0 ? [`with ${agentsOf(others)}`] : []),
    ...spentWords(spent),
    ...(answers > 1 ? [count(answers, "answer")] : []),
  ];
}

/** What may have been changed for it, and what says how that is taken back; `undefined`: nothing was. */
export function undoWords(asked: ReportAsked): readonly [changed: string, way: string] | undefined {
  const { root, files, moreFiles, commands } = asked;
  const least = moreFiles > 0 ? "at least " : "";
  const parts = [
    ...(files > 0 ? [`${least}${count(files, "file")} changed`] : []),
    ...(commands > 0 ? [count(commands, "command")] : []),
  ];
  return parts.length === 0 ? undefined : [parts.join(", "), `legion undo '${root}' --dry-run`];
}

export function oddWords({ kind, agents, text, at, until }: ReportOdd, nowMs: number): string {
  // The words of a knot name them.
  const who = agents.length === 0 || kind === "knot" ? "" : `${agentsOf(agents)}: `;
  const [from, to] = [whenOf(at, nowMs), whenOf(until, nowMs)];
  const when = from === "" ? "" : ` (${from === to || to === "" ? from : `${from} to ${to}`})`;
  return `${who}${text}${when}`;
}

/** ` and 3 more`; empty where its line stands for no other file. */
export function besidesWords({ besides }: Pick<ReportChanged, "besides">): string {
  return besides === 0 ? "" : ` and ${besides} more`;
}

/** `changed, 3 times`, `taken back: created`, `1 of 3 taken back: changed`; `shared`: by a command, or by another that ran beside it. */
export function didWords(item: Pick<ReportChanged, "does" | "times" | "isShared" | "takenBack">): string {
  const { does, times, isShared, takenBack } = item;
  const did = [does, ...(times > 1 ? [count(times, "time")] : []), ...(isShared ? ["shared"] : [])].join(
    ", ",
  );
  if (takenBack === 0) return did;
  // First: where there is no room for all of it, that is what matters.
  return `${takenBack === times ? "" : `${takenBack} of ${times} `}taken back: ${did}`;
}

/** `3 files`, `nothing`, `at least 3 files`, `3 files each, shared`, `not known`. */
export function changedWords({ files, times, isShared, unknown }: ReportCommand): string {
  if (files === null) return "not known";
  const many = files === 0 ? "nothing" : count(files, "file") + (times > 1 ? " each" : "");
  return `${unknown === null ? "" : "at least "}${many}${isShared ? ", shared" : ""}`;
}

/** Is of any of them known what it changed? Else no line says that it is not. */
export function isAnyKnown(commands: readonly Pick<ReportCommand, "files">[]): boolean {
  return commands.some(({ files }) => files !== null);
}

const SHARED = "shared: other commands ran meanwhile, and nobody knows which of them did it";

export function fileNotes(files: readonly Pick<ReportChanged, "isShared">[]): readonly string[] {
  return files.some(({ isShared }) => isShared) ? [SHARED] : [];
}

/** Why nobody knows what they changed: each reason once. */
export function commandNotes(commands: readonly ReportCommand[]): readonly string[] {
  if (commands.length === 0) return [];
  const reasons = new Set(commands.flatMap(({ unknown }) => unknown ?? []));
  const shown = [...reasons].slice(0, MOST_REASONS).map((why) => `not known: ${why}`);
  const more = reasons.size > MOST_REASONS ? ["not known: for other reasons, too"] : [];
  const none = isAnyKnown(commands) ? [] : ["What they changed is not known."];
  return [...fileNotes(commands), ...none, ...shown, ...more];
}

const MOST_REASONS = 3;

/** `+12 -3`; empty where no difference was recorded. */
export function linesOf({ added, removed }: Pick<ReportChanged, "added" | "removed">): string {
  return [added > 0 ? `+${added}` : "", removed > 0 ? `-${removed}` : ""].join(" ").trim();
}

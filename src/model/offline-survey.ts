// The part of the agent that is asked for a survey: list the folder, ask who is there, share it out, walk its own
// share, wait for the reports, merge them, tell. What is still to do is told by the view, and by the pending goal where
// older events were summarised.

import { CONTROL, displayName } from "../message.ts";
import { readCommands } from "./offline-commands.ts";
import { count, entriesOf, reasonIn, writeFindings } from "./offline-findings.ts";
import { readSurveyGoal, writeShareGoal, writeSurveyGoal } from "./offline-goals.ts";
import { readSurveyEnd, surveyEnd, writeShare } from "./offline-letters.ts";
import {
  contributionsTo,
  surveyPath,
  writeSummary,
  writeSurvey,
  type Contribution,
} from "./offline-merge.ts";
import {
  act,
  addGoal,
  completeGoals,
  FORGOTTEN,
  lastStep,
  sendMessage,
  startOver,
  within,
  writeNote,
  type Move,
} from "./offline-move.ts";
import { quotePath, writePath } from "./offline-paths.ts";
import { isGoalForShare, MAX_NOTE_BYTES, titleOf, walking, walkOrNote } from "./offline-share.ts";
import { runningPeers, shareOut, type Survey, type Team } from "./offline-team.ts";
import { remember, type Mail, type OfflineView, type Step } from "./offline-view.ts";
import { isSurveyed } from "./offline-walk.ts";

/** Nothing to do until mail comes. */
export interface Wait {
  readonly kind: "wait";
  readonly text: string;
}

const dirsIn = remember((mail: Mail) =>
  readCommands(mail.text).flatMap((command) => (command.kind === "survey" ? [command.dir] : [])),
);

/** The newest survey of each folder, unless its end was told. */
export function openSurveys(view: OfflineView): readonly Survey[] {
  const open = new Map<string, Survey>();
  for (const { text } of view.standingGoals) {
    const goal = readSurveyGoal(text);
    if (goal) open.set(goal.dir, { ...goal, at: FORGOTTEN });
  }
  for (const { at, mail } of view.mails) {
    if (mail.from === undefined) continue;
    for (const dir of dirsIn(mail)) open.set(dir, { dir, asker: mail.from, at });
  }
  for (const decision of view.decisions) {
    const told = decision.steps.flatMap(({ action, parameters }) =>
      action === "sendMessage" ? [String(parameters["message"])] : [],
    );
    for (const text of [decision.text, ...told]) {
      const dir = readSurveyEnd(text);
      if (dir !== undefined && decision.at > (open.get(dir)?.at ?? Infinity)) open.delete(dir);
    }
  }
  return [...open.values()];
}

export function surveyMove(view: OfflineView, survey: Survey): Move | Wait {
  const { dir, asker, at } = survey;
  if (at !== FORGOTTEN) return goOn(view, survey, writeSurveyGoal({ dir, asker, attempt: "first" }));
  const goal = writeSurveyGoal({ dir, asker, attempt: "second" });
  const again = startOver(view, isGoalOf(dir), goal);
  if (again === "going on") return goOn(view, survey, goal);
  return again === "lost" ? fail(view, survey, "it takes more room than I have") : again;
}

function goOn(view: OfflineView, survey: Survey, goal: string): Move | Wait {
  const { dir, at } = survey;
  const listed = lastStep(view, at, "listDirectory", ({ path }) => path === dir);
  const registry = lastStep(view, at, "queryAgentRegistry");
  const questions = within(view, [
    ...(listed ? [] : [{ action: "listDirectory", parameters: { path: dir } }]),
    ...(registry ? [] : [{ action: "queryAgentRegistry", parameters: {} }]),
  ]);
  if (questions.length > 0) {
    return act(`Survey of ${quotePath(dir)}: what is there, and who?`, [
      ...addGoal(view, at, goal),
      ...questions,
    ]);
  }
  const entries = listed ? entriesOf(listed) : "this agent has no action `listDirectory`";
  if (typeof entries === "string") return fail(view, survey, entries);
  const agents = runningPeers(registry?.result.content ?? "", view.own);
  const team = shareOut(view, survey, { entries: entries.names.filter(isSurveyed), agents });
  return (
    handOut(dir, team) ??
    walkOwn(view, survey, team) ??
    waitFor(dir, team) ??
    merge(view, survey, contributionsTo(view, survey, { ...team, unnamed: entries.unnamed }))
  );
}

/** So many messages in one decision. */
const LETTERS = 40;

function handOut(dir: string, { parts }: Team): Move | undefined {
  const unsent = parts.filter(({ state }) => state === "unsent").slice(0, LETTERS);
  if (unsent.length === 0) return undefined;
  const letters = unsent.map(({ agent, share }) => sendMessage({ to: [agent], text: writeShare(share) }));
  return act(`Survey of ${quotePath(dir)}: sharing it out.`, letters);
}

function walkOwn(view: OfflineView, { dir, at }: Survey, { own }: Team): Move | undefined {
  const { next, findings } = walkOrNote(view, at, own);
  if (next.length > 0) {
    const goal = writeShareGoal({ share: own, from: view.own, attempt: "first" });
    return act(walking(dir, next), [...addGoal(view, at, goal), ...next]);
  }
  const calls = [
    ...writeNote(view, at, {
      title: titleOf(dir, view.own),
      content: writeFindings(findings, MAX_NOTE_BYTES),
    }),
    ...completeGoals(view, isGoalForShare(dir, view.own)),
  ];
  return calls.length > 0 ? act(`My share of the survey of ${quotePath(dir)} is walked.`, calls) : undefined;
}

function waitFor(dir: string, { parts }: Team): Wait | undefined {
  const missing = parts.filter(({ state }) => state === "awaited").map(({ agent }) => displayName(agent));
  if (missing.length === 0) return undefined;
  return {
    kind: "wait",
    text: `For the survey of ${quotePath(dir)} I am waiting for the report of ${missing.join(", ")}.`,
  };
}

const MAX_FILE_BYTES = 64_000;
const MAX_MERGED_NOTE_BYTES = 8_000;

/** Writes it all down, then tells. */
function merge(view: OfflineView, survey: Survey, contributions: readonly Contribution[]): Move {
  const { dir, at } = survey;
  const path = surveyPath(dir);
  const content = (maxBytes: number): string => writeSurvey(dir, contributions, maxBytes);
  const written = lastStep(view, at, "writeFile", (parameters) => parameters["path"] === path);
  const file = { action: "writeFile", parameters: { path, content: written ? "" : content(MAX_FILE_BYTES) } };
  const calls = [
    ...writeNote(view, at, { title: `Survey of ${writePath(dir)}`, content: content(MAX_MERGED_NOTE_BYTES) }),
    ...within(view, written ? [] : [file]),
  ];
  if (calls.length > 0) {
    return act(
      `Survey of ${quotePath(dir)}: merging what ${count(contributions.length, "agent")} found.`,
      calls,
    );
  }
  const outcome = `${writeSummary(contributions)} ${fateOf(path, written)}`;
  return finish(view, survey, `${surveyEnd(dir, "is done")} ${outcome}`);
}

function fateOf(path: string, written: Step | undefined): string {
  if (written && !written.result.isError) return `It is written down in ${writePath(path)}.`;
  const reason = written ? reasonIn(written.result.content, path) : "this agent has no action `writeFile`";
  return `It could not be written to ${writePath(path)}: ${reason}.`;
}

function fail(view: OfflineView, survey: Survey, reason: string): Move {
  return finish(view, survey, `${surveyEnd(survey.dir, "has failed")} ${reason}.`);
}

/** Goals and end go together: as long as a goal is pending, the survey cannot be forgotten. */
function finish(view: OfflineView, { dir, asker }: Survey, text: string): Move {
  const reply = { to: [...new Set([asker, CONTROL])], text };
  const isShareGoal = isGoalForShare(dir, view.own);
  const goals = completeGoals(view, (goal) => isGoalOf(dir)(goal) || isShareGoal(goal));
  if (view.tools.has("sendMessage")) {
    return act(`The survey of ${quotePath(dir)} is over.`, [...goals, sendMessage(reply)]);
  }
  return goals.length > 0 ? act(text, goals) : { kind: "tell", replies: [reply] };
}

function isGoalOf(dir: string): (goal: string) => boolean {
  return (goal) => readSurveyGoal(goal)?.dir === dir;
}

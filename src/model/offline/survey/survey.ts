// The part of the agent that is asked for a survey: list the folder, ask who is there, share it out, walk its own
// share, wait for the reports, merge them, tell. What is still to do is told by the view, and by the pending goal where
// older events were summarised.

import { CONTROL, displayName } from "../../../domain/message.ts";
import { readCommands } from "../commands.ts";
import { count } from "../../../base/wording.ts";
import { entriesOf, reasonIn } from "./findings.ts";
import { glanceAt, glanceCalls } from "../glance.ts";
import { readSurveyGoal, writeSurveyGoal } from "../goals.ts";
import { isSurveyEnd, surveyEnd, writeShare } from "../letters.ts";
import { contributionsTo, surveyPath, writeSummary, writeSurvey, type Contribution } from "./merge.ts";
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
} from "../move.ts";
import { quotePath, writePath } from "../paths.ts";
import { runningPeers, shareOut, type Survey, type Team } from "./team.ts";
import { remember, stepsSince, type ReadMail, type OfflineView, type ActionStep } from "../prompt-reader.ts";
import { isSurveyed, walk } from "./walk.ts";

/** Nothing to do until mail comes. */
export interface Wait {
  readonly kind: "wait";
  readonly text: string;
}

const dirsIn = remember((mail: ReadMail) =>
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
  return [...open.values()].filter((survey) => !isOver(view, survey));
}

function isOver(view: OfflineView, { dir, at }: Survey): boolean {
  const isEnd = (text: unknown): boolean => isSurveyEnd(dir, String(text));
  const told = stepsSince(view, at).some(
    ({ action, parameters }) => action === "sendMessage" && isEnd(parameters["message"]),
  );
  return told || view.decisions.some((decision) => decision.at > at && isEnd(decision.text));
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
  const names = entries.names.filter(isSurveyed);
  const team = shareOut(view, survey, { entries: names, agents });
  return (
    handOut(view, survey, { ...team, names }) ??
    waitFor(dir, team) ??
    merge(view, survey, contributionsTo(view, survey, { ...team, unnamed: entries.unnamed }))
  );
}

/** So many messages in one decision. */
const LETTERS = 40;

/** Shares it out, and looks at what this agent looks at itself. */
function handOut(
  view: OfflineView,
  survey: Survey,
  { own, parts, names }: Team & { readonly names: readonly string[] },
): Move | undefined {
  const { dir, at } = survey;
  const unsent = parts.filter(({ state }) => state === "unsent").slice(0, LETTERS);
  const letters = unsent.map(({ agent, share }) => sendMessage({ to: [agent], text: writeShare(share) }));
  const looks = [...glanceCalls(view, survey, names), ...walk(view, at, own).next];
  if (letters.length + looks.length === 0) return undefined;
  const what = letters.length > 0 ? "sharing it out" : `${count(looks.length, "thing")} to look at`;
  return act(`Survey of ${quotePath(dir)}: ${what}.`, [...letters, ...looks]);
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

/** Writes it all down, then tells. */
function merge(view: OfflineView, survey: Survey, contributions: readonly Contribution[]): Move {
  const { dir, at } = survey;
  const path = surveyPath(dir);
  const written = lastStep(view, at, "writeFile", (parameters) => parameters["path"] === path);
  const content = written
    ? ""
    : writeSurvey(survey, { contributions, glance: glanceAt(view, survey) }, MAX_FILE_BYTES);
  const calls = [
    ...writeNote(view, at, { title: `Survey of ${writePath(dir)}`, content: writeSummary(contributions) }),
    ...within(view, written ? [] : [{ action: "writeFile", parameters: { path, content } }]),
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

function fateOf(path: string, written: ActionStep | undefined): string {
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
  const goals = completeGoals(view, isGoalOf(dir));
  if (view.tools.has("sendMessage")) {
    return act(`The survey of ${quotePath(dir)} is over.`, [...goals, sendMessage(reply)]);
  }
  return goals.length > 0 ? act(text, goals) : { kind: "tell", replies: [reply] };
}

function isGoalOf(dir: string): (goal: string) => boolean {
  return (goal) => readSurveyGoal(goal)?.dir === dir;
}

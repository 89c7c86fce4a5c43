// The surveys that an agent was asked for, whole ones and shares of those of others: which are open, under which goal,
// and how they end. A goal holds what the mail said, so where older events were summarised the goal stands for it.

import type { AgentId } from "../../domain/message/message.ts";
import { readCommands, type Wanted } from "./commands.ts";
import { readShare, reportOpening, shareOpening, type Share } from "./letters.ts";
import { lastStep, untried } from "./move.ts";
import { quotePath } from "./paths.ts";
import {
  FORGOTTEN,
  stepsSince,
  writeGoal,
  type ActionStep,
  type OfflineView,
  type Received,
} from "./view.ts";

export interface Survey {
  readonly dir: string;
  readonly asker: AgentId;
  /** What happened before does not count; `FORGOTTEN` if only the goal is left of it. */
  readonly at: number;
  /** It was forgotten before. */
  readonly again: boolean;
  /** What to walk of the asker's survey. Absent: it is this agent's own, to be shared out. */
  readonly share?: Share;
}

/** The newest of each folder, and of each folder and asker the newest share, unless its end was told. */
export function openSurveys(view: OfflineView): readonly Survey[] {
  const newest = new Map(view.mails.flatMap(surveysIn).map((survey) => [idOf(survey), survey]));
  return [...newest.values()].filter((survey) => !isOver(view, survey));
}

function surveysIn({ text, from, at, again }: Received): readonly Survey[] {
  if (from === undefined) return [];
  const share = readShare(text);
  if (share) return [{ dir: share.dir, asker: from, at, again, share }];
  const dirs = readCommands(text).flatMap((command) => (command.kind === "survey" ? [command.dir] : []));
  return dirs.map((dir) => ({ dir, asker: from, at, again }));
}

function idOf({ dir, asker, share }: Survey): string {
  return JSON.stringify(share ? [dir, asker] : [dir]);
}

/** The goals of a survey, completed. */
export function completeGoals(view: OfflineView, survey: Survey): readonly Wanted[] {
  const isOf = (mail: Received): boolean => surveysIn(mail).some((one) => idOf(one) === idOf(survey));
  const goals = view.goals.filter(({ mail }) => mail && isOf(mail));
  return goals.map(({ number }) => ({ action: "completeGoal", parameters: { goalNumber: number } }));
}

function goalOf({ dir, asker, at, share }: Survey): Wanted {
  const text = share ? shareOpening(share) : `survey ${dir}`;
  return {
    action: "addGoal",
    parameters: { goal: writeGoal({ from: asker, text, again: at === FORGOTTEN }) },
  };
}

/** Sets the goal of a survey, in place of the one that is left of a forgotten one. */
export function setGoal(view: OfflineView, survey: Survey): readonly Wanted[] {
  const { at, again } = survey;
  const left = at === FORGOTTEN && !again ? completeGoals(view, survey) : [];
  const goal = goalOf(survey);
  const isThere = view.goals.some(({ text }) => text === goal.parameters["goal"]);
  return isThere ? left : [...left, ...untried(view, at, goal)];
}

/** Was it forgotten, started over, and forgotten once more? Then there is too little room for it. */
export function isLost(view: OfflineView, survey: Survey): boolean {
  return survey.at === FORGOTTEN && survey.again && !lastStep(view, FORGOTTEN, goalOf(survey));
}

/** Opens the one message that ends a survey. */
export function surveyEnd(dir: string, how: "is done" | "has failed"): string {
  return `The survey of ${quotePath(dir)} ${how}:`;
}

function isOver(view: OfflineView, { dir, asker, at, share }: Survey): boolean {
  const ends = share ? [reportOpening(share)] : [surveyEnd(dir, "is done"), surveyEnd(dir, "has failed")];
  const isEnd = (text: unknown): boolean => ends.some((end) => String(text).startsWith(end));
  const isTold = ({ action, parameters }: ActionStep): boolean =>
    action === "sendMessage" &&
    String(parameters["targetAgentId"]).split(",").includes(asker) &&
    isEnd(parameters["message"]);
  return stepsSince(view, at).some(isTold) || view.decisions.some((one) => one.at > at && isEnd(one.text));
}

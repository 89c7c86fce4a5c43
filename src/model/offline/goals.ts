// The goals that a survey sets an agent, written and read in one place: where older events were summarised, a pending
// goal is all that an agent still knows of its work. Then it starts over, once.

import { isTexts, readJson } from "../../base/json.ts";
import { displayName, type AgentId } from "../../domain/message.ts";
import { isEntry, newShare, type Share } from "./letters.ts";
import { PATH, quotePath, readPath, writePath } from "./paths.ts";
import { agentIdOf } from "./prompt-reader.ts";

export type SurveyAttempt = "first" | "second";

export interface SurveyGoal {
  readonly dir: string;
  readonly asker: AgentId;
  readonly attempt: SurveyAttempt;
}

export interface ShareGoal {
  readonly share: Share;
  readonly from: AgentId;
  readonly attempt: SurveyAttempt;
}

const WHO = "([^:,]{1,80})(, second attempt)?:";

/** The goal of the agent that was asked for a survey; it says all that the request said. */
export function writeSurveyGoal({ dir, asker, attempt }: SurveyGoal): string {
  return `Survey ${quotePath(dir)} for ${who(asker, attempt)}: share it out, merge the reports, write SURVEY.md`;
}

const SURVEY_GOAL = new RegExp(`^Survey (${PATH}) for ${WHO} share it out, `);

export function readSurveyGoal(goal: string): SurveyGoal | undefined {
  const [, dir, asker, again] = SURVEY_GOAL.exec(goal) ?? [];
  if (dir === undefined || asker === undefined) return undefined;
  return { dir: readPath(dir), asker: agentIdOf(asker), attempt: again ? "second" : "first" };
}

/** A longer list of entries is not repeated in a goal: goals hold 2,000 characters. */
const MAX_LIST = 1_500;

/** The goal of an agent that has a share of the survey of `from`; unless it is long, it says all that the share said. */
export function writeShareGoal({ share, from, attempt }: ShareGoal): string {
  const { dir, key, entries } = share;
  const list = JSON.stringify(entries.map(writePath));
  const what = list.length > MAX_LIST ? `${entries.length} entries` : list;
  return `Walk my share (key ${key}) of the survey of ${quotePath(dir)} for ${who(from, attempt)}: ${what}`;
}

const SHARE_GOAL = new RegExp(
  `^Walk my share \\(key ([0-9a-f]{8})\\) of the survey of (${PATH}) for ${WHO} (.+)$`,
);

/** `unlisted`: how many entries the share had that the goal does not list. */
export function readShareGoal(goal: string): (ShareGoal & { readonly unlisted: number }) | undefined {
  const [, key, dir, from, again, list] = SHARE_GOAL.exec(goal) ?? [];
  if (key === undefined || dir === undefined || from === undefined || list === undefined) return undefined;
  const share = { ...newShare(readPath(dir), readList(list), 1), key };
  const unlisted = Number(/^(\d{1,9}) entries$/.exec(list)?.[1] ?? 0);
  return { share, from: agentIdOf(from), attempt: again ? "second" : "first", unlisted };
}

function who(id: AgentId, attempt: SurveyAttempt): string {
  return `${displayName(id)}${attempt === "second" ? ", second attempt" : ""}`;
}

function readList(json: string): readonly string[] {
  const list = readJson(json);
  return isTexts(list) ? list.map(readPath).filter(isEntry) : [];
}

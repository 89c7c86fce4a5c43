// The part of an agent that another one gave a share of a survey: goal, walk, note, report. What is still to do is told
// by the view, and by the pending goal where older events were summarised.

import { displayName, type AgentId } from "../../../domain/message.ts";
import { count } from "../../../base/wording.ts";
import { writeFindings } from "./findings.ts";
import { readShareGoal, writeShareGoal, type SurveyAttempt } from "../goals.ts";
import { isReport, readShare, writeReport, type Share } from "../letters.ts";
import {
  FORGOTTEN,
  startOver,
  act,
  addGoal,
  completeGoals,
  sendMessage,
  within,
  writeNote,
  type Move,
} from "../move.ts";
import { quotePath, writePath } from "../paths.ts";
import { remember, stepsSince, type ReadMail, type OfflineView } from "../prompt-reader.ts";
import { walk } from "./walk.ts";

/** The report says it all; a note is to be read. */
const MAX_NOTE_BYTES = 2_000;

export interface OpenShare {
  readonly from: AgentId;
  readonly share: Share;
  /** What was looked at before does not count. */
  readonly at: number;
  /** How many of its entries are forgotten. */
  readonly unlisted: number;
}

const shareIn = remember((mail: ReadMail) => readShare(mail.text));

/** The newest share of each survey, unless the report is out. */
export function openShares(view: OfflineView): readonly OpenShare[] {
  const open = new Map<string, OpenShare>();
  const put = (next: OpenShare): void => {
    const id = JSON.stringify([next.from, next.share.dir]);
    const known = open.get(id);
    // The same once more, before it is done: whoever sent it has forgotten that they did.
    const isKnown = known && known.at !== FORGOTTEN && known.share.key === next.share.key;
    if (!isKnown || isSettled(view, known)) open.set(id, next);
  };
  for (const { text } of view.standingGoals) {
    const goal = readShareGoal(text);
    if (goal && goal.from !== view.own) put({ ...goal, at: FORGOTTEN });
  }
  for (const { at, mail } of view.mails) {
    const share = shareIn(mail);
    if (share && mail.from !== undefined) put({ from: mail.from, share, at, unlisted: 0 });
  }
  return [...open.values()].filter((one) => !isSettled(view, one));
}

function isSettled(view: OfflineView, { from, share, at }: OpenShare): boolean {
  return stepsSince(view, at).some(
    ({ action, parameters: { targetAgentId, message } }) =>
      action === "sendMessage" && targetAgentId === from && isReport(share, String(message)),
  );
}

export function shareMove(view: OfflineView, open: OpenShare): Move {
  const { from, share, at } = open;
  if (at === FORGOTTEN) {
    const goal = writeShareGoal({ share, from, attempt: "second" });
    const again = startOver(view, isGoalForShare(share.dir, from), goal);
    if (again === "lost" || share.entries.length === 0) return report(view, open);
    return again === "going on" ? walkOn(view, open, "second") : again;
  }
  if (share.entries.length > 0) return walkOn(view, open, "first");
  const content = `${displayName(from)} surveys ${quotePath(share.dir)} and had no share for me.`;
  const note = writeNote(view, at, { title: titleOf(share.dir, from), content });
  return act("There is nothing in this survey for me; I note that.", note);
}

function walkOn(view: OfflineView, open: OpenShare, attempt: SurveyAttempt): Move {
  const { from, share, at } = open;
  const { next } = walk(view, at, share);
  if (next.length === 0) return report(view, open);
  return act(`Survey of ${quotePath(share.dir)}: ${count(next.length, "thing")} to look at.`, [
    ...addGoal(view, at, writeShareGoal({ share, from, attempt })),
    ...next,
  ]);
}

/** What was seen so far is all that there will be. */
function report(view: OfflineView, { from, share, at, unlisted }: OpenShare): Move {
  const seen = walk(view, at, share).findings;
  const findings = { ...seen, unread: seen.unread + unlisted };
  const content = writeFindings(findings, MAX_NOTE_BYTES);
  return act(`My share of the survey of ${quotePath(share.dir)} is walked.`, [
    ...writeNote(view, at, { title: titleOf(share.dir, from), content }),
    ...completeGoals(view, isGoalForShare(share.dir, from)),
    ...within(view, [sendMessage({ to: [from], text: writeReport(share, findings) })]),
  ]);
}

/** Is it a goal for a share of this survey, whatever the share? */
function isGoalForShare(dir: string, from: AgentId): (goal: string) => boolean {
  return (text) => {
    const goal = readShareGoal(text);
    return goal?.from === from && goal.share.dir === dir;
  };
}

/** The title of the note on an agent's share of the survey of `from`. */
function titleOf(dir: string, from: AgentId): string {
  return `Survey of ${writePath(dir)} for ${displayName(from)}, my share`;
}

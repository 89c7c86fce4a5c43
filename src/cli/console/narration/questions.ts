// What is said to people of a question: when it comes, and what became of it.

import type { QuestionEnd } from "../../../domain/event/approval.ts";
import type { Inspection } from "../../../domain/inspection.ts";
import type { Question, Settlement } from "../../../domain/policy/verdict.ts";
import { displayName } from "../../../domain/message/message.ts";
import { askedIn, questionText, shown } from "../../../domain/policy/question-text.ts";
import { momentOf } from "../../kit/times.ts";
import type { Look } from "../../kit/terminal.ts";
import type { Remark } from "./page.ts";

type SeenQuestion = Extract<Inspection, { readonly kind: "question" }>;

/** A call that cannot be shown whole is cut long before. */
const WHOLE = 1_000;

/** @param run where it is asked; absent: in the project's own legion */
export function questionRemark(seen: SeenQuestion, run?: string): Remark {
  return seen.ended ? settledRemark(seen.question, seen.ended) : openRemark(seen.question, run);
}

/** The question whole, with the commands that answer it. */
function openRemark(question: Question, run: string | undefined): Remark {
  const { id, agent, expires } = question;
  const said = questionText(id, displayName(agent), question);
  const text = run === undefined ? said : askedIn(run, id, said);
  const until = `(without an answer it is a no on ${momentOf(expires)})`;
  return { mark: "?", text: `${text}\n${until}`, maxRows: WHOLE, look: "yellow" };
}

type EndingWords = readonly [mark: string, text: string, look?: Look];

/** `%`: the action. */
const ENDINGS: Readonly<Record<QuestionEnd, EndingWords>> = {
  approved: ["✓", "% was allowed"],
  denied: ["✗", "% was not allowed", "red"],
  expired: ["✗", "% was not allowed: nobody answered in time", "red"],
  superseded: ["·", "% is not asked any more", "yellow"],
};

function settledRemark({ id, action }: Question, { verdict, reason }: Settlement): Remark {
  const [mark, words, look] = ENDINGS[verdict];
  const text = words.replace("%", () => `${shown(action)} (${id})`);
  return { mark, text: reason ? `${text}: ${shown(reason)}` : text, maxRows: 4, look };
}

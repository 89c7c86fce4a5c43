// The questions of a report, answered where it is read: yes, no, or later.

import { openQuestionsOf, type OpenQuestion } from "../../../legion/questions.ts";
import { withLegion } from "../../../control/open.ts";
import { isLegionError } from "../../../base/errors.ts";
import { displayName } from "../../../domain/message/message.ts";
import { askPerson, canAsk } from "../../consent/confirm.ts";
import { readAnswer } from "../../console/question/answer.ts";
import { questionBlock } from "../../console/question/block.ts";
import type { Io } from "../../kit/command.ts";
import { columnsFor, print, warn } from "../../kit/output.ts";
import type { Site } from "../../kit/target.ts";
import { paintFor } from "../../kit/terminal.ts";

const NO_ROWS = 24;

/** Asks them one after the other, as long as somebody answers. */
export async function answerQuestions(
  asking: readonly string[],
  { site, expireMs }: { readonly site: Site; readonly expireMs: number },
  io: Io,
): Promise<void> {
  if (!canAsk(io)) return;
  const open = (await openQuestionsOf(asking, site.reader, expireMs)).filter(({ isAnswered }) => !isAnswered);
  for (const [index, question] of open.entries()) {
    const answer = await ask(question, open.length - index, io);
    if (answer === "left") return;
    if (answer === "later") continue;
    try {
      await withLegion(site, (legion) => legion.answer({ question: question.id, ...answer }));
    } catch (error) {
      if (!isLegionError(error)) throw error;
      // Somebody else answered it meanwhile, or it is over.
      warn(io, error.message);
      continue;
    }
    const may = answer.verdict === "approved" ? "may do it, this once" : "may not do it";
    print(io, `${question.id}: ${displayName(question.agent)} ${may}.`);
  }
}

async function ask(question: OpenQuestion, waiting: number, io: Io) {
  const paint = paintFor(io.stdout, io.env);
  const layout = { columns: columnsFor(io), maxRows: io.stdout.rows || NO_ROWS, paint, waiting, role: "" };
  const { rows, isWhole } = questionBlock(question, { ...layout, answers: "now" });
  // The ways to answer are fewer here.
  io.stdout.write(`\n${rows.slice(0, -1).join("\n")}\n`);
  const yes = isWhole ? "y: once · " : `legion approvals ${question.id} shows it whole · `;
  for (;;) {
    const line = await askPerson(`${yes}n [why]: no · Enter: later `, io);
    if (line === "") return "later";
    const answer = readAnswer(line);
    if (answer?.kind === "once" && isWhole) return { verdict: "approved" as const };
    if (answer?.kind === "no") return { verdict: "denied" as const, reason: answer.reason || undefined };
    if (line === "later" || line === "l") return "later";
    if (line === "q" || line === "quit") return "left";
  }
}

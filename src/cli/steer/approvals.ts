// What agents ask before they do it, and the answers.

import { withLegion } from "../../control/open.ts";
import type { Verdict } from "../../domain/verdict.ts";
import { questionText } from "../../domain/policy/question-text.ts";
import { displayName } from "../../domain/message.ts";
import { findQuestion, openQuestions, type OpenQuestion } from "../../legion/questions.ts";
import { LegionError } from "../../base/errors.ts";
import { answerFor, type AlwaysAllowed } from "../../domain/policy/answer.ts";
import { openPersonFolder } from "../../storage/folder/person/folder.ts";
import { rememberAnswers } from "../../storage/folder/person/trust.ts";
import type { CliCommand, Io, Typed } from "../kit/command.ts";
import { print, printJson } from "../kit/output.ts";
import { addJsonOption, addLegionOptions, withSite } from "../kit/target.ts";
import { ageOf } from "../kit/times.ts";

export const approvals: CliCommand = {
  define: (parser) => void addJsonOption(addLegionOptions(parser)),
  async run(typed, io) {
    const questions = await withSite(typed, io, ({ reader }) => openQuestions(reader));
    for (const question of questions) {
      if (typed.options["json"]) printJson(io, question);
      else print(io, `${wordsOf(question)}\n`);
    }
    if (questions.length === 0 && !typed.options["json"]) print(io, "Nobody waits for an answer.");
    return 0;
  },
};

export const approve = answer("approved");
export const deny = answer("denied");

function answer(verdict: Verdict["verdict"]): CliCommand {
  return {
    define(parser) {
      addLegionOptions(parser.argument("<question>", "such as 2.417; `legion approvals` lists them"));
      if (verdict === "denied") parser.argument("[why...]", "the agent reads it");
      else
        parser.option(
          "--always <what>",
          "in this project, do not ask again: for this exact call, or for this host",
        );
    },
    async run(typed, io) {
      const always = readAlways(typed);
      const [id = "", ...words] = typed.args.filter((word) => word !== undefined);
      const reason = words.join(" ").trim() || undefined;
      const question = await withSite(typed, io, async (site) => {
        const found = await findQuestion(site.reader, id);
        const answers = always === undefined ? [] : answersFor(found, always);
        if (answers.length > 0) await rememberAnswers(openPersonFolder(io.env), site.project, answers);
        await withLegion(site, (legion) => legion.answer({ question: id, verdict, reason }));
        return found;
      });
      tell(question, verdict, io);
      return 0;
    },
  };
}

/** Absent: the answer holds this once. Throws USAGE. */
function readAlways({ options: { always } }: Typed): AlwaysAllowed | undefined {
  if (always === undefined || always === "call" || always === "host") return always;
  throw new LegionError("USAGE", `--always: expected call or host, not ${JSON.stringify(always)}`);
}

/** What is to be kept of the answer for the next time. Throws USAGE. */
function answersFor(question: OpenQuestion, always: AlwaysAllowed): readonly string[] {
  const { id, touches } = question;
  const answers = touches.map((touch) => answerFor(question, touch, always));
  if (answers.every((answer) => answer !== undefined)) return answers;
  throw new LegionError(
    "USAGE",
    `--always host: ${id} asks for more than a host; --always call is for the whole of it`,
  );
}

function tell({ id, agent }: OpenQuestion, verdict: Verdict["verdict"], io: Io): void {
  const what = verdict === "approved" ? "may do it" : "may not do it";
  print(io, `${id}: ${displayName(agent)} ${what}; it hears so when it runs.`);
}

function wordsOf(question: OpenQuestion): string {
  const { id, agent, since, isAnswered } = question;
  const state = isAnswered
    ? "answered, and not seen by the agent yet"
    : `waiting for ${ageOf(since, Date.now())}`;
  return `${questionText(id, displayName(agent), question)}\n(${state})`;
}

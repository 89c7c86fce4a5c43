// What agents ask before they do it, and the answers.

import { withLegion } from "../../control/open.ts";
import type { Verdict } from "../../domain/policy/verdict.ts";
import {
  askedIn,
  isShownWhole,
  questionText,
  shown,
  type ShownLength,
} from "../../domain/policy/question-text.ts";
import { displayName } from "../../domain/message/message.ts";
import { findQuestion, openQuestions, type OpenQuestion } from "../../legion/questions.ts";
import { DEFAULT_QUESTIONS } from "../../legion/rulebook.ts";
import { LegionError } from "../../base/errors.ts";
import { answerFor, type AlwaysAllowed } from "../../domain/policy/answer.ts";
import { runName } from "../../storage/folder/paths.ts";
import { openPersonFolder } from "../../storage/folder/person/folder.ts";
import { rememberAnswers } from "../../storage/folder/person/trust.ts";
import type { CliCommand, Typed } from "../kit/command.ts";
import { print, printJson } from "../kit/output.ts";
import { addJsonOption, addLegionOptions, withSite, type Site } from "../kit/target.ts";
import { ageOf, momentOf } from "../kit/times.ts";

export const approvals: CliCommand = {
  define: (parser) =>
    void addJsonOption(addLegionOptions(parser)).argument("[question]", "this one alone, whole"),
  async run(typed, io) {
    const [id] = typed.args;
    const length = id === undefined ? "cut" : "whole";
    await withSite(typed, io, async (site) => {
      const questions =
        id === undefined
          ? await openQuestions(site.reader, expireMsAt(site))
          : [await findQuestion(site.reader, id, expireMsAt(site))];
      if (typed.options["json"]) for (const question of questions) printJson(io, question);
      else if (questions.length === 0) print(io, "Nobody waits for an answer.");
      else print(io, questions.map((question) => wordsOf(question, length, site)).join("\n\n"));
    });
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
      await withSite(typed, io, async (site) => {
        const question = await findQuestion(site.reader, id, expireMsAt(site));
        const answers = always ? answersFor(question, always) : [];
        if (answers.length > 0) await rememberAnswers(openPersonFolder(io.env), site.project, answers);
        const status = await withLegion(site, async (legion) => {
          await legion.answer({ question: id, verdict, reason });
          return legion.status([question.agent]);
        });
        const isRunning = status.agents.some(({ node }) => node !== null);
        print(io, confirmation(question, { verdict, reason, always, isRunning }));
      });
      return 0;
    },
  };
}

/** What of the answer holds for the next time, too; `undefined` if it holds this once. Throws USAGE. */
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

interface GivenAnswer extends Pick<Verdict, "verdict" | "reason"> {
  readonly always: AlwaysAllowed | undefined;
  /** Does a node run the agent? */
  readonly isRunning: boolean;
}

function confirmation({ id, agent, touches }: OpenQuestion, given: GivenAnswer): string {
  const { verdict, reason, always, isRunning } = given;
  const hosts = [...new Set(touches.flatMap((touch) => (touch.kind === "net" ? shown(touch.host) : [])))];
  const kept = always === "host" ? hosts.join(", ") : "this exact call";
  const yes = always ? `may do it, and ${kept} is not asked again in this project` : "may do it, this once";
  const no = reason === undefined ? "may not do it" : "may not do it, and reads why";
  const later = isRunning ? "" : " No node runs it now: it hears so at the next start.";
  return `${id}: ${displayName(agent)} ${verdict === "approved" ? yes : no}.${later}`;
}

function expireMsAt({ config: { approvals: settings } }: Site): number {
  return settings.expireMs ?? DEFAULT_QUESTIONS.expireMs;
}

function wordsOf(question: OpenQuestion, length: ShownLength, { project, home }: Site): string {
  const { id, agent } = question;
  const text = questionText(id, displayName(agent), question, length);
  const run = home && runName(project, home);
  const words = run === undefined ? text : askedIn(run, id, text);
  const whole = `legion approvals ${id}${run === undefined ? "" : ` --run ${run}`} shows it whole`;
  const isCut = length === "cut" && !isShownWhole(question);
  return [words, ...(isCut ? [whole] : []), `(${stateOf(question)})`].join("\n");
}

function stateOf({ agent, since, expires, isAnswered }: OpenQuestion): string {
  if (isAnswered) return `answered; ${displayName(agent)} has not seen it yet`;
  if (Date.parse(expires) <= Date.now()) return "nobody answered in time: it is a no, at the next start";
  return `waiting for ${ageOf(since, Date.now())}; without an answer it is a no on ${momentOf(expires)}`;
}

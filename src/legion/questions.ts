// The questions that agents of a legion wait with, wherever it is kept and whether or not anybody runs it.

import { LegionError } from "../base/errors.ts";
import { quote } from "../base/text/wording.ts";
import { displayName, type AgentId } from "../domain/message/message.ts";
import { parseQuestionId, verdictIn, type Question, type Verdict } from "../domain/policy/verdict.ts";
import type { Mail } from "../mail/bus.ts";
import type { Control } from "../mail/control.ts";
import { createBranch } from "../past/fold.ts";
import { describeQuestion, openQuestion } from "../past/questions.ts";
import type { Reader } from "../storage/contract/reader.ts";
import type { Supervised } from "./supervision/supervisor.ts";

export interface OpenQuestion extends Question {
  /** It has been answered, and its agent has not seen that yet. */
  readonly isAnswered: boolean;
}

/** For the program that runs a legion: questions of the agents that it hosts. */
export interface Answers {
  /** Those that wait for an answer, oldest first. A watcher sees one come and go as `question`. */
  questions(): readonly OpenQuestion[];
  /** Lets the call run. Rejects with USAGE if there is no such question. */
  approve(id: string): Promise<void>;
  /** Does not let it run; `reason` is for the agent. Rejects with USAGE if there is no such question. */
  deny(id: string, reason?: string): Promise<void>;
}

export function createAnswers(
  agents: ReadonlyMap<AgentId, Pick<Supervised, "agent">>,
  control: Pick<Control, "answer">,
): Answers {
  const questions = (): readonly OpenQuestion[] => oldestFirst([...agents].map(askedBy));
  const answer = async (details: Verdict): Promise<void> => {
    const isMeant = ({ id, isAnswered }: OpenQuestion): boolean => id === details.question && !isAnswered;
    if (!questions().some(isMeant))
      throw new LegionError("USAGE", `${JSON.stringify(details.question)} waits for no answer`);
    await control.answer(details);
  };
  return {
    questions,
    approve: (question) => answer({ question, verdict: "approved" }),
    deny: (question, reason) => answer({ question, verdict: "denied", reason }),
  };
}

function askedBy([id, { agent }]: readonly [AgentId, Pick<Supervised, "agent">]): OpenQuestion | undefined {
  const question = agent && openQuestion(agent.memory.conversation.questions);
  if (!question) return undefined;
  return withState(describeQuestion(id, question, agent.rulebook.questions.expireMs), agent.inbox.ahead());
}

function oldestFirst(questions: readonly (OpenQuestion | undefined)[]): readonly OpenQuestion[] {
  const found = questions.flatMap((question) => question ?? []);
  return found.sort((a, b) => Date.parse(a.since) - Date.parse(b.since));
}

function withState(question: Question, unread: readonly Mail[]): OpenQuestion {
  const isAnswered = unread.some(({ message }) => verdictIn(message)?.question === question.id);
  return { ...question, isAnswered };
}

/**
 * Oldest first, of all agents.
 *
 * @param expireMs how long a question waits for an answer
 */
export async function openQuestions(reader: Reader, expireMs: number): Promise<readonly OpenQuestion[]> {
  return openQuestionsOf(await reader.known(), reader, expireMs);
}

/** Those of `agents` alone. */
export async function openQuestionsOf(
  agents: readonly AgentId[],
  reader: Reader,
  expireMs: number,
): Promise<readonly OpenQuestion[]> {
  return oldestFirst(await Promise.all(agents.map((agent) => questionOf(reader, agent, expireMs))));
}

/** The open question `id` that nobody has answered. Throws USAGE with those that are open if there is none. */
export async function findQuestion(reader: Reader, id: string, expireMs: number): Promise<OpenQuestion> {
  const agent = parseQuestionId(id)?.agent;
  const isKnown = agent !== undefined && (await reader.known()).includes(agent);
  const question = isKnown ? await questionOf(reader, agent, expireMs) : undefined;
  if (question?.id === id && !question.isAnswered) return question;
  const wrong =
    question?.id === id
      ? `${id} has its answer; ${displayName(question.agent)} has not seen it yet`
      : `nobody waits for an answer to ${quote(id)}`;
  const open = (await openQuestions(reader, expireMs)).filter(({ isAnswered }) => !isAnswered);
  throw new LegionError("USAGE", `${wrong}; ${listed(open)}`);
}

const MAX_LISTED = 10;

function listed(open: readonly OpenQuestion[]): string {
  if (open.length === 0) return "no question is open";
  const names = open.slice(0, MAX_LISTED).map(({ id, agent }) => `${id} (${displayName(agent)})`);
  const more = open.length > MAX_LISTED ? ` and ${open.length - MAX_LISTED} more` : "";
  return `open: ${names.join(", ")}${more}`;
}

async function questionOf(
  reader: Reader,
  agent: AgentId,
  expireMs: number,
): Promise<OpenQuestion | undefined> {
  const { ledger, branch } = await reader.follow(agent, createBranch);
  const question = openQuestion(branch.conversation.questions);
  if (!question) return undefined;
  return withState(describeQuestion(agent, question, expireMs), await reader.unread(agent, ledger));
}

// The questions that agents of a legion wait with, wherever it is kept and whether or not anybody runs it.

import { LegionError } from "../base/errors.ts";
import { displayName, type AgentId } from "../domain/message.ts";
import type { PosedCall } from "../domain/policy/question-text.ts";
import { parseQuestionId, questionId, verdictIn, type Verdict } from "../domain/verdict.ts";
import type { Mail } from "../mail/bus.ts";
import type { Control } from "../mail/control.ts";
import { createBranch } from "../past/fold.ts";
import { openQuestion, type AskedQuestion } from "../past/questions.ts";
import type { Reader } from "../storage/contract/reader.ts";
import type { Supervised } from "./supervision/supervisor.ts";

export interface OpenQuestion extends PosedCall {
  /** Such as `2.417`. */
  readonly id: string;
  readonly agent: AgentId;
  /** ISO 8601. */
  readonly since: string;
  /** It has been answered, and its agent has not seen that yet. */
  readonly isAnswered: boolean;
}

/** For the program that runs a legion: questions of the agents that it hosts. */
export interface Answers {
  /** Those that wait for an answer, oldest first. A watcher sees one come as state `asking`, with its id as the reason. */
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
  return question && describeQuestion(id, question, agent.inbox.ahead());
}

function oldestFirst(questions: readonly (OpenQuestion | undefined)[]): readonly OpenQuestion[] {
  const found = questions.flatMap((question) => question ?? []);
  return found.sort((a, b) => Date.parse(a.since) - Date.parse(b.since));
}

function describeQuestion(agent: AgentId, question: AskedQuestion, unread: readonly Mail[]): OpenQuestion {
  const id = questionId({ agent, seq: question.seq });
  const isAnswered = unread.some(({ message }) => verdictIn(message)?.question === id);
  const { asked, call, at: since } = question;
  return { ...asked, parameters: call.parameters, id, agent, since, isAnswered };
}

/** Oldest first, of all agents. */
export async function openQuestions(reader: Reader): Promise<readonly OpenQuestion[]> {
  return oldestFirst(await Promise.all((await reader.known()).map((agent) => questionOf(reader, agent))));
}

/** The open question `id` that nobody has answered. Throws USAGE, saying what became of it, if there is none. */
export async function findQuestion(reader: Reader, id: string): Promise<OpenQuestion> {
  const agent = parseQuestionId(id)?.agent;
  const name = JSON.stringify(id);
  if (agent === undefined)
    throw new LegionError(
      "USAGE",
      `${name} is no question; they look like 2.417, and legion approvals lists them`,
    );
  if (!(await reader.known()).includes(agent))
    throw new LegionError(
      "USAGE",
      `there is no agent ${JSON.stringify(agent)}; legion approvals lists what is open`,
    );
  const question = await questionOf(reader, agent);
  if (question?.id === id && !question.isAnswered) return question;
  const other = question && !question.isAnswered ? `; it asks ${question.id} now` : "";
  throw new LegionError(
    "USAGE",
    `${displayName(agent)} does not wait for an answer to ${name} any more${other}`,
  );
}

async function questionOf(reader: Reader, agent: AgentId): Promise<OpenQuestion | undefined> {
  const { ledger, branch } = await reader.follow(agent, createBranch);
  const question = openQuestion(branch.conversation.questions);
  return question && describeQuestion(agent, question, await reader.unread(agent, ledger));
}

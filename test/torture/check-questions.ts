// A call about which a person has to be asked runs only after a yes that names it, and only if no rule has forbidden it since.
// Each question is told of once and ends once: by the first answer that came, by a person's word, or for want of both.

import type { Call, EventOf } from "../../src/domain/event/event.ts";
import type { Message } from "../../src/domain/message/message.ts";
import { questionId, verdictIn, type Verdict } from "../../src/domain/policy/verdict.ts";
import { QUESTIONS } from "./answers.ts";
import type { Told } from "./evidence.ts";
import type { QuestionFigures, Report } from "./fault.ts";
import type { QuestionEnd } from "../../src/domain/event/approval.ts";

interface Question {
  readonly id: string;
  readonly askedMs: number;
  readonly epoch: number;
  letters: number;
  end: QuestionEnd | undefined;
}

interface Books {
  readonly told: Told;
  readonly report: Report;
  /** What the person said to agents, by the id of the message: several where log 0 lost its end, and counts anew since. */
  readonly words: ReadonlyMap<string, readonly Message[]>;
  /** The first answer to each question. */
  readonly first: ReadonlyMap<string, Message>;
  /** By agent and call. */
  readonly questions: Map<string, Question>;
}

/** So long after it was acknowledged, an answer is known to whoever asked. */
const KNOWN_MS = 500;

export function checkQuestions(told: Told, report: Report): QuestionFigures {
  const words = new Map<string, readonly Message[]>();
  const first = new Map<string, Message>();
  for (const event of told.agents.get("0")?.log.records ?? []) {
    for (const word of event.kind === "notice" ? (event.sends ?? []) : []) {
      words.set(word.id, [...(words.get(word.id) ?? []), word]);
      const question = verdictIn(word)?.question;
      if (question !== undefined && !first.has(question)) first.set(question, word);
    }
  }
  const books: Books = { told, report, words, first, questions: new Map() };
  const used = new Set<string>();
  const answers: string[] = [];
  for (const [id, { log }] of told.agents) {
    if (id === "0") continue;
    checkLog(id, books);
    for (const event of log.records) {
      if (event.kind === "approval" && event.by !== undefined) used.add(event.by);
      if (event.kind === "message" && verdictIn(event.message)) answers.push(event.message.id);
    }
  }
  checkEffects(books);
  const all = [...books.questions.values()];
  const ended = (by: QuestionEnd): number => all.filter(({ end }) => end === by).length;
  return {
    questions: all.length,
    approved: ended("approved"),
    denied: ended("denied"),
    expired: ended("expired"),
    superseded: ended("superseded"),
    voidAnswers: answers.filter((id) => !used.has(id)).length,
  };
}

function mustAsk(action: string | undefined): boolean {
  return action !== undefined && action.startsWith("asked");
}

function checkLog(agent: string, books: Books): void {
  const { told, report, questions } = books;
  const calls = new Map<string, Call>();
  /** Calls that were answered with no, since the person said anything else: the same again gets that answer, unasked. */
  const refused = new Set<string>();
  let open: Question | undefined;
  for (const event of told.agents.get(agent)!.log.records) {
    if (event.kind === "decision") for (const call of event.calls) calls.set(call.id, call);
    const id = "call" in event ? (event.call ?? "") : "";
    const key = `${agent} ${id}`;
    const question = questions.get(key);
    if (event.kind === "message" && isWord(event.message)) refused.clear();
    const isRefused = !question && refused.has(sameCall(calls.get(id)));
    if (
      event.kind === "result" &&
      mustAsk(calls.get(id)?.action) &&
      !(isRefused && event.outcome === "error")
    )
      checkResult(key, event, books);
    if (event.kind !== "approval") continue;
    if (event.asked) {
      const name = questionId({ agent, seq: event.seq });
      if (question || (open && !open.end) || !mustAsk(calls.get(id)?.action))
        report("question", `${name}: asked again, beside another one, or for nothing`);
      open = { id: name, askedMs: Date.parse(event.at), epoch: event.epoch, letters: 0, end: undefined };
      questions.set(key, open);
    } else if (!question) report("question", `${agent}: event ${event.seq} is about nothing that was asked`);
    else if (event.verdict) {
      // Of one that was kept, and forbidden by a new rule, passed over by a person's word, or answered by whoever saw it in the log
      // before the next process could tell of it, nobody hears.
      const isAnswered = event.by !== undefined && event.epoch !== question.epoch;
      const isForbidden = event.verdict === "denied" && event.by === undefined;
      const isUntold =
        question.letters === 0 && (isForbidden || isAnswered || event.verdict === "superseded");
      if (question.end || (question.letters !== 1 && !isUntold))
        report("question", `${question.id}: told of ${question.letters} times, ${question.end} before`);
      question.end = event.verdict;
      if (event.verdict === "denied" || event.verdict === "expired") refused.add(sameCall(calls.get(id)));
      checkEnd(question, event, books);
    } else {
      const [letter] = event.sends ?? [];
      if ((letter?.details as Partial<Verdict> | undefined)?.question === question.id) question.letters++;
    }
  }
}

function sameCall(call: Call | undefined): string {
  return JSON.stringify([call?.action, call?.parameters]);
}

/** The person's, and more than an answer or a stop. */
function isWord({ source, delivery }: Message): boolean {
  return source.type === "agent" && source.id === "0" && (delivery === "normal" || delivery === "steer");
}

/** Is what ended it what may end it, and came first? */
function checkEnd(question: Question, event: EventOf<"approval">, { told, report, ...books }: Books): void {
  const { id, askedMs } = question;
  const { verdict, by, call, at, reason } = event;
  const found = books.words.get(by ?? "") ?? [];
  const word = found.find((one) => verdictIn(one)?.question === id) ?? found.at(-1);
  const wrong = (why: string): void => report("wrong verdict", `${id} ended ${verdict} by ${by}: ${why}`);
  if (verdict === "expired") {
    const dueMs = askedMs + QUESTIONS.expireMs;
    if (Date.parse(at) < dueMs) wrong("too early");
    const safe = told.answers.find((answer) => answer.said && answer.question === id);
    if (safe && safe.at < dueMs - KNOWN_MS)
      report("verdict lost", `${id}: safe ${dueMs - safe.at} ms before`);
  } else if (verdict === "superseded") {
    if (!found.some(({ delivery }) => delivery !== "verdict" && delivery !== "follow-up"))
      wrong(`that says ${word?.content}`);
  } else if (by === undefined) {
    if (verdict === "approved" || !told.revoked.has(call)) wrong("nobody said so");
  } else {
    const said = word && verdictIn(word);
    if (said?.question !== id || said.verdict !== verdict || said.reason !== reason)
      wrong(`that says ${word?.content}`);
    else if (word !== books.first.get(id)) wrong(`the first was ${books.first.get(id)?.id}`);
  }
}

/** What may come of a call about which a person has to be asked, by how its question ended; `none`: nobody was asked. */
const OUTCOMES: Readonly<Record<QuestionEnd | "none" | "open", readonly string[]>> = {
  // A steer or an abort may have come after the answer.
  approved: ["ok", "interrupted", "idle"],
  denied: ["error", "idle"],
  expired: ["error", "idle"],
  superseded: ["idle"],
  // Left out for a call before it.
  none: ["idle", "interrupted"],
  open: [],
};

function checkResult(key: string, event: EventOf<"result">, { told, report, questions }: Books): void {
  const question = questions.get(key);
  const end = question ? (question.end ?? "open") : "none";
  const { outcome, seq } = event;
  const isForbidden = outcome === "error" && told.revoked.has(event.call ?? "");
  if (!OUTCOMES[end].includes(outcome) && !isForbidden)
    report(outcome === "ok" ? "unapproved" : "question", `${key}: ${outcome} at ${seq}, question ${end}`);
}

function checkEffects({ told, report, questions }: Books): void {
  for (const { agent, intent, action } of told.effects) {
    if (!mustAsk(action)) continue;
    const { end } = questions.get(`${agent} ${intent}`) ?? {};
    if (end !== "approved")
      report("unapproved", `${action} ${agent} ${intent} was done, its question ${end}`);
    if (told.revoked.has(intent))
      report("unapproved", `${action} ${agent} ${intent} was done, and forbidden`);
  }
}

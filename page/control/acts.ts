// What the person has done here, and what came of each act.

import { signal } from "@preact/signals";
import type { AnswerOf, QuestionOf, RouteName, Targets } from "../../src/control/api/routes.ts";
import { act, type Heard } from "../connection/api.ts";
import { everyone, nameOf, overview } from "../legion/overview.ts";
import { announce } from "../parts/announce.tsx";
import { count } from "../parts/numbers.ts";

export interface Act {
  readonly n: number;
  /** What was asked for. */
  readonly words: string;
  readonly state: "under way" | "done" | "refused" | "not heard";
  /** What came of it; may be empty. */
  readonly lines: readonly string[];
}

const MOST = 4;
/** What is done is known by then. */
const DONE_MS = 20_000;
const MOST_NAMED = 8;
/** What the person does then. */
export const UNHEARD = "look at the state before you do it again: nobody knows whether it was heard";

/** Newest first. */
export const acts = signal<readonly Act[]>([]);
let last = 0;

export function forget(n: number): void {
  acts.value = acts.value.filter((one) => one.n !== n);
}

export interface Doing<K extends RouteName> {
  readonly route: K;
  readonly question: QuestionOf<K>;
  readonly words: string;
  /** What its answer says, in words. */
  lines(answer: AnswerOf<K>): readonly string[];
}

/** Does it, and shows what comes of it. */
export async function perform<K extends RouteName>(doing: Doing<K>): Promise<Heard<AnswerOf<K>>> {
  const n = ++last;
  acts.value = [{ n, words: doing.words, state: "under way", lines: [] } as Act, ...acts.value].slice(
    0,
    MOST,
  );
  const heard = await act(doing.route, doing.question);
  const state = heard.outcome === "unheard" ? "not heard" : heard.outcome;
  const failed =
    heard.outcome === "unheard" ? [heard.why, UNHEARD] : heard.outcome === "refused" ? [heard.why] : [];
  const lines = heard.outcome === "done" ? doing.lines(heard.answer) : failed;
  acts.value = acts.value.map((one) => (one.n === n ? { ...one, state, lines } : one));
  announce(`${doing.words}: ${state}. ${lines.join(". ")}`);
  if (state === "done") setTimeout(() => forget(n), DONE_MS);
  return heard;
}

/** `Agent 2, Agent 3 and 4 more`, `all 500 agents`. */
export function named(to: Targets): string {
  if (to === "all")
    return everyone.peek().length === 1
      ? nameOf(everyone.peek()[0]!.id)
      : `all ${count(everyone.peek().length, "agent")}`;
  const names = to.slice(0, MOST_NAMED).map(nameOf);
  return to.length > MOST_NAMED ? `${names.join(", ")} and ${to.length - MOST_NAMED} more` : names.join(", ");
}

export type SpokenLane = NonNullable<QuestionOf<"say">["delivery"]>;

const SPOKEN: Readonly<Record<SpokenLane, string>> = {
  normal: "Say",
  steer: "Steer",
  "follow-up": "Follow up",
  abort: "Abort",
};

export function say(to: Targets, content: string, delivery: SpokenLane): Promise<Heard<unknown>> {
  return perform({
    route: "say",
    question: { targets: to, content, delivery },
    words: `${SPOKEN[delivery]}: ${named(to)}`,
    lines: ({ ids }) => toldLines(ids),
  });
}

/** Whom it reached, and who will read it only later. */
function toldLines(ids: readonly string[]): readonly string[] {
  if (ids.length === 0) return ["nobody was at work, so there was nothing to do"];
  const readers = ids.map((id) => /^[^>]*>([^#]*)#/.exec(id)?.[1] ?? "");
  const asleep = readers.filter((id) => overview.peek()?.agents.get(id)?.node === null);
  const first = `in the mailbox of ${named(readers)}`;
  return asleep.length === 0 ? [first] : [first, `read once started: ${named(asleep)}`];
}

export function order(to: Targets, word: QuestionOf<"order">["order"]): Promise<Heard<unknown>> {
  return perform({
    route: "order",
    question: { targets: to, order: word },
    words: `${word[0]!.toUpperCase()}${word.slice(1)}: ${named(to)}`,
    lines: ({ agents }) => byOutcome(agents),
  });
}

const CAME: Readonly<Record<string, string>> = {
  done: "done",
  soon: "soon, once its step is finished",
  already: "already so, nothing changed",
};

function byOutcome(agents: AnswerOf<"order">["agents"]): readonly string[] {
  if (agents.every(({ outcome }) => outcome === "done")) return [];
  return Object.entries(CAME).flatMap(([outcome, words]) => {
    const ids = agents.filter((one) => one.outcome === outcome).map(({ id }) => id);
    return ids.length === 0 ? [] : [`${named(ids)}: ${words}`];
  });
}

export function setMode(to: Targets, mode: QuestionOf<"mode">["mode"]): Promise<Heard<unknown>> {
  return perform({
    route: "mode",
    question: { targets: to, mode },
    words: `Mode ${mode}: ${named(to)}`,
    lines: ({ ids }) => [`told ${count(ids.length, "agent")}; it holds once they have taken it in`],
  });
}

/** @param to `undefined`: all together */
export function setLimit(
  to: Targets | undefined,
  name: "steps" | "tokens" | "cost" | "time",
  amount: number | "none",
): Promise<Heard<unknown>> {
  const limits = { [name === "time" ? "timeMs" : name]: amount };
  return perform({
    route: "limits",
    question: to === undefined ? { limits } : { targets: to, limits },
    words: `Limit of ${name}: ${to === undefined ? "all together" : named(to)}`,
    lines: ({ agents }) =>
      agents.some(({ outcome }) => outcome === "soon") ? ["soon, once its step is finished"] : [],
  });
}

export function resend(dead: readonly string[]): Promise<Heard<unknown>> {
  return perform({
    route: "resend",
    question: { dead },
    words: `Send again: ${dead.length === 1 ? dead[0]! : count(dead.length, "message")}`,
    lines: ({ letters }) =>
      letters.map(
        (one) => `${one.id}: ${one.outcome === "refused" ? `refused, ${one.reason}` : CAME[one.outcome]!}`,
      ),
  });
}

/** What of it the person has to know, in the words of `legion fork`. */
function forkLines({ agent, at, as }: QuestionOf<"fork">, came: AnswerOf<"fork">): readonly string[] {
  const { to } = came;
  const name = nameOf(agent);
  const lines: string[] = [];
  if (to > at) lines.push(`event ${at} is part of a decision: its last result is event ${to}`);
  if (to < at) lines.push(`nothing can go on from event ${at} itself: event ${to} is before it`);
  if (as !== undefined) lines.push(`${as} is a new agent with its past up to event ${to}`);
  else if (came.outcome === "soon") lines.push(`${name} goes on from event ${to} once its step is finished`);
  else lines.push(`${name} goes on from event ${to}, on a new branch`);
  if (came.outcome !== "done") return lines;
  const { halt, edited, lost } = came;
  if (lost !== undefined)
    lines.push(`${count(lost, "event")} before that cannot be read any more; it is told`);
  if (edited.length > 0)
    lines.push(`changed by hand, and left so: ${edited.map((one) => one.join(" ")).join(", ")}`);
  if (halt)
    lines.push(`it was ${halt.reason.replace(/-.*/, "")} at that moment, and is again (${halt.content})`);
  return lines;
}

export function forkFrom(question: QuestionOf<"fork">): Promise<Heard<AnswerOf<"fork">>> {
  return perform({
    route: "fork",
    question,
    words: `Go on from event ${question.at} of ${nameOf(question.agent)}`,
    lines: (came) => forkLines(question, came),
  });
}

export type NewAgentOrder = QuestionOf<"fork"> & { readonly as: string };

/** The same as a new agent, which the node of this folder runs, if there is one. */
export async function forkAsNew(question: NewAgentOrder): Promise<Heard<AnswerOf<"fork">>> {
  const { as } = question;
  const forked = await forkFrom(question);
  if (forked.outcome !== "done") return forked;
  await perform({
    route: "wake",
    question: { targets: [as] },
    words: `Run ${as}`,
    lines: ({ remarks }) => (remarks.length === 0 ? ["it runs"] : [...remarks, runs(as)]),
  });
  return forked;
}

function runs(as: string): string {
  return `legion start --only ${as} runs it`;
}

export function answer(
  question: string,
  verdict: "approved" | "denied",
  reason: string,
): Promise<Heard<unknown>> {
  const why = verdict === "denied" && reason !== "" ? { reason } : {};
  return perform({
    route: "answer",
    question: { question, verdict, ...why },
    words: `${verdict === "approved" ? "Approve" : "Deny"} ${question}`,
    lines: () => [],
  });
}

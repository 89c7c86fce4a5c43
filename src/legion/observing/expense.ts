// What it would come to if an observer took in all that was ever said and it has not heard: an estimate by the rules of its
// sessions, before anything is asked.

import type { Observe } from "../hosting/agent-plan.ts";
import type { ModelProfile } from "../../domain/model.ts";
import type { AgentId } from "../../domain/message/message.ts";
import { estimateTokens } from "../../model/tokens/tokens.ts";
import { controlOf } from "../../past/observed/invocations.ts";
import { costOf } from "../../past/limits/spending.ts";
import { readUnheard } from "./behind.ts";
import type { Observation, UnheardMessage } from "./reading.ts";
import { SILENCE_MS } from "./sessions.ts";

export interface Expense {
  readonly messages: number;
  /** How many pairs said them to each other. */
  readonly threads: number;
  /** Of the model; 0 where it writes no texts. */
  readonly calls: number;
  /** Of these calls, about. */
  readonly tokens: number;
  /** US dollars, about; absent: nobody knows the price. */
  readonly cost?: number;
}

/** What every question for a summary, or for a context, holds in tokens: the rules, the tool, and what there was before. */
const ENTRY_INPUT = 1_600;
const ENTRY_OUTPUT = 150;
const CONTEXT_INPUT = 1_900;
const CONTEXT_OUTPUT = 900;
/** So much of what was said before stands in a question. */
const MAX_HISTORY = 6_000;
const HISTORY_MESSAGES = 24;
const MAX_REMEMBERED = 500;

interface EstimatedSession {
  n: number;
  saidMs: number;
  /** In tokens, the newest of its messages, and what was said since the last context. */
  history: readonly number[];
  since: number;
}

/** Reads the logs that there are, whole. */
export async function expenseOf(
  reader: Observation["reader"],
  { observer, observe }: { readonly observer: AgentId; readonly observe: Observe },
  { summarises, price }: Pick<ModelProfile, "summarises" | "price">,
): Promise<Expense> {
  const sum = { messages: 0, calls: 0, input: 0, output: 0 };
  const sessions = new Map<string, EstimatedSession>();
  const ask = (input: number, output: number): void => {
    sum.calls++;
    sum.input += input;
    sum.output += output;
  };
  const writeContext = (session: EstimatedSession): void => {
    ask(CONTEXT_INPUT + session.since, CONTEXT_OUTPUT);
    session.since = 0;
  };
  for await (const said of readUnheard(reader, { observer, observe, from: "start" })) {
    sum.messages++;
    const session = sessionOf(said, sessions, writeContext);
    const tokens = estimateTokens(said.message.content);
    const history = session.history.reduce((all, one) => all + one, 0);
    ask(ENTRY_INPUT + Math.min(MAX_HISTORY, history) + tokens, ENTRY_OUTPUT);
    session.history = [...session.history, Math.min(MAX_REMEMBERED, tokens)].slice(-HISTORY_MESSAGES);
    session.since += tokens;
    if (controlOf(++session.n) === "process_message_and_flush") writeContext(session);
  }
  for (const session of sessions.values()) writeContext(session);
  const { messages, calls, input, output } = sum;
  const about = { messages, threads: sessions.size };
  if (!summarises) return { ...about, calls: 0, tokens: 0, cost: 0 };
  const cost = price && costOf({ input, output }, price);
  return { ...about, calls, tokens: input + output, ...(cost !== undefined && { cost }) };
}

/** The session that it belongs to; the one before it ends where there was silence between. */
function sessionOf(
  { thread, message }: UnheardMessage,
  sessions: Map<string, EstimatedSession>,
  end: (session: EstimatedSession) => void,
): EstimatedSession {
  const saidMs = Date.parse(message.sentAt);
  const before = sessions.get(thread);
  const isOver = before !== undefined && saidMs - before.saidMs >= SILENCE_MS;
  if (isOver) end(before);
  const session = before && !isOver ? before : { n: 0, saidMs, history: [], since: 0 };
  if (!Number.isNaN(saidMs)) session.saidMs = saidMs;
  sessions.set(thread, session);
  return session;
}

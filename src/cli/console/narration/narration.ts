// What is said to people of what happens: pure texts, not yet laid out.

import { unwrapOutside } from "../../../domain/authoring/outside.ts";
import type { Inspection } from "../../../domain/inspection.ts";
import {
  resultsFor,
  type Call,
  type DecisionEvent,
  type EventOf,
  type ResultEvent,
} from "../../../domain/event/event.ts";
import { wayPast } from "../../../legion/waits.ts";
import type { Spent } from "../../../past/limits/spending.ts";
import {
  CONTROL,
  displayName,
  parseMessageId,
  speakerOf,
  type AgentId,
  type Message,
} from "../../../domain/message/message.ts";
import { MODES, RULES } from "../../../domain/supervision.ts";
import { MODE_WORDS } from "../../kit/mode.ts";
import type { Remark } from "./page.ts";
import { count } from "../../../base/text/wording.ts";

const MAX_VALUE = 60;
const MAX_PARAMETERS = 10;
/** Past this somebody had better read it in a file. */
const WHOLE = 200;

/** Mail that an agent takes in, and reads now or later; nothing for a word of the person of which it is told what came of it. */
export function mailRemark(message: Message, reads: "now" | "later" = "now"): Remark | undefined {
  const { content, delivery } = message;
  if (delivery === "verdict") return undefined;
  const sender = speakerOf(message);
  const from = reads === "now" ? sender : `${sender}, for later`;
  const text = delivery === "abort" ? "stop what you are doing" : content;
  return { mark: "←", text: `${from}: ${text}`, maxRows: 4, look: "cyan" };
}

/** What was held is shown to the agent now. */
export function releaseRemark({ messages }: EventOf<"released">): Remark {
  const text = `reads ${count(messages.length, "message")} that waited`;
  return { mark: "←", text, maxRows: 1, look: "cyan" };
}

/** Mail that the person is sent; nothing for that of agents that are `here`, which was shown when they sent it. */
export function personMailRemark(
  message: Message,
  here: { has(agent: AgentId): boolean },
): Remark | undefined {
  const { source } = message;
  return source.type === "agent" && here.has(source.id) ? undefined : mailRemark(message);
}

/** Messages to the person among what was sent, whole. */
export function letterRemarks(sends: readonly Message[] = []): readonly Remark[] {
  return sends
    .filter(({ id }) => parseMessageId(id).to === CONTROL)
    .map(({ content }) => ({ mark: "→", text: `Control: ${content}`, maxRows: WHOLE, look: "bold" }));
}

/** Where a plain answer, which was shown as it streamed, went. */
export function answerRemark(decision: DecisionEvent): Remark | undefined {
  const { text, sends = [], model } = decision;
  // What rules say at the end of what they had to do is meant for nobody.
  if (model === RULES) return undefined;
  if (resultsFor(decision).length > 0 || text.trim() === "") return undefined;
  const to = sends.flatMap(({ targetAgentIds }) => targetAgentIds.map(displayName));
  const sent = to.length > 0 ? `sent to ${to.join(", ")}` : "sent to nobody";
  return { mark: "→", text: sent, maxRows: 1, look: "dim" };
}

export interface CallFacts {
  /** What the agent has spent so far, in US dollars; absent: that is not to be said. */
  readonly cost?: number;
  /** What it touches, in words; absent: nobody knows. */
  readonly touched?: readonly string[];
}

/** The call, what it touches, and what else it was given. */
export function callRemark(
  call: Pick<Call, "action" | "parameters"> | undefined,
  { cost = 0, touched = [] }: CallFacts = {},
): Remark | undefined {
  if (!call || call.action === "noop") return undefined;
  const spent = cost > 0 ? `(${formatCost(cost)} so far)` : "";
  const given = [...touched.map(shorten), ...describe(call.parameters, new Set(touched))].join(", ");
  const text = [call.action, given, spent].filter((part) => part !== "").join(" ");
  return { mark: "▸", text, maxRows: 2, look: "blue" };
}

function describe(parameters: unknown, said: ReadonlySet<unknown>): readonly string[] {
  if (typeof parameters !== "object" || parameters === null)
    return parameters === undefined ? [] : [shorten(parameters)];
  return Object.entries(parameters)
    .filter(([, value]) => !said.has(typeof value === "string" ? displayName(value) : value))
    .slice(0, MAX_PARAMETERS)
    .map(([name, value]) => `${shorten(name)}: ${shorten(value)}`);
}

function shorten(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  const line = text
    .slice(0, 2 * MAX_VALUE)
    .replace(/\s+/g, " ")
    .trim();
  return line.length > MAX_VALUE || text.length > 2 * MAX_VALUE ? `${line.slice(0, MAX_VALUE - 1)}…` : line;
}

const OUTCOMES: Readonly<Record<ResultEvent["outcome"], Omit<Remark, "text">>> = {
  ok: { mark: "✓", maxRows: 2 },
  error: { mark: "✗", maxRows: 4, look: "red" },
  interrupted: { mark: "!", maxRows: 4, look: "yellow" },
  idle: { mark: "·", maxRows: 2, look: "dim" },
};

export interface ResultFacts {
  /** Of the call, where it is not plain which one this is about. */
  readonly action?: string;
  /** What the call told is on the page: of what is as expected, a word will do. */
  readonly isTold?: boolean;
}

export function resultRemark(
  { outcome, content }: ResultEvent,
  { action, isTold = false }: ResultFacts = {},
): Remark | undefined {
  if (content.trim() === "") return undefined;
  const text = unwrapOutside(content);
  const look = OUTCOMES[outcome];
  const maxRows = isTold && outcome === "ok" ? 1 : look.maxRows;
  return { ...look, maxRows, text: action === undefined ? text : `${action}: ${text}` };
}

export function noticeRemark({ reason, content }: EventOf<"notice">): Remark | undefined {
  if (reason === "mode") return { mark: "!", text: modeText(content), maxRows: 2, look: "yellow" };
  if (reason === "resumed") return { mark: "!", text: "goes on", maxRows: 1, look: "yellow" };
  if (reason !== "gap" && reason !== "restarted" && reason !== "undeliverable") return undefined;
  return { mark: "!", text: content, maxRows: 4, look: "yellow" };
}

function modeText(mode: string): string {
  const known = MODES.find((one) => one === mode);
  return known ? `mode ${mode}: ${MODE_WORDS[known]}` : `mode ${mode}`;
}

export function summaryRemark(summary: EventOf<"summary">): Remark {
  return { mark: "·", text: aboutSummary(summary), maxRows: 2, look: "dim" };
}

function aboutSummary({ covers: [first, last], usage, tokens, stays }: EventOf<"summary">): string {
  const paid = formatCount(usage.input + usage.output);
  if (last === 0) return `a summary would have freed no space, and is not kept (${paid} tokens)`;
  if (!tokens || !stays) return `summarised events ${first} to ${last} to free space (${paid} tokens)`;
  const kept = [
    count(stays.messages, "message"),
    count(stays.decisions, "decision"),
    stays.summaries === 1 ? "1 summary" : `${stays.summaries} summaries`,
  ].filter((part) => !part.startsWith("0 "));
  return `compacted: ${formatChange(tokens)} tokens, ${new Intl.ListFormat("en-GB").format(kept)} stay`;
}

/** `85,000 -> 45,000`. */
export function formatChange({ before, after }: NonNullable<EventOf<"summary">["tokens"]>): string {
  return [before, after].map((tokens) => tokens.toLocaleString("en-US")).join(" -> ");
}

/** How a person reaches the agents that are shown from elsewhere. */
export interface WaysOn {
  /** The run that they are in; absent: the project's own legion. */
  readonly run?: string | undefined;
  /** What has one go on that is parked or paused; absent: a command. */
  readonly wayOn?: string | undefined;
}

export type SeenState = Extract<Inspection, { readonly kind: "live:state" }>;

/** What the agent is doing, where that is more than to go on. */
export function stateRemark(
  { agent, state, reason = "", limit }: SeenState,
  { run, wayOn }: WaysOn,
): Remark | undefined {
  const last = limit ? wayPast(limit, agent) : `legion resume ${agent}`;
  const way = wayOn ?? `${last}${run === undefined ? "" : ` --run ${run}`}`;
  const wayOut = state === "parked" || state === "paused" ? ` (${way})` : "";
  if (state === "retrying") return { mark: "!", text: reason, maxRows: 3, look: "yellow" };
  if (state !== "parked" && state !== "paused" && state !== "halted") return undefined;
  return {
    mark: "!",
    text: `${state}: ${reason.trim() || "no reason given"}${wayOut}`,
    maxRows: 6,
    look: "red",
  };
}

export function idleRemark(spent: Spent): Remark {
  return { mark: "·", text: `waits for mail (${formatSpent(spent)})`, maxRows: 1, look: "dim" };
}

/** `12 steps, 34.5k tokens, 0.0312 USD`. */
export function formatSpent({ steps, tokens, cost }: Pick<Spent, "steps" | "tokens" | "cost">): string {
  const parts = [count(steps, "step"), `${formatCount(tokens)} ${tokens === 1 ? "token" : "tokens"}`];
  return [...parts, ...(cost > 0 ? [formatCost(cost)] : [])].join(", ");
}

export function formatCost(cost: number): string {
  return `${cost > 0 && cost < 1 ? cost.toFixed(4) : cost.toFixed(2)} USD`;
}

/** `950`, `34.5k`, `1.9M`. */
export function formatCount(count: number): string {
  if (count < 1_000) return String(count);
  return count < 1_000_000 ? `${(count / 1_000).toFixed(1)}k` : `${(count / 1_000_000).toFixed(1)}M`;
}

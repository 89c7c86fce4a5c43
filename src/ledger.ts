// What a log adds up to: numbers given, mail taken, money spent, the decision that is open, whether there is something
// to decide. One pure fold over the whole log, never over one branch, kept up to date event by event.

import { crc32 } from "node:zlib";
import {
  NO_USAGE,
  addUsage,
  sendsOf,
  type Call,
  type DecisionEvent,
  type Event,
  type EventOf,
  type NoticeReason,
  type Outcome,
  type Stamp,
  type Usage,
} from "./event.ts";
import { parseMessageId, type AgentId, type Delivery, type LogId, type Message } from "./message.ts";

/** A committed send on its way; `seq` is the event that it is part of. */
export interface Send extends Delivery {
  readonly to: AgentId;
  readonly n: number;
  readonly seq: number;
}

export interface Spending {
  /** Model calls begun, whatever came of them. */
  steps: number;
  usage: Usage;
  /** Time in model calls and actions, in milliseconds. */
  workingMs: number;
}

/** `failed` if a result is `error` or `interrupted`, `idle` if all are `idle` or there was no call, else `acted`. */
export type DecisionOutcome = "acted" | "failed" | "idle";

/** The newest decision and what came of its calls so far. */
export interface OpenDecision {
  readonly event: DecisionEvent & Stamp;
  readonly results: Map<string | null, Outcome>;
}

/**
 * `paused` by a person. `parked`: until a person's word; `parked-mail`: until that or new mail; `parked-limit`: until
 * that or a higher limit. `halted`: something it needs is broken.
 */
export type HaltReason = Extract<
  NoticeReason,
  "paused" | "parked" | "parked-mail" | "parked-limit" | "halted"
>;

export interface Halt {
  readonly reason: HaltReason;
  readonly content: string;
  readonly since: string;
}

export interface Ledger {
  log: LogId | undefined;
  /** The highest sequence number. */
  last: number;
  /** Time of the newest event, ISO 8601; empty before the first. */
  at: string;
  /** The same in milliseconds since 1970. */
  atMs: number;
  /** The process that wrote it. */
  epoch: number;

  /** Per recipient, the highest number that this log gave. */
  readonly numbers: Map<AgentId, number>;
  /** Committed sends not known to be delivered, oldest first. */
  undelivered: Send[];

  /** Per sender log, the highest number taken in. */
  readonly seen: Map<LogId, number>;
  taken: number;
  /** The newest message taken in. */
  newest: Message | undefined;
  /** The newest of a person or another agent. */
  instruction: Message | undefined;
  /** Per peer, its newest message that has not been answered. */
  readonly unanswered: Map<AgentId, Message>;

  readonly spent: Spending;
  /** Reserved input of model calls not settled yet; charged unless an answer follows. */
  open: Usage[];
  /** When the call under way was prompted, in milliseconds since 1970; 0 without one. */
  promptedMs: number;
  /** When the newest decision or result of this process came: since then an action may run; else 0. */
  actingMs: number;

  decision: OpenDecision | undefined;
  outcome: DecisionOutcome;
  /** Since the newest decision: mail that is not an abort; an abort. */
  mail: boolean;
  aborted: boolean;
  halt: Halt | undefined;

  /** How often each call gave the same result since the last message; by length and checksum of both. */
  readonly repeats: Map<string, Repeat>;
  /** Completions in a row from which no action could be read. */
  unparsed: number;
  /** What the newest prompt showed as pinned messages. */
  pinned: string;
}

const REMEMBERED_CALLS = 64;

export interface Repeat {
  readonly call: Call;
  count: number;
}

export function createLedger(): Ledger {
  return {
    log: undefined,
    last: 0,
    at: "",
    atMs: 0,
    epoch: 0,
    numbers: new Map(),
    undelivered: [],
    seen: new Map(),
    taken: 0,
    newest: undefined,
    instruction: undefined,
    unanswered: new Map(),
    spent: { steps: 0, usage: NO_USAGE, workingMs: 0 },
    open: [],
    promptedMs: 0,
    actingMs: 0,
    decision: undefined,
    outcome: "idle",
    mail: false,
    aborted: false,
    halt: undefined,
    repeats: new Map(),
    unparsed: 0,
    pinned: "",
  };
}

/** Takes one event into account. Events come in the order of the log. */
export function account(ledger: Ledger, event: Event): void {
  ledger.at = event.at;
  ledger.atMs = Date.parse(event.at);
  // The time between two processes is nobody's working time.
  if (event.epoch !== ledger.epoch) ledger.promptedMs = ledger.actingMs = 0;
  ledger.epoch = event.epoch;
  if (event.kind === "opened") openLog(ledger, event);
  else if (event.kind === "message") takeMail(ledger, event);
  else if (event.kind === "prompted") reserve(ledger, event);
  else if (event.kind === "decision") decide(ledger, event);
  else if (event.kind === "result") close(ledger, event);
  else if (event.kind === "summary") settleLast(ledger, event.usage);
  else if (event.kind === "sent")
    ledger.undelivered = ledger.undelivered.filter((send) => send.seq > event.upTo);
  else if (event.kind === "notice") heed(ledger, event);
  for (const message of sendsOf(event)) addSend(ledger, message, event.seq);
  ledger.last = event.seq;
}

/** A5: is there something to decide? */
export function mayDecide(ledger: Ledger): boolean {
  if (ledger.halt) return false;
  return ledger.mail || (ledger.outcome !== "idle" && !ledger.aborted);
}

/** A5, with mail that waits in the mailbox: is there something to take in or to decide? */
export function hasWork(ledger: Ledger, unread: number): boolean {
  return mayDecide(ledger) || (unread > 0 && wakesOnMail(ledger));
}

/** Does new mail make the agent act again? */
export function wakesOnMail({ halt }: Ledger): boolean {
  return !halt || halt.reason === "parked-mail";
}

/** Calls of the newest decision that have no result yet, in order; `null` stands for a missing reason of `unparsed`. */
export function openCalls(ledger: Ledger): readonly (Call | null)[] {
  const { decision } = ledger;
  if (!decision) return [];
  if (decision.event.stop === "unparsed") return decision.results.has(null) ? [] : [null];
  return decision.event.calls.filter((call) => !decision.results.has(call.id));
}

function openLog(ledger: Ledger, event: EventOf<"opened">): void {
  if (event.log !== ledger.log) ledger.numbers.clear();
  ledger.log = event.log;
}

function takeMail(ledger: Ledger, { message, mail, from }: EventOf<"message">): void {
  const { from: sender, n } = parseMessageId(message.id);
  ledger.seen.set(from, n);
  ledger.taken = Math.max(ledger.taken, mail);
  if (message.delivery === "abort") {
    ledger.aborted = true;
    return;
  }
  ledger.mail = true;
  ledger.newest = message;
  if (message.source.type === "agent") {
    ledger.unanswered.set(sender, message);
    ledger.instruction = message;
  }
  ledger.repeats.clear();
  ledger.unparsed = 0;
  if (ledger.halt?.reason === "parked-mail") ledger.halt = undefined;
}

function reserve(ledger: Ledger, event: EventOf<"prompted">): void {
  ledger.spent.steps++;
  ledger.open.push({ ...event.reserved, output: 0 });
  ledger.promptedMs = ledger.atMs;
  if (event.pinned !== undefined) ledger.pinned = event.pinned;
}

function decide(ledger: Ledger, event: EventOf<"decision">): void {
  settleLast(ledger, event.cost === undefined ? event.usage : { ...event.usage, cost: event.cost });
  ledger.actingMs = ledger.atMs;
  ledger.decision = { event, results: new Map() };
  ledger.outcome = "idle";
  ledger.mail = false;
  ledger.aborted = false;
  ledger.unparsed = event.stop === "unparsed" ? ledger.unparsed + 1 : 0;
}

function close(ledger: Ledger, event: EventOf<"result">): void {
  if (event.usage) settleAll(ledger, event.usage);
  ledger.spent.workingMs += elapsed(ledger.actingMs, ledger.atMs);
  ledger.actingMs = ledger.atMs;
  const { decision } = ledger;
  if (!decision) return;
  decision.results.set(event.call, event.outcome);
  ledger.outcome = outcomeOf([...decision.results.values()]);
  const call = decision.event.calls.find(({ id }) => id === event.call);
  if (call && event.outcome !== "idle") countRepeat(ledger, call, event);
}

function outcomeOf(outcomes: readonly Outcome[]): DecisionOutcome {
  if (outcomes.some((outcome) => outcome === "error" || outcome === "interrupted")) return "failed";
  return outcomes.every((outcome) => outcome === "idle") ? "idle" : "acted";
}

/** The call that was prompted last came back: earlier ones without an answer stay charged. */
function settleLast(ledger: Ledger, usage: Usage): void {
  const charged = ledger.open.splice(0).slice(0, -1).reduce(addUsage, NO_USAGE);
  ledger.spent.usage = addUsage(addUsage(ledger.spent.usage, charged), usage);
  ledger.spent.workingMs += elapsed(ledger.promptedMs, ledger.atMs);
  ledger.promptedMs = 0;
}

function elapsed(fromMs: number, toMs: number): number {
  return fromMs > 0 ? Math.max(0, toMs - fromMs) : 0;
}

/** An action's result tells what all its model calls came to, those without an answer included. */
function settleAll(ledger: Ledger, usage: Usage): void {
  ledger.open = [];
  ledger.promptedMs = 0;
  ledger.spent.usage = addUsage(ledger.spent.usage, usage);
}

/** What the log has cost so far, calls without an answer included. */
export function totalUsage(ledger: Ledger): Usage {
  return ledger.open.reduce(addUsage, ledger.spent.usage);
}

function countRepeat(ledger: Ledger, call: Call, { outcome, content }: EventOf<"result">): void {
  const shown = JSON.stringify([call.action, call.parameters, outcome, content]);
  const key = `${shown.length}:${crc32(shown)}`;
  const repeat = ledger.repeats.get(key) ?? { call, count: 0 };
  repeat.count++;
  ledger.repeats.delete(key);
  ledger.repeats.set(key, repeat);
  const [oldest] = ledger.repeats.keys();
  if (ledger.repeats.size > REMEMBERED_CALLS && oldest !== undefined) ledger.repeats.delete(oldest);
}

function heed(ledger: Ledger, { reason, content, at }: EventOf<"notice">): void {
  if (reason === "resumed") {
    ledger.halt = undefined;
    ledger.repeats.clear();
    ledger.unparsed = 0;
  } else if (isHalt(reason)) ledger.halt = { reason, content, since: at };
}

function isHalt(reason: NoticeReason): reason is HaltReason {
  return reason === "paused" || reason === "halted" || reason.startsWith("parked");
}

function addSend(ledger: Ledger, message: Message, seq: number): void {
  const { to, n } = parseMessageId(message.id);
  ledger.numbers.set(to, n);
  ledger.undelivered.push({ from: ledger.log ?? "", message, to, n, seq });
  if (message.re !== undefined) ledger.unanswered.delete(to);
}

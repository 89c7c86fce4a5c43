// What a log adds up to: numbers given, mail taken, money spent. One pure fold over the whole log, event by event.

import { unsettled } from "./mail/dead-letters.ts";
import { countHeld, createHeldCount, type HeldCount } from "./mail/held.ts";
import { NO_USAGE, addUsage, type Event, type EventOf, type Usage } from "../domain/event/event.ts";
import { parseMessageId, type AgentId, type LogId } from "../domain/message/message.ts";
import { isOfModel } from "../domain/supervision.ts";
import { limitsAfter, type LimitsWord } from "./limits/held-limits.ts";
import { sendsIn, type Send } from "./mail/sends.ts";

export interface Spending {
  /** Model calls begun, but for those that were refused. */
  steps: number;
  usage: Usage;
  /** Time in model calls and actions, in milliseconds; a call that was refused takes none until it is made again. */
  workingMs: number;
}

/** A model call of which nobody knows yet what it comes to. */
export interface OpenCall {
  /** The event that began it. */
  readonly seq: number;
  readonly reserved: Usage;
  /** Whose action made it; absent: the agent itself did, or an action in what earlier versions wrote. */
  readonly call: string | undefined;
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
  /** Mail that is taken in and not shown. */
  readonly heldMail: HeldCount;

  /** Model calls begun, those of a past that was copied included: no two have the same number. */
  prompts: number;

  readonly spent: Spending;
  /** Model calls not settled yet, with their reserved input; charged unless an answer or a refusal follows. */
  open: OpenCall[];
  /** What a person said of what it may spend. */
  limits: LimitsWord | undefined;
  /** When the call under way was prompted, in milliseconds since 1970; 0 without one. */
  promptedMs: number;
  /** When a call was refused that was not made again since, in milliseconds since 1970; else 0. */
  refusedMs: number;
  /** When the newest decision or result of this process came: since then an action may run; else 0. */
  actingMs: number;

  /** Starts in a row that ended while this agent was acting and brought it no result; the newest one not counted. */
  fruitless: number;
  /** How many they were when the one before the newest ended. */
  fruitlessBefore: number;
  /** What is known of the newest start. */
  start: LifeStart;
  /** Calls of the newest decision without a result. */
  pending: number;
}

interface LifeStart {
  /** A call was begun. */
  readonly hasActed: boolean;
  /** A call came to a result of its own. */
  readonly hasResult: boolean;
  /** No other agent's call runs beside this one's. */
  readonly isAlone: boolean;
  /** The process was told to end. */
  readonly isEnding: boolean;
}

const NEW_START: LifeStart = { hasActed: false, hasResult: false, isAlone: false, isEnding: false };

/** An agent that took so many starts in a row down is not run again. */
const POISONOUS = 3;

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
    heldMail: createHeldCount(),
    prompts: 0,
    spent: { steps: 0, usage: NO_USAGE, workingMs: 0 },
    open: [],
    limits: undefined,
    promptedMs: 0,
    refusedMs: 0,
    actingMs: 0,
    fruitless: 0,
    fruitlessBefore: 0,
    start: NEW_START,
    pending: 0,
  };
}

/** Takes one event into account. Events come in the order of the log. */
export function account(ledger: Ledger, event: Event): void {
  ledger.at = event.at;
  ledger.atMs = Date.parse(event.at);
  if (event.epoch !== ledger.epoch) beginStart(ledger, event.epoch);
  if (event.kind === "opened") openLog(ledger, event);
  else if (event.kind === "message") takeMail(ledger, event);
  else if (event.kind === "prompted") reserve(ledger, event);
  else if (event.kind === "refused") giveBack(ledger, event);
  else if (event.kind === "decision") decide(ledger, event);
  else if (event.kind === "result") close(ledger, event);
  else if (event.kind === "approval") hold(ledger, event);
  else if (event.kind === "summary") settleLast(ledger, event.usage, ownCall(ledger));
  else if (event.kind === "notice") heed(ledger, event);
  else if (event.kind === "branch") turn(ledger, event);
  countHeld(ledger.heldMail, event);
  ledger.undelivered = unsettled(ledger.undelivered, event);
  for (const send of sendsIn(event, ledger.log ?? "")) {
    ledger.numbers.set(send.to, send.n);
    ledger.undelivered.push(send);
  }
  ledger.last = event.seq;
}

function beginStart(ledger: Ledger, epoch: number): void {
  ledger.fruitlessBefore = ledger.fruitless;
  ledger.fruitless = fruitlessStarts(ledger);
  ledger.start = NEW_START;
  // The time between two processes is nobody's working time.
  ledger.promptedMs = ledger.refusedMs = ledger.actingMs = 0;
  ledger.epoch = epoch;
}

/**
 * Starts in a row, up to the newest, that ended while an action of the agent ran, without any result. Whoever waits for a
 * model takes no process down, and an orderly end says nothing. The last one that is needed to stop the agent has to be one
 * in which nobody else acted.
 */
export function fruitlessStarts({ fruitless, pending, start }: Ledger): number {
  if (start.hasResult) return 0;
  if (!start.hasActed || start.isEnding || pending === 0) return fruitless;
  return Math.min(fruitless + 1, start.isAlone ? POISONOUS : POISONOUS - 1);
}

/** Did this agent, and nobody else, take one start after another down? */
export function isPoisonous(ledger: Ledger): boolean {
  return fruitlessStarts(ledger) >= POISONOUS;
}

/** Would one more such start stop the agent? Then it has to act alone. */
export function isSuspect({ fruitless, start }: Ledger): boolean {
  return fruitless >= POISONOUS - 1 && !start.hasResult;
}

/** Did the newest start end in a call of this agent, for all that its log says? */
export function isFruitless(ledger: Ledger): boolean {
  return fruitlessStarts(ledger) > ledger.fruitless;
}

function openLog(ledger: Ledger, event: EventOf<"opened">): void {
  if (event.log !== ledger.log) ledger.numbers.clear();
  ledger.log = event.log;
}

function takeMail(ledger: Ledger, { message, mail, from }: EventOf<"message">): void {
  ledger.seen.set(from, parseMessageId(message.id).n);
  ledger.taken = Math.max(ledger.taken, mail);
}

function reserve(ledger: Ledger, event: EventOf<"prompted">): void {
  ledger.prompts++;
  ledger.spent.steps++;
  ledger.open.push({ seq: event.seq, reserved: { ...event.reserved, output: 0 }, call: event.call });
  ledger.promptedMs = ledger.atMs;
  // An action that waited for its provider did not work.
  if (ledger.actingMs > 0) ledger.actingMs += elapsed(ledger.refusedMs, ledger.atMs);
  ledger.refusedMs = 0;
}

/** Nothing of the call was served: it is as if it had not been made. */
function giveBack(ledger: Ledger, { prompted }: EventOf<"refused">): void {
  const index = ledger.open.findIndex(({ seq }) => seq === prompted);
  if (index === -1) return;
  ledger.open.splice(index, 1);
  ledger.spent.steps--;
  ledger.promptedMs = 0;
  // Where another action asks meanwhile, there is work.
  if (!ledger.open.some(({ call }) => call !== undefined)) ledger.refusedMs = ledger.atMs;
}

function decide(ledger: Ledger, event: EventOf<"decision">): void {
  const { cost, usage } = event;
  const { input, output, cacheRead, cacheWrite } = usage;
  // What a person typed, or rules say, answers no call.
  const answered = isOfModel(event) ? ownCall(ledger) : undefined;
  settleLast(ledger, cost === undefined ? usage : { input, output, cacheRead, cacheWrite, cost }, answered);
  ledger.actingMs = ledger.atMs;
  ledger.refusedMs = 0;
  ledger.pending = event.calls.length;
  if (ledger.pending > 0 && !ledger.start.hasActed) mark(ledger, { hasActed: true });
}

function close(ledger: Ledger, event: EventOf<"result">): void {
  if (event.usage) settleCall(ledger, event.call, event.usage);
  ledger.spent.workingMs += elapsed(ledger.actingMs, ledger.atMs);
  ledger.actingMs = ledger.atMs;
  ledger.refusedMs = 0;
  // One that was cut off by the end of a process is none of this start.
  if (event.outcome !== "interrupted" && !ledger.start.hasResult) mark(ledger, { hasResult: true });
  ledger.pending = Math.max(0, ledger.pending - 1);
}

/** A call that waits for a person does not run, and nobody works meanwhile. */
function hold(ledger: Ledger, { asked, verdict }: EventOf<"approval">): void {
  if (asked) ledger.spent.workingMs += elapsed(ledger.actingMs, ledger.atMs);
  if (asked || verdict) ledger.actingMs = asked ? 0 : ledger.atMs;
  if (asked || verdict === "approved") mark(ledger, { hasActed: !asked });
}

function turn(ledger: Ledger, { origin }: EventOf<"branch">): void {
  // What the branch before left open is over.
  ledger.pending = ledger.fruitless = ledger.promptedMs = ledger.actingMs = 0;
  if (origin === undefined) return;
  // What stands before it is another agent's past.
  const { log, last, at, atMs, epoch, prompts } = ledger;
  Object.assign(ledger, createLedger(), { log, last, at, atMs, epoch, prompts });
}

/** A call came back, or nobody waits for one any more: all others without an answer stay charged. */
function settleLast(ledger: Ledger, usage: Usage, answered: OpenCall | undefined): void {
  const charged = ledger.open.filter((call) => call !== answered);
  const known = charged.length === 0 ? ledger.spent.usage : addUsage(ledger.spent.usage, sumOf(charged));
  ledger.spent.usage = addUsage(known, usage);
  ledger.open = [];
  ledger.spent.workingMs += elapsed(ledger.promptedMs, ledger.atMs);
  ledger.promptedMs = 0;
}

/** The newest call under way that the agent makes itself: an action may ask after its result, too. */
export function ownCall({ open }: Pick<Ledger, "open">): OpenCall | undefined {
  return open.findLast(({ call }) => call === undefined);
}

function elapsed(fromMs: number, toMs: number): number {
  return fromMs > 0 ? Math.max(0, toMs - fromMs) : 0;
}

/** An action's result tells what all its model calls came to, those without an answer included. */
function settleCall(ledger: Ledger, id: string | null, usage: Usage): void {
  ledger.open = ledger.open.filter(({ call }) => call !== undefined && call !== id);
  ledger.promptedMs = 0;
  ledger.spent.usage = addUsage(ledger.spent.usage, usage);
}

/** What the log has cost so far, calls without an answer included. */
export function totalUsage({ open, spent }: Pick<Ledger, "spent" | "open">): Usage {
  return open.length === 0 ? spent.usage : addUsage(spent.usage, sumOf(open));
}

function sumOf(calls: readonly OpenCall[]): Usage {
  return calls.reduce((sum, { reserved }) => addUsage(sum, reserved), NO_USAGE);
}

function heed(ledger: Ledger, { reason, details }: EventOf<"notice">): void {
  if (reason === "resumed") ledger.fruitless = 0;
  ledger.limits = limitsAfter(ledger.limits, { reason, details });
  if (reason !== "restarted") return;
  if (details === "alone") mark(ledger, { isAlone: true });
  else if (details === "beside") mark(ledger, { isAlone: false });
  else if (details === "ending") mark(ledger, { isEnding: true });
  else {
    if (details === "again") mark(ledger, { hasActed: true });
    // Whoever only lost an agent for a while has not died of it.
    if (details === "lost") ledger.fruitless = ledger.fruitlessBefore;
    // Whatever call was under way is over, and nothing came of it.
    ledger.promptedMs = 0;
  }
}

function mark(ledger: Ledger, known: Partial<LifeStart>): void {
  ledger.start = { ...ledger.start, ...known };
}

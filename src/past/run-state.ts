// How far a task has come, what it stands still for, and who watches over it: folded from the log with everything else of a conversation.

import type { SpendingLimit } from "../base/errors.ts";
import { fieldsOf } from "../base/text/json.ts";
import { END_STATUSES, type EndStatus, type RunEnding, type StartupDetails } from "../domain/event/ending.ts";
import { sendsOf, type Event, type EventOf } from "../domain/event/event.ts";
import { OUT_OF_TURNS, type NoticeEvent } from "../domain/event/notice.ts";
import { CONTROL, isPersons, laneOf, parseMessageId, type Message } from "../domain/message/message.ts";
import { actIn, HUMAN, modeOf, type Mode, type ModeNotice, type TypedAct } from "../domain/supervision.ts";
import { limitIn } from "./limits/spending.ts";

/**
 * `paused` by a person. `parked`: until a person's word; `parked-mail`: until that or new mail; `parked-limit`: until
 * that or a higher limit. `halted`: something it needs is broken.
 */
export const HALT_REASONS = ["paused", "parked", "parked-mail", "parked-limit", "halted"] as const;

export type HaltReason = (typeof HALT_REASONS)[number];

export interface Halt {
  readonly reason: HaltReason;
  readonly content: string;
  readonly since: string;
  /** Of the process that said it. */
  readonly epoch: number;
  /** What was used up; only with `parked-limit`, and absent in what earlier versions wrote. */
  readonly limit?: SpendingLimit;
  /** ISO 8601: when that begins anew; absent: it does not by itself. */
  readonly until?: string;
  /** Others are below the same limit; absent: it is the agent's own. */
  readonly shared?: true;
  /** What a run ends for that stands still here. */
  readonly end: EndStatus;
}

/** How a run ended, and why in words; where that is plain, they are empty. */
export interface RunEnd extends RunEnding {
  readonly reason: string;
}

export interface RunState {
  /** What the newest decision handed in, since no mail was shown. */
  submission: string | undefined;
  /** What was said to the person last, since they gave a task. */
  answer: string | undefined;
  /** How the run ended, since no mail was shown and nobody had it go on. */
  end: RunEnd | undefined;
  /** What is run before the first step: it began and nothing says how it ended, or it is done. `undefined`: it is still to be run. */
  startup: "begun" | "done" | undefined;
  /** How a person watches over it; a past that was copied, or came from elsewhere, brings none along. */
  mode: Mode;
  /** A person said so here, whichever it is. */
  isModeSaid: boolean;
  /** The message that asked for that, until it is taken in. */
  modeBy: string | undefined;
  /** What the person typed in mode `human` and is not decided yet, oldest first; else empty. */
  acts: readonly TypedAct[];
  /** The newest decision is what the person typed. */
  isTyped: boolean;
}

export function createRunState(): RunState {
  return { submission: undefined, answer: undefined, end: undefined, startup: undefined, ...UNWATCHED };
}

const UNWATCHED = { mode: "usual", isModeSaid: false, modeBy: undefined, acts: [], isTyped: false } as const;

/**
 * Takes one event into account, but for mail: that is shown, or taken in.
 *
 * @param asked the newest message from Control that was shown and is not answered
 */
export function foldRun(run: RunState, event: Event, asked?: Message): void {
  run.answer = answerIn(event, asked) ?? run.answer;
  if (event.kind === "result") run.submission = event.submission ?? run.submission;
  else if (event.kind === "decision") decide(run, event);
  // What was true at another moment, or of somebody else, is no word of the person about what comes now.
  else if (event.kind === "branch") Object.assign(run, UNWATCHED);
  else if (event.kind !== "notice") return;
  else if (event.reason === "mode") switchMode(run, event.details);
  else if (event.reason === "ended") run.end = endIn(event) ?? run.end;
  else if (event.reason === "startup") run.startup = startupIn(event);
  else if (event.reason === "resumed") goOn(run);
  else if (event.reason === "foreign" || event.reason === "adopted") Object.assign(run, UNWATCHED);
}

/** Mail is shown: there is something to do again. */
export function beginAnew(run: RunState, message: Message): void {
  run.submission = run.end = undefined;
  // What is said before belongs to what was left to do.
  if (isPersons(message) && laneOf(message) === "normal") run.answer = undefined;
}

/** The last of what the agent itself says to the person; what it answers to another program, at the person's door, is not for them. */
function answerIn(event: Event, asked: Message | undefined): string | undefined {
  if (event.kind !== "decision" && event.kind !== "result") return undefined;
  const isForThem = (re: string | undefined): boolean =>
    asked === undefined || re !== asked.id || isPersons(asked);
  return sendsOf(event).findLast(({ id, re }) => parseMessageId(id).to === CONTROL && isForThem(re))?.content;
}

/** A message is taken in that is not shown: it may be what the person wants done. */
export function hearWord(run: RunState, message: Message): void {
  if (run.modeBy === message.id) run.modeBy = undefined;
  const act = run.mode === "human" ? actIn(message) : undefined;
  if (!act) return;
  run.acts = [...run.acts, act];
  beginAnew(run, message);
}

/** An abort is taken in: what was typed is left undone. Returns whether the agent waits for the person to type. */
export function leaveActs(run: RunState): boolean {
  run.acts = [];
  return run.mode === "human";
}

/** An action of the person is the oldest that they typed. */
function decide(run: RunState, { model }: EventOf<"decision">): void {
  run.isTyped = model === HUMAN && run.mode === "human";
  if (model === HUMAN) run.acts = run.acts.slice(1);
}

function switchMode(run: RunState, details: unknown): void {
  const mode = modeOf(details);
  if (mode === undefined) return;
  const { by } = fieldsOf(details) as Partial<ModeNotice["details"]>;
  run.mode = mode;
  run.modeBy = typeof by === "string" ? by : undefined;
  // One that begins held was made so by a person.
  run.isModeSaid = run.modeBy !== undefined || mode === "held";
  if (mode !== "human") run.acts = [];
}

/** The person had it go on, and was told of what was cut off. */
function goOn(run: RunState): void {
  run.end = undefined;
  if (run.startup === "begun") run.startup = undefined;
}

function startupIn({ details }: NoticeEvent): RunState["startup"] {
  if (details === undefined) return "begun";
  const { exitCode, ended } = fieldsOf(details) as Partial<StartupDetails>;
  return exitCode === 0 && ended === undefined ? "done" : undefined;
}

/** What somebody else wrote may be anything. */
function endIn({ content, details }: NoticeEvent): RunEnd | undefined {
  const { status, submission } = fieldsOf(details) as Partial<RunEnding>;
  const known = statusIn(status);
  const handedIn = typeof submission === "string" ? submission : "";
  return known && { status: known, submission: handedIn, reason: content };
}

/** How a notice has its agent stand still; `undefined` if it does not. */
export function haltIn({ reason: said, content, details, at, epoch }: EventOf<"notice">): Halt | undefined {
  const reason = HALT_REASONS.find((one) => one === said);
  if (!reason) return undefined;
  const reached = reason === "parked-limit" ? limitIn(details) : {};
  return { reason, content, since: at, epoch, ...reached, end: endFor(reason, details) };
}

function endFor(reason: HaltReason, details: unknown): EndStatus {
  if (reason === "paused") return "UserInterruption";
  if (reason === "parked-limit" || details === OUT_OF_TURNS)
    return limitIn(details).limit === "time" ? "TimeExceeded" : "LimitsExceeded";
  return statusIn((fieldsOf(details) as { readonly end?: unknown }).end) ?? "Error";
}

function statusIn(said: unknown): EndStatus | undefined {
  return END_STATUSES.find((one) => one === said);
}

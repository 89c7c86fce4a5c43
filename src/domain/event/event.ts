import type { Unkept } from "../authoring/workspace.ts";
import type { AgentId, LogId, Message } from "../message/message.ts";
import type { Taint } from "../message/taint.ts";
import type { ApprovalEvent } from "./approval.ts";
import type { ObservedEvent } from "./observed.ts";
import type { ChangedByCommands } from "./changed.ts";
import type { NoticeEvent } from "./notice.ts";
import type { OfferedEvent, RecalledEvent } from "./outside.ts";
import type { Touched } from "./touched.ts";

/** Tokens of one or more model calls. `input` includes what was read from or written to the provider's cache. */
export interface Usage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  /** US dollars; absent when the model's price is unknown. */
  readonly cost?: number;
}

export type ProtocolName = "text" | "tools" | "bash";

/** One action that a decision asks for. `parameters` is an object, or the raw text that could not be read as one. */
export interface Call {
  readonly id: string;
  readonly action: string;
  readonly parameters: unknown;
}

export type Outcome = "ok" | "error" | "idle" | "interrupted";

/** `[module, key, value]`: what an action changed; `null` deletes the key. */
export type StateChange = readonly [module: string, key: string, value: unknown];

/** Why the model stopped. `length`: it was cut off. `unparsed`: its text held no action. `aborted`: a person stopped it. */
export type Stop = "end" | "calls" | "length" | "refused" | "unparsed" | "aborted";

/** Of logs that are written now; those of format 1, which knows fewer kinds of events, are read as well. */
export const LOG_FORMAT = 2;

export interface OpenedEvent {
  readonly kind: "opened";
  readonly format: 1 | typeof LOG_FORMAT;
  readonly log: LogId;
  /** Bytes that count of each earlier segment not sealed before; what lies past them was never acknowledged. */
  readonly seals: Readonly<Record<string, number>>;
  /** Of log and epoch under the person's key: who wrote the segment. */
  readonly mac?: string;
  /** So is the agent's record, or it is somebody else's; absent in what earlier versions wrote. */
  readonly record?: "signed";
}

/** Can a log of this format be read? */
export function isLogFormat(format: unknown): format is OpenedEvent["format"] {
  return format === 1 || format === LOG_FORMAT;
}

export interface MessageEvent {
  readonly kind: "message";
  readonly message: Message;
  /** Position in the mailbox. */
  readonly mail: number;
  /** The sender's log. */
  readonly from: LogId;
  /** It is shown only from the event on that releases it. */
  readonly held?: true;
  /** How it is shown, where that was worded by a template as it was taken in. */
  readonly shown?: string;
}

/** Held mail is shown from here on, in this place. */
export interface ReleasedEvent {
  readonly kind: "released";
  /** The events that took it in; oldest first. */
  readonly messages: readonly number[];
}

/** A model call is about to be made: without a decision, summary or refusal after it, its reserved input is charged. */
export interface PromptedEvent {
  readonly kind: "prompted";
  readonly model: string;
  /** Hash chain over the rendered parts of the history. */
  readonly prompt: string;
  /** Hash of the blob that holds system prompt and tools. */
  readonly introduction: string;
  /** The pinned messages, only where they differ from the prompt before. */
  readonly pinned?: string;
  readonly reserved: Usage;
  /** The account of the person's purse that it is paid from; absent: none limits it. */
  readonly purse?: string;
  /** The call whose action asks; absent: the agent itself does. */
  readonly call?: string;
}

/** A model call was refused before any of it was served: it is no step and costs nothing. */
export interface RefusedEvent {
  readonly kind: "refused";
  /** The event that began the call. */
  readonly prompted: number;
  /** Of HTTP; absent: there was no connection. */
  readonly status?: number;
}

export interface DecisionEvent {
  readonly kind: "decision";
  readonly text: string;
  readonly thoughts?: string;
  readonly calls: readonly Call[];
  /** The plain answer, where the protocol has one. */
  readonly sends?: readonly Message[];
  readonly protocol: ProtocolName;
  readonly model: string;
  readonly usage: Usage;
  readonly cost?: number;
  readonly stop: Stop;
  /** What the same provider must see again: thinking signatures, call ids. */
  readonly provider?: unknown;
}

/** Is it a piece of a plain answer that was cut off, and not sent as it is? */
export function isPiece({ stop, calls, sends }: DecisionEvent): boolean {
  return stop === "length" && calls.length === 0 && sends === undefined;
}

/** What results a decision gets: one for each call, by its id; `null` is the one in place of calls. */
export function resultsFor(decision: DecisionEvent): readonly (string | null)[] {
  return decision.stop === "unparsed" || isPiece(decision) ? [null] : decision.calls.map(({ id }) => id);
}

export interface ResultEvent {
  readonly kind: "result";
  /** `null`: the completion could not be parsed, or it is a piece of an answer that was cut off. */
  readonly call: string | null;
  readonly outcome: Outcome;
  readonly content: string;
  readonly details?: unknown;
  readonly state?: readonly StateChange[];
  readonly sends?: readonly Message[];
  /** What the action itself spent on model calls. */
  readonly usage?: Usage;
  /** From where outside the content came. */
  readonly taint?: Taint;
  /** Addresses that a service gave which a person chose. */
  readonly leads?: readonly string[];
  /** What its content is where no summary swallows it. */
  readonly keeps?: string;
  /** What it changed though a person cannot take that back. */
  readonly unkept?: readonly Unkept[];
  /** Which files its commands changed. Absent: it ran none, nobody looked, or an earlier version wrote it. */
  readonly changed?: ChangedByCommands;
  /** What it hands in as the end of the agent's task: then the agent rests, and none of the calls after it begins. */
  readonly submission?: string;
  /** What its call touched outside its agent, to be cited. Absent: nothing, the call did not run, or an earlier version wrote it. */
  readonly touched?: Touched;
}

export interface SummaryEvent {
  readonly kind: "summary";
  readonly covers: readonly [firstSeq: number, lastSeq: number];
  readonly content: string;
  readonly strategy: string;
  readonly usage: Usage;
  /** Of the whole prompt, without the summary and with it; absent in what earlier versions wrote. */
  readonly tokens?: { readonly before: number; readonly after: number };
  /** How many of each the prompt shows from here on, this summary included; absent in what earlier versions wrote. */
  readonly stays?: { readonly messages: number; readonly decisions: number; readonly summaries: number };
}

export interface BranchEvent {
  readonly kind: "branch";
  /** The next event continues from this one. */
  readonly to: number;
  /**
   * The agent whose past stands before this event. It is history only: none of its sends, watermarks, numbers or costs
   * are this log's. Absent: it is this agent's own.
   */
  readonly origin?: AgentId;
  /** The event of that past, a message or a result, that a person gave other words; absent: none. */
  readonly changed?: number;
}

export interface SentEvent {
  readonly kind: "sent";
  /** Every send of the events up to this sequence number is in its recipient's mailbox. */
  readonly upTo: number;
}

export interface EditedEvent {
  readonly kind: "edited";
  readonly module: string;
  readonly key: string;
  readonly value: unknown;
}

/** The agent begins anew in the same process: whatever call was under way is over. */
export function isLoss(event: Event): boolean {
  if (event.kind !== "notice" || event.reason !== "restarted") return false;
  return !["alone", "beside", "ending"].includes(String(event.details));
}

/** What a writer hands to the log; the log adds sequence number, epoch and time. */
export type NewEvent =
  | MessageEvent
  | ReleasedEvent
  | OfferedEvent
  | RecalledEvent
  | ObservedEvent
  | PromptedEvent
  | RefusedEvent
  | DecisionEvent
  | ResultEvent
  | ApprovalEvent
  | SummaryEvent
  | BranchEvent
  | SentEvent
  | EditedEvent
  | NoticeEvent;

export interface Stamp {
  /** 1, 2, 3... without gaps. */
  readonly seq: number;
  /** The lock number of the process that wrote it. */
  readonly epoch: number;
  /** ISO 8601. */
  readonly at: string;
}

/** One line of an agent's past. */
export type Event = (NewEvent | OpenedEvent) & Stamp;
export type EventOf<K extends Event["kind"]> = Extract<Event, { kind: K }>;

/** The messages that committing `event` puts on their way; empty for most events. */
export function sendsOf(event: Event | NewEvent): readonly Message[] {
  return "sends" in event ? (event.sends ?? []) : [];
}

/** Sum of two usages; a cost is known if either is. */
export function addUsage(a: Usage, b: Usage): Usage {
  const cost = a.cost === undefined && b.cost === undefined ? undefined : (a.cost ?? 0) + (b.cost ?? 0);
  const cacheRead = (a.cacheRead ?? 0) + (b.cacheRead ?? 0);
  const cacheWrite = (a.cacheWrite ?? 0) + (b.cacheWrite ?? 0);
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: cacheRead || undefined,
    cacheWrite: cacheWrite || undefined,
    cost,
  };
}

export const NO_USAGE: Usage = { input: 0, output: 0 };

/** Sequence numbers, both ends included. */
export type SeqRange = readonly [first: number, last: number];

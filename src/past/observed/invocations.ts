// What an observer is at, and what its threads have come to: folded from the active branch of its log.

import type {
  DirectedStep,
  HeardMessage,
  OpeningText,
  Invocation,
  SessionHistory,
} from "../../domain/authoring/director.ts";
import type { Event, EventOf } from "../../domain/event/event.ts";
import { orderIn, processes } from "../../domain/event/invoking.ts";
import type { ControlState, LogPlace } from "../../domain/event/observed.ts";
import { isPersons, parseMessageId, type Message } from "../../domain/message/message.ts";
import { RULES } from "../../domain/supervision.ts";

/** A session of a thread that is not over. */
export interface ThreadSession extends SessionHistory {
  /** How many things there had been to do when it began. */
  readonly index: number;
  /** Messages since it began. */
  readonly n: number;
  /** When the newest of them was said, in milliseconds since 1970; before the first, when it began. */
  readonly saidMs: number;
  /** Where the newest was read. */
  readonly of: LogPlace;
}

/** What was observed and is not done. */
export interface OpenInvocation extends Invocation {
  /** How many there were before it. */
  readonly index: number;
}

export interface Invocations {
  open: OpenInvocation | undefined;
  count: number;
  /** By thread. */
  readonly sessions: Map<string, ThreadSession>;
  /** When a person said last that the sessions there were are over, in milliseconds since 1970; 0 if never. */
  flushedMs: number;
  /** How many things there had been to do then. */
  flushedCount: number;
}

/** What a person says to an observer to have its sessions end. */
export const FLUSH = "flush";

export function createInvocations(): Invocations {
  return { open: undefined, count: 0, sessions: new Map(), flushedMs: 0, flushedCount: 0 };
}

/** Takes one event into account. Returns whether it gave something to do. Events come in the order of the branch. */
export function foldInvocations(invocations: Invocations, event: Event): boolean {
  const { open } = invocations;
  if (event.kind === "message" && isFlush(event.message))
    Object.assign(invocations, { flushedMs: Date.parse(event.at), flushedCount: invocations.count });
  if (event.kind === "observed") return begin(invocations, event);
  if (!open) return false;
  if (event.kind === "decision") decide(invocations, open, event);
  else if (event.kind === "result") invocations.open = { ...open, steps: closed(open.steps, event) };
  return false;
}

function isFlush(message: Message): boolean {
  const isWord = isPersons(message) && orderIn(message) === undefined;
  return isWord && message.content.trim().toLowerCase() === FLUSH;
}

function begin(invocations: Invocations, event: EventOf<"observed">): boolean {
  const { control, thread, n, message, of, at } = event;
  if (control === "observe") return false;
  const { sessions } = invocations;
  // A person's abort had stopped it: it is taken up again where it was.
  if (invocations.open) return true;
  const index = invocations.count++;
  // One that is begun anew counts from 0.
  const known = control === "start_session" ? undefined : sessions.get(thread);
  const session = known ?? { ...NO_HISTORY, index, n: 0, saidMs: Date.parse(at), of };
  const { opening, messages } = session;
  const heard = message && processes({ control }) ? hear(event, message) : undefined;
  const more = heard && { n, saidMs: sentMs(event, message!), of, messages: withNewest(messages, heard) };
  sessions.set(thread, { ...session, ...more });
  invocations.open = {
    ...{ index, control, thread, n, message: heard, steps: [], history: { opening, messages } },
  };
  return true;
}

const NO_HISTORY: SessionHistory = { opening: [], messages: [] };

/** A log may come from elsewhere, and say of a time whatever it likes: then it is when it was heard. */
function sentMs({ at }: Pick<Event, "at">, { sentAt }: Message): number {
  const ms = Date.parse(sentAt);
  return Number.isNaN(ms) ? Date.parse(at) : ms;
}

function hear(event: EventOf<"observed">, message: Message): HeardMessage {
  const { id, content, taint } = message;
  const order = orderIn(message);
  const role = order?.role ?? (isPersons(message) ? "user" : "assistant");
  return {
    ...{ id, log: event.from, role },
    speaker: order ? (order.speaker ?? role) : parseMessageId(id).from,
    said: new Date(order?.said ?? sentMs(event, message)).toISOString(),
    ...{ content, ...(taint !== undefined && { taint }) },
  };
}

/** So many messages of a thread are remembered, each without what is longer than this many characters. */
const MAX_MESSAGES = 24;
const MAX_REMEMBERED = 2_000;

function withNewest(messages: readonly HeardMessage[], heard: HeardMessage): readonly HeardMessage[] {
  const { content } = heard;
  const isLong = content.length > MAX_REMEMBERED;
  const short = `${content.slice(0, MAX_REMEMBERED).replace(/[\ud800-\udbff]$/, "")} […]`;
  return [...messages, isLong ? { ...heard, content: short } : heard].slice(-MAX_MESSAGES);
}

function decide(invocations: Invocations, open: OpenInvocation, event: EventOf<"decision">): void {
  const by = event.model === RULES ? "rules" : "model";
  if (event.stop === "aborted") return;
  if (by === "rules" && event.calls.length === 0) return end(invocations, open);
  const step: DirectedStep = { by, action: event.calls[0]?.action, content: "" };
  invocations.open = { ...open, steps: [...open.steps, step] };
}

function closed(
  steps: readonly DirectedStep[],
  { outcome, content, details, taint }: EventOf<"result">,
): readonly DirectedStep[] {
  const step = steps.at(-1);
  if (!step) return steps;
  const marks = taint === undefined ? {} : { taint };
  return [...steps.slice(0, -1), { ...step, outcome, content, details, ...marks }];
}

function end(invocations: Invocations, { control, thread, steps }: OpenInvocation): void {
  invocations.open = undefined;
  const session = invocations.sessions.get(thread);
  if (control === "end_session") invocations.sessions.delete(thread);
  else if (control === "start_session" && session)
    invocations.sessions.set(thread, { ...session, opening: steps.flatMap(openingIn) });
}

function openingIn({ action, outcome, content, taint }: DirectedStep): readonly OpeningText[] {
  if (action === undefined || outcome !== "ok") return [];
  return [{ action, content, ...(taint !== undefined && { taint }) }];
}

/** The next thing to do with a message of a thread, and of the thread before it; each 6th message since its session began flushes. */
export function controlOf(n: number): ControlState {
  return n % FLUSHED_AFTER === 0 ? "process_message_and_flush" : "process_message";
}

const FLUSHED_AFTER = 6;

// One agent's log as spans, each told as soon as it is over. A crash ends the model calls that were under way where their process
// was last heard of; a unit of work goes on with the next process, as the agent does, and ends where it rests. Where the log goes
// back to an earlier event, what was under way ends there. Another agent's past, which was copied, makes no spans.

import { fieldsOf } from "../../base/text/json.ts";
import { isLoss, type Event, type EventOf } from "../../domain/event/event.ts";
import type { AgentId, LogId } from "../../domain/message/message.ts";
import { isOfModel } from "../../domain/supervision.ts";
import { converse, createConversation, isAtRest } from "../conversation.ts";
import { CUT_OFF, createCalls } from "./calls.ts";
import { NO_ANSWER, chatSpan, createChats } from "./chats.ts";
import { createContent, type ContentWanted } from "./content.ts";
import type { SentIn, SpanOutline } from "./sends.ts";
import { createShown, type ShownMail } from "./shown.ts";
import { shortName, type Span } from "./span.ts";
import { createUnits, unitSpan, type Ended, type UnitStart } from "./units.ts";

export interface SpanSettings {
  readonly agent: AgentId;
  /** The log of Control. */
  readonly legion: LogId;
  readonly outline: Pick<SpanOutline, "origin" | "targets">;
  readonly sentIn: Pick<SentIn, "find">;
  readonly content: ContentWanted;
}

export interface Spans {
  /** Takes the next event of the log, from its first on, and gives what is over with it. */
  see(event: Event): readonly Span[];
  /** What goes on, as far as it is known, marked `ai_legion.open`. */
  open(): readonly Span[];
}

/** What is known of a log so far. */
interface SpanCourse {
  readonly source: { readonly agent: AgentId; log: LogId };
  readonly shown: ReturnType<typeof createShown>;
  readonly units: ReturnType<typeof createUnits>;
  readonly chats: ReturnType<typeof createChats>;
  readonly calls: ReturnType<typeof createCalls>;
  readonly content: ReturnType<typeof createContent>;
  conversation: ReturnType<typeof createConversation>;
  epoch: number;
  /** When the newest event came, and the one before. */
  nowMs: number;
  lastMs: number;
}

export function createSpans({ agent, legion, outline, sentIn, content }: SpanSettings): Spans {
  // A log that has lost its beginning says only later which it is.
  const source = { agent, log: `unknown of ${agent}` };
  const course: SpanCourse = {
    source,
    shown: createShown(outline),
    units: createUnits(legion, sentIn),
    chats: createChats((chat, end) => chatSpan(source, chat, end)),
    calls: createCalls(source),
    content: createContent(content),
    conversation: createConversation(),
    ...{ epoch: 0, nowMs: 0, lastMs: 0 },
  };
  const { chats, units } = course;
  return {
    see(event) {
      const isCut = event.epoch !== course.epoch || isLoss(event);
      stamp(course, event);
      const mail = course.shown.see(event);
      converse(course.conversation, event);
      // Another agent's past.
      if (event.seq <= outline.origin) {
        if (event.kind === "branch") turn(course, event);
        return [];
      }
      const over = isCut ? cut(course) : [];
      if (event.kind === "branch") return [...over, ...turn(course, event)];
      course.content.see(event, mail);
      return [...over, ...take(course, mail), ...follow(course, event), ...rest(course)];
    },
    open: () => [
      ...chats.all().map((chat) => marked(chatSpan(source, chat, { atMs: course.nowMs }))),
      ...units.all().map((unit) => marked(unitSpan(source, { unit }, course.nowMs))),
    ],
  };
}

function marked(span: Span): Span {
  return { ...span, attributes: { ...span.attributes, "ai_legion.open": true } };
}

function stamp(course: SpanCourse, event: Event): void {
  const ms = Date.parse(event.at);
  // A log may say of a time whatever it likes.
  [course.lastMs, course.nowMs] = [course.nowMs, Number.isNaN(ms) ? course.nowMs : ms];
  course.epoch = event.epoch;
  if (event.kind === "opened") course.source.log = event.log;
}

function cut({ chats, calls, lastMs, nowMs }: SpanCourse): readonly Span[] {
  calls.cut(lastMs, nowMs);
  return chats.cut(lastMs, CUT_OFF);
}

/** It goes on from an earlier event: what it was at is over. */
function turn(course: SpanCourse, event: EventOf<"branch">): readonly Span[] {
  const over = [...course.chats.cut(course.nowMs, CUT_OFF), ...ended(course, course.units.end())];
  course.shown.turn(event);
  course.calls.leave();
  course.conversation = createConversation();
  return over;
}

function take(course: SpanCourse, mail: readonly ShownMail[]): readonly Span[] {
  return mail.flatMap((one) => ended(course, course.units.take(one, startAt(course, one.event))));
}

/** What it does belongs to something, also where no message says to what. */
function ensureUnit(course: SpanCourse, { seq }: Event): readonly Span[] {
  if (course.units.current) return [];
  return ended(course, course.units.start(startAt(course, `${seq}.work`), course.shown.root()));
}

function startAt({ source, nowMs }: SpanCourse, event: string): UnitStart {
  return { log: source.log, event, atMs: nowMs };
}

function ended({ source, nowMs }: SpanCourse, those: readonly Ended[]): readonly Span[] {
  return those.map((one) => unitSpan(source, one, nowMs));
}

function rest(course: SpanCourse): readonly Span[] {
  const { units, chats, conversation } = course;
  return units.current && !chats.isAsking && isAtRest(conversation) ? ended(course, units.end()) : [];
}

function follow(course: SpanCourse, event: Event): readonly Span[] {
  const { units, chats, calls, nowMs } = course;
  if (event.kind === "observed" && event.control !== "observe") {
    const observed = event.message && { message: event.message, from: event.from };
    return ended(course, units.start(startAt(course, String(event.seq)), undefined, observed));
  }
  if (event.kind === "prompted") return prompt(course, event);
  if (event.kind === "refused") return chats.refused(event, nowMs);
  if (event.kind === "summary") return chats.answered({ atMs: nowMs, usage: event.usage, stop: "end" });
  if (event.kind === "decision") return decide(course, event);
  if (event.kind === "result") return close(course, event);
  if (event.kind === "approval" && (event.asked || event.verdict)) calls.waited(nowMs);
  if (event.kind !== "notice" || event.reason !== "ended") return [];
  const status = String(fieldsOf(event.details)["status"]);
  const why = status === "Submitted" ? undefined : shortName(status);
  return [...chats.cut(nowMs, CUT_OFF), ...ended(course, units.end(why))];
}

function prompt(course: SpanCourse, event: EventOf<"prompted">): readonly Span[] {
  const { units, chats, calls, content } = course;
  const before = ensureUnit(course, event);
  const call = calls.find(event.call ?? null);
  if (call) calls.ask(call);
  else if (units.current) units.current.model = event.model;
  const shown = call ? { links: [], content: {} } : { links: units.links(), content: content.input() };
  const parent = call?.place ?? units.current;
  return [...before, ...chats.begin({ prompted: event, startMs: course.nowMs, parent, ...shown })];
}

function decide(course: SpanCourse, event: EventOf<"decision">): readonly Span[] {
  const { units, chats, calls, nowMs } = course;
  const before = ensureUnit(course, event);
  const { usage, cost = usage.cost, stop } = event;
  const answer = { atMs: nowMs, usage: { ...usage, cost }, stop, content: course.content.output(event) };
  // What a person typed, or rules say, answers no call.
  const asked = isOfModel(event) ? chats.answered(answer) : chats.cut(nowMs, NO_ANSWER);
  if (units.current) calls.decide(event, units.current, nowMs);
  units.seen();
  return [...before, ...asked];
}

function close({ chats, calls, content, nowMs }: SpanCourse, event: EventOf<"result">): readonly Span[] {
  const call = calls.find(event.call);
  if (!call) return [];
  const usage = calls.askedOnce(call) ? event.usage : undefined;
  const asked = chats.closed(call.id, { atMs: nowMs, usage });
  const span = calls.close(call, event, content.ofCall(call, event.content), nowMs);
  return span ? [...asked, span] : asked;
}

// One event of a log, on one line for people.

import { unwrapOutside } from "../../../domain/authoring/outside.ts";
import type { Call, Event, EventOf } from "../../../domain/event/event.ts";
import { CONTROL, displayName, speakerOf, type Message } from "../../../domain/message/message.ts";
import { HUMAN, RULES } from "../../../domain/supervision.ts";
import { wordsFor } from "../../../domain/policy/question-text.ts";
import { formatChange } from "../../console/narration/narration.ts";
import { fieldsOf } from "../../../base/text/json.ts";
import { count } from "../../../base/text/wording.ts";
import { oneLine } from "../../kit/output.ts";
import { clip } from "../../kit/terminal.ts";
import { dayOf, timeOf } from "../../kit/times.ts";

/** What is looked at of a long content: more than any line shows. */
const MAX_CHARS = 4_000;
const KIND_WIDTH = 9;

/** Time, whose it is where that is said, number, kind and what it is about. */
export function eventLine(event: Event, columns: number, whose = ""): string {
  const head = `${timeOf(event.at)} ${whose}${String(event.seq).padStart(5)} ${event.kind.padEnd(KIND_WIDTH)} `;
  return clip(head + oneLine(describe(event)), columns);
}

/** Lines for events that come one after the other, with the date where it changes. */
export function createEventLines(columns: number): (event: Event, whose?: string) => string {
  let day = "";
  return (event, whose) => {
    const line = eventLine(event, columns, whose);
    if (dayOf(event.at) === day) return line;
    day = dayOf(event.at);
    return `--- ${day} ---\n${line}`;
  };
}

function describe(event: Event): string {
  switch (event.kind) {
    case "opened":
      return `log ${event.log}`;
    case "message":
      return `${senderOf(event.message)}${event.held ? ", held" : ""}: ${cut(event.message.content)}`;
    case "released":
      return `${event.messages.length === 1 ? "event" : "events"} ${event.messages.join(", ")}: shown from here on`;
    case "offered":
      return `what ${event.module} found: ${cut(event.offer)}`;
    case "recalled":
      return `${event.module} recalled ${event.key}: ${cut(event.content)}`;
    case "observed":
      return describeObserved(event);
    case "prompted":
      return `${event.model}, about ${event.reserved.input} tokens`;
    case "refused":
      return `${event.status === undefined ? "no connection" : `answered ${event.status}`}: no step, no cost`;
    case "decision":
      return [
        deciderOf(event.model) ?? endOf(event.stop),
        cut(event.text),
        event.calls.map(describeCall).join("; "),
      ]
        .filter(Boolean)
        .join(" ");
    case "result":
      return `${event.outcome}${changedWords(event)}: ${cut(unwrapOutside(event.content))}`;
    case "approval":
      return describeApproval(event);
    case "summary":
      return describeSummary(event);
    case "branch":
      return `goes on from ${event.to}${event.origin === undefined ? "" : `, the past of ${displayName(event.origin)}`}`;
    case "sent":
      return `everything up to event ${event.upTo} is delivered`;
    case "edited":
      return `by hand: ${event.module}, ${event.key}`;
    case "notice":
      return describeNotice(event);
  }
}

/** What its commands did to files, where they did anything. */
function changedWords({ changed }: EventOf<"result">): string {
  const { files = [], more = 0 } = changed ?? {};
  return files.length + more === 0 ? "" : `, changed ${count(files.length + more, "file")}`;
}

function describeNotice({ reason, content, details }: EventOf<"notice">): string {
  const { status } = reason === "ended" ? fieldsOf(details) : {};
  return [reason, typeof status === "string" ? cut(status) : "", cut(content)].filter(Boolean).join(": ");
}

function describeSummary({ covers, content, tokens }: EventOf<"summary">): string {
  const change = tokens ? ` (${formatChange(tokens)} tokens)` : "";
  return covers[1] === 0
    ? "not kept: it would have freed no space"
    : `of ${covers.join(" to ")}${change}: ${cut(content)}`;
}

function describeApproval({ asked, sends, verdict, reason = "" }: EventOf<"approval">): string {
  if (asked) return `asked: ${askedWords(asked)}`;
  return sends ? "asked in a message to Control" : `${verdict ?? ""}${reason && `: ${cut(reason)}`}`;
}

/** What is asked in a mode is the call itself. */
function askedWords({ action, touches, besides }: NonNullable<EventOf<"approval">["asked"]>): string {
  const shown = touches.length > 0 ? touches : besides;
  return shown.map((touch) => cut(wordsFor(touch))).join("; ") || `call ${cut(action)}`;
}

export function senderOf(message: Pick<Message, "source" | "delivery" | "taint">): string {
  const { source, delivery } = message;
  const sender = speakerOf(message);
  const isOfAgent = source.type === "agent" && source.id !== CONTROL;
  return delivery === "normal" || isOfAgent ? sender : `${sender} (${delivery})`;
}

function describeObserved({ of, control, thread, n, message }: EventOf<"observed">): string {
  const where = `${displayName(of.agent)}, event ${of.seq}`;
  if (control === "observe") return `${where}: what stands behind it is observed`;
  const what = message ? `${n}. ${senderOf(message)}: ${cut(message.content)}` : where;
  return `${control} ${thread}: ${what}`;
}

/** Who made a decision, where that was no model. */
function deciderOf(model: string): string | undefined {
  if (model === HUMAN) return "(typed)";
  return model === RULES ? "(rules)" : undefined;
}

/** How a completion ended, where that is not as usual. */
function endOf(stop: string): string {
  return stop === "end" || stop === "calls" ? "" : `(${stop})`;
}

function describeCall({ action, parameters }: Call): string {
  const text = typeof parameters === "string" ? parameters : JSON.stringify(parameters);
  return `${action} ${text === "{}" ? "" : cut(text)}`.trim();
}

function cut(text: string): string {
  return text.slice(0, MAX_CHARS);
}

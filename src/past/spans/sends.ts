// The first reading of a log that is to become spans: which spans its messages were sent in, where another agent's past ends in it,
// and which events it goes back to. A message says which log numbered it, and not in which event.

import type { Event, EventOf } from "../../domain/event/event.ts";
import { CONTROL, isMessageId, parseMessageId, type LogId } from "../../domain/message/message.ts";
import { isOfModel } from "../../domain/supervision.ts";
import { forkIn } from "../branch.ts";
import { callEvent, spanIdOf } from "./span.ts";

/** The spans in which messages were sent, of any number of logs: a few bytes for each message between agents. */
export interface SentIn {
  /** The id of the span that message `id` was sent in, by the log that numbered it; `undefined` if none is known. */
  find(log: LogId, id: string): string | undefined;
  readonly bySender: Map<string, Map<number, string>>;
}

export function createSentIn(): SentIn {
  const bySender: SentIn["bySender"] = new Map();
  return {
    bySender,
    find(log, id) {
      if (!isMessageId(id)) return undefined;
      const event = bySender.get(wayOf(log, id))?.get(parseMessageId(id).n);
      return event === undefined ? undefined : spanIdOf(log, event);
    },
  };
}

/** From that log to that recipient. */
function wayOf(log: LogId, id: string): string {
  return `${log}\n${id.slice(0, id.indexOf("#"))}`;
}

/** What has to be known of a log before its spans are told. */
export interface SpanOutline {
  /** The number of the newest event. */
  readonly last: number;
  /** Up to here it is another agent's past, which makes no spans; 0: none of it is. */
  readonly origin: number;
  /** The events that it goes back to. */
  readonly targets: ReadonlySet<number>;
}

/** Reads one log, event by event; what it sent is entered in `sentIn`. */
export function createOutline(sentIn: SentIn) {
  const targets = new Set<number>();
  const found = { last: 0, origin: 0 };
  const ways = new Set<string>();
  let log: LogId = "";
  let decision: EventOf<"decision"> | undefined;
  /** The model call that the agent itself is at. */
  let prompted: number | undefined;
  const enter = (ids: readonly { readonly id: string }[], span: string): void => {
    for (const { id } of ids) {
      if (!isMessageId(id) || parseMessageId(id).to === CONTROL) continue;
      const way = wayOf(log, id);
      ways.add(way);
      const sent = sentIn.bySender.get(way) ?? new Map<number, string>();
      sentIn.bySender.set(way, sent.set(parseMessageId(id).n, span));
    }
  };
  const turn = (event: EventOf<"branch">): void => {
    decision = prompted = undefined;
    const fork = forkIn(event);
    if (fork) targets.add(fork.to);
    if (event.origin === undefined) return;
    found.origin = event.seq;
    for (const way of ways) sentIn.bySender.delete(way);
    ways.clear();
  };
  const decide = (event: EventOf<"decision">): void => {
    if (event.sends && prompted !== undefined && isOfModel(event)) enter(event.sends, String(prompted));
    decision = event;
    prompted = undefined;
  };
  const close = (event: EventOf<"result">): void => {
    const index = decision?.calls.findIndex(({ id }) => id === event.call) ?? -1;
    if (decision && event.sends && index !== -1) enter(event.sends, callEvent(decision.seq, index));
  };
  return {
    see(event: Event): void {
      found.last = event.seq;
      if (event.kind === "opened") ({ log } = event);
      else if (event.kind === "branch") turn(event);
      else if (event.kind === "prompted" && event.call === undefined) prompted = event.seq;
      else if (event.kind === "refused" && event.prompted === prompted) prompted = undefined;
      else if (event.kind === "summary") prompted = undefined;
      else if (event.kind === "decision") decide(event);
      else if (event.kind === "result") close(event);
    },
    settle: (): SpanOutline => ({ ...found, targets }),
  };
}

// How far a replay has come on its tape.
//
//   P1. Every event of the tape is passed once, in order: the agent's own when it brings the same about again, all others
//       as soon as what stands before them is passed.
//   P2. Nothing of the agent gets past a start before it begins anew.

import type { Event, EventOf, ProtocolName } from "../../domain/event/event.ts";
import type { LogId } from "../../domain/message/message.ts";
import { isOfModel } from "../../domain/supervision.ts";
import type { Recorded, Tape } from "./recording.ts";

export interface Playhead {
  /** What was passed adds up to this; `log` is the name of the log. */
  readonly passed: { readonly events: number; readonly decisions: number; readonly log: LogId };
  /** The next event of the agent's own, or the `ahead`th after it; `undefined` at the end or before a start. */
  next(ahead?: number): Event | undefined;
  /** What is there in place of a next event. */
  readonly edge: "end" | "start" | undefined;
  /** The messages that come next, also behind a release, up to anything else of the agent's own. */
  mail(): readonly EventOf<"message">[];
  /** What is pinned where a prompt comes next; else empty. */
  pinned(): string;
  /** The model that the agent asks next; `undefined` if it asks none. */
  model(): string | undefined;
  /** How the model is asked next, as far as the tape tells. */
  speaks(): ProtocolName | undefined;
  /** What came from outside before the next event of the agent's own, and is not passed yet. */
  outside(): readonly Event[];
  past(): readonly Event[];
  /** Passes the next event of the agent's own; what came from outside before it has to be passed already. */
  pass(): Event;
  /** Passes what came from outside before the next event of the agent's own. */
  passOutside(): readonly Event[];
  /**
   * The same, and all starts before it: the agent begins anew behind them. What it asked, and was answered, after a start comes
   * later: when it began, it did not know that.
   */
  begin(): readonly Event[];
}

export function createPlayhead({ events }: Tape): Playhead {
  let at = 0;
  let decisions = 0;
  let log = "";
  /** Nothing of the agent's own came since it began. */
  let isFresh = false;
  const by = (index: number): Recorded["by"] | "end" => events[index]?.by ?? "end";
  /** The place of the first that is not from outside. */
  const skip = (index = at): number => {
    while (by(index) === "outside") index++;
    return index;
  };
  const next: Playhead["next"] = (ahead = 0) => {
    let index = skip();
    for (let left = ahead; left > 0 && by(index) === "agent"; left--) index = skip(index + 1);
    return by(index) === "agent" ? events[index]!.event : undefined;
  };
  const pass = (): Event => {
    const { event, by: author } = events[at++]!;
    if (event.kind === "decision" && author === "agent") decisions++;
    if (event.kind === "opened") log = event.log;
    if (author !== "outside") isFresh = author === "start";
    return event;
  };
  const passWhile = (isPassed: (next: Recorded) => boolean): readonly Event[] => {
    const passed: Event[] = [];
    while (at < events.length && isPassed(events[at]!)) passed.push(pass());
    return passed;
  };
  return {
    get passed() {
      return { events: at, decisions, log };
    },
    next,
    get edge() {
      const found = by(skip());
      return found === "end" || found === "start" ? found : undefined;
    },
    mail() {
      const mail: EventOf<"message">[] = [];
      // What is released as mail is taken in stands before that.
      const from = next()?.kind === "released" ? 1 : 0;
      for (let event = next(from); event?.kind === "message"; event = next(from + mail.length))
        mail.push(event);
      return mail;
    },
    pinned: () => events[skip()]?.prompt?.pinned ?? "",
    model: () => modelOf(ownAfter(events, at)),
    speaks: () => protocolOf(ownAfter(events, at)),
    outside: () => events.slice(at, skip()).map(({ event }) => event),
    past: () => events.slice(0, at).map(({ event }) => event),
    pass,
    passOutside: () => passWhile(({ by }) => by === "outside"),
    begin: () =>
      passWhile(
        ({ event, by }) => by === "start" || (by === "outside" && !(isFresh && event.kind === "approval")),
      ),
  };
}

function modelOf(own: Iterable<Recorded>): string | undefined {
  for (const { event } of own) {
    const isAsked = event.kind === "prompted" || (event.kind === "decision" && isOfModel(event));
    if (isAsked) return event.model;
  }
  return undefined;
}

function protocolOf(own: Iterable<Recorded>): ProtocolName | undefined {
  for (const { event, prompt } of own) {
    if (prompt?.hasTools) return "tools";
    if (event.kind === "decision") return event.protocol;
  }
  return undefined;
}

/** What the agent itself brought about, from place `from` on. */
function* ownAfter(events: readonly Recorded[], from: number): Generator<Recorded> {
  for (let index = from; index < events.length; index++)
    if (events[index]!.by === "agent") yield events[index]!;
}

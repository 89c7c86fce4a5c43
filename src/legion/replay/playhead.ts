// How far a replay has come on its tape.
//
//   P1. Every event of the tape is passed once, in order: the agent's own when it brings the same about again, all others
//       as soon as what stands before them is passed.
//   P2. Nothing of the agent gets past a start before it begins anew.

import type { Event, EventOf, ProtocolName } from "../../domain/event.ts";
import type { LogId } from "../../domain/message.ts";
import type { Recorded, Tape } from "./recording.ts";

/** What was passed adds up to this. */
export interface Passed {
  readonly events: number;
  readonly decisions: number;
  /** The name of the log. */
  readonly log: LogId;
}

export interface Playhead {
  readonly passed: Passed;
  /** The next event of the agent's own, or the `ahead`th after it; `undefined` at the end or before a start. */
  next(ahead?: number): Event | undefined;
  /** What is there in place of a next event. */
  readonly edge: "end" | "start" | undefined;
  /** The messages that come next, up to anything else of the agent's own. */
  mail(): readonly EventOf<"message">[];
  /** What is pinned where a prompt comes next; else empty. */
  pinned(): string;
  /** The model that the agent asks next; `undefined` if it asks none. */
  model(): string | undefined;
  /** How the model is asked next, as far as the tape tells. */
  speaks(): ProtocolName | undefined;
  /** What came from outside before the next event of the agent's own, and is not passed yet. */
  outside(): readonly Event[];
  /** Everything that was passed. */
  past(): readonly Event[];
  /** Passes the next event of the agent's own; what came from outside before it has to be passed already. */
  pass(): Event;
  /** Passes what came from outside before the next event of the agent's own. */
  passOutside(): readonly Event[];
  /** The same, and all starts before it: the agent begins anew behind them. */
  begin(): readonly Event[];
}

export function createPlayhead({ events }: Tape): Playhead {
  const reel = createReel(events);
  const { by, skip, next, ahead, passWhile } = reel;
  return {
    next,
    get passed() {
      return reel.passed();
    },
    get edge() {
      const found = by(skip());
      return found === "end" || found === "start" ? found : undefined;
    },
    mail() {
      const mail: EventOf<"message">[] = [];
      for (;;) {
        const event = next(mail.length);
        if (event?.kind !== "message") return mail;
        mail.push(event);
      }
    },
    pinned: () => events[skip()]?.prompt?.pinned ?? "",
    model() {
      for (const { event } of ahead())
        if (event.kind === "prompted" || event.kind === "decision") return event.model;
      return undefined;
    },
    speaks() {
      for (const { event, prompt } of ahead()) {
        if (prompt?.hasTools) return "tools";
        if (event.kind === "decision") return event.protocol;
      }
      return undefined;
    },
    outside: reel.outside,
    past: reel.past,
    pass: reel.step,
    passOutside: () => passWhile(() => by() === "outside"),
    begin: () => passWhile(() => by() === "outside" || by() === "start"),
  };
}

/** The tape as it lies under the head. */
function createReel(events: readonly Recorded[]) {
  let at = 0;
  let decisions = 0;
  let log = "";
  const by = (index = at): Recorded["by"] | "end" => events[index]?.by ?? "end";
  const skip = (index = at): number => {
    while (by(index) === "outside") index++;
    return index;
  };
  const step = (): Event => {
    const { event, by: author } = events[at++]!;
    if (event.kind === "decision" && author === "agent") decisions++;
    if (event.kind === "opened") log = event.log;
    return event;
  };
  return {
    by,
    skip,
    step,
    passed: () => ({ events: at, decisions, log }),
    past: () => events.slice(0, at).map(({ event }) => event),
    outside: () => events.slice(at, skip()).map(({ event }) => event),
    /** Of the agent's own. */
    *ahead(): Generator<Recorded> {
      for (let index = at; index < events.length; index++) if (by(index) === "agent") yield events[index]!;
    },
    next(ahead = 0): Event | undefined {
      let index = skip();
      for (let left = ahead; left > 0 && by(index) === "agent"; left--) index = skip(index + 1);
      return by(index) === "agent" ? events[index]!.event : undefined;
    },
    passWhile(isNext: () => boolean): readonly Event[] {
      const passed: Event[] = [];
      while (isNext()) passed.push(step());
      return passed;
    },
  };
}

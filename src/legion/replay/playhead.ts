// How far a replay has come on its tape.
//
//   P1. Every event of the tape is passed once, in order: the agent's own when it brings the same about again, all others
//       as soon as what stands before them is passed.
//   P2. At a start of the recorded process the agent is made anew: nothing of it gets past that.

import type { Event, EventOf, ProtocolName } from "../../domain/event.ts";
import type { LogId } from "../../domain/message.ts";
import type { Recorded, Tape } from "./recording.ts";

/** What was passed adds up to this. */
export interface Passed {
  readonly events: number;
  readonly decisions: number;
  readonly last: Event | undefined;
  /** The name of the log. */
  readonly log: LogId;
  /** The pinned messages of the newest prompt. */
  readonly pinned: string;
}

export interface Playhead {
  readonly passed: Passed;
  /** The next event of the agent's own, or the `ahead`th after it; `undefined` at the end or before a start. */
  next(ahead?: number): Event | undefined;
  /** What is there in place of a next event. */
  readonly edge: "end" | "start" | undefined;
  /** The messages that come next, up to anything else of the agent's own. */
  mail(): readonly EventOf<"message">[];
  /** The model that is asked next; `undefined` if none is. */
  model(): string | undefined;
  /** What refused the call that was passed last, if something did. */
  refusal(): EventOf<"refused"> | undefined;
  /** How the model is asked next, as far as the tape tells. */
  speaks(): ProtocolName | undefined;
  /** Was the agent stopped, or changed by hand, before the next event of its own? */
  isDisturbed(): boolean;
  /** Everything that was passed. */
  past(): readonly Event[];
  /** Passes the next event of the agent's own. */
  pass(): Event;
  /** Passes what came from outside before the next event of the agent's own; with what `pass` left behind. */
  passOutside(): readonly Event[];
  /** Passes a start and what belongs to it; the agent then goes on from `past`. */
  begin(): void;
}

export function createPlayhead(tape: Tape): Playhead {
  const reel = createReel(tape);
  const { next, by, skip, step } = reel;
  /** What came from outside before an event that was passed alone. */
  let late: Event[] = [];
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
      for (let ahead = 0; ; ahead++) {
        const event = next(ahead);
        if (event?.kind !== "message") return mail;
        mail.push(event);
      }
    },
    model() {
      for (const { event } of reel.ahead())
        if (event.kind === "prompted" || event.kind === "decision") return event.model;
      return undefined;
    },
    refusal: () => reel.outside().find((event) => event.kind === "refused"),
    speaks() {
      for (const { event, hasTools } of reel.ahead()) {
        if (hasTools) return "tools";
        if (event.kind === "decision") return event.protocol;
      }
      return undefined;
    },
    isDisturbed: () => reel.outside().some(({ kind }) => kind === "notice" || kind === "edited"),
    past: reel.past,
    pass() {
      while (by() === "outside") late.push(step());
      return step();
    },
    passOutside() {
      const passed = late;
      late = [];
      while (by() === "outside") passed.push(step());
      return passed;
    },
    begin() {
      late = [];
      while (by() === "outside" || by() === "start") step();
      reel.joinStart();
    },
  };
}

/** The tape as it lies under the head. */
function createReel({ events }: Tape) {
  let at = 0;
  /** A start that the agent's next commit brings with it, as it did when it was recorded. */
  let joined = -1;
  let passed = { decisions: 0, log: "", pinned: "" };
  const by = (index = at): "agent" | "outside" | "start" | "end" =>
    index === joined ? "outside" : (events[index]?.by ?? "end");
  const skip = (index = at): number => {
    while (by(index) === "outside") index++;
    return index;
  };
  return {
    by,
    skip,
    passed: () => ({ ...passed, events: at, last: events[at - 1]?.event }),
    past: () => events.slice(0, at).map(({ event }) => event),
    outside: () => events.slice(at, skip()).map(({ event }) => event),
    *ahead(): Generator<Recorded> {
      for (let index = at; index < events.length; index++) yield events[index]!;
    },
    next(ahead = 0): Event | undefined {
      let index = skip();
      for (let left = ahead; left > 0 && by(index) === "agent"; left--) index = skip(index + 1);
      return by(index) === "agent" ? events[index]!.event : undefined;
    },
    step(): Event {
      const { event } = events[at++]!;
      if (event.kind === "prompted") passed = { ...passed, pinned: event.pinned ?? passed.pinned };
      if (event.kind === "decision") passed = { ...passed, decisions: passed.decisions + 1 };
      if (event.kind === "opened") passed = { ...passed, log: event.log };
      return event;
    },
    /** Nobody opened the log before there was something to write to it. */
    joinStart(): void {
      if (at > 0 && by(at - 1) === "start") joined = --at;
    },
  };
}

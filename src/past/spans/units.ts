// The units of an agent's work, as spans `invoke_agent`: one for each chain of messages that it works for, from the first of its
// mail that is shown until the agent rests. What it does meanwhile belongs to the chain of the newest message that was shown, which
// is whom `legion ps --by cause` charges, and what the messages that it sends name as their root.

import { displayName, type LogId } from "../../domain/message/message.ts";
import type { SentIn } from "./sends.ts";
import type { ShownMail } from "./shown.ts";
import {
  modelAttributes,
  shortName,
  spanIdOf,
  toSpan,
  traceIdOf,
  type Span,
  type SpanAttributes,
  type SpanPlace,
  type SpanSource,
} from "./span.ts";

export interface Unit extends SpanPlace {
  readonly parent?: string;
  readonly links: readonly SpanPlace[];
  readonly startMs: number;
  readonly attributes: SpanAttributes;
  /** The newest model that was asked. */
  model?: string;
}

/** What begins a unit: an event of the log, and when it came. */
export interface UnitStart {
  readonly log: LogId;
  /** As `spanIdOf` takes it. */
  readonly event: string;
  readonly atMs: number;
}

/** So many chains are worked for at once; where there are more, the oldest is over. */
const MAX_UNITS = 100;
/** More than these are not told of one span. */
const MAX_LINKS = 100;

/** Where mail was numbered, and which. */
type Sent = Pick<ShownMail, "message" | "from">;

/**
 * @param legion the log of Control
 * @param sentIn what all logs sent
 */
export function createUnits(legion: LogId, sentIn: Pick<SentIn, "find">) {
  const open = createOpenUnits();
  /** From where the mail came that no decision has seen yet. */
  let fresh: SpanPlace[] = [];
  const senderOf = ({ message, from }: Sent): SpanPlace | undefined => {
    const id = sentIn.find(from, message.id);
    return id === undefined ? undefined : { trace: traceIdOf(legion, message.root), id };
  };
  return {
    get current() {
      return open.current;
    },
    /** Of the decision that is made now: what it was shown beside the message that its unit began with. */
    links: (): readonly SpanPlace[] =>
      fresh.filter(({ id }) => id !== open.current?.parent && id !== open.current?.id),
    /** A decision has seen it. */
    seen: (): void => void (fresh = []),
    /** Takes in a message that is shown. */
    take(mail: Sent, { log, event, atMs }: UnitStart): readonly Ended[] {
      const { id, root } = mail.message;
      const sender = senderOf(mail);
      const begin = (): Unit => ({
        ...{ trace: traceIdOf(legion, root), id: spanIdOf(log, event), links: [], startMs: atMs },
        // A first message comes from no span of its own trace.
        parent: id === root ? undefined : sender?.id,
        attributes: { "ai_legion.message": shortName(id), "ai_legion.root": shortName(root) },
      });
      const ended = open.enter(root, begin);
      const from = sender ?? open.current;
      if (from) fresh = [...fresh, { trace: from.trace, id: from.id }].slice(-MAX_LINKS);
      return ended;
    },
    /** Something else than a message gives it work: an observed one, or what went on from an earlier event. */
    start({ log, event, atMs }: UnitStart, root?: string, observed?: Sent): readonly Ended[] {
      const sender = observed && senderOf(observed);
      return open.enter(root ?? event, () => ({
        ...{ trace: traceIdOf(legion, root ?? `${log} ${event}`), id: spanIdOf(log, event), startMs: atMs },
        links: sender ? [sender] : [],
        attributes: { "ai_legion.root": root === undefined ? undefined : shortName(root) },
      }));
    },
    /** All of them are over. */
    end(error?: string): readonly Ended[] {
      fresh = [];
      return open.clear().map((unit) => ({ unit, error }));
    },
    /** Those that go on. */
    all: open.all,
  };
}

function createOpenUnits() {
  /** By root, or by what began it where that was no message; the oldest first. */
  const units = new Map<string, Unit>();
  let current: Unit | undefined;
  return {
    /** What is worked for now. */
    get current() {
      return current;
    },
    /** It is worked for this from here on, which may be the end of another one. */
    enter(key: string, begin: () => Unit): readonly Ended[] {
      const known = units.get(key);
      const [oldest] = known || units.size < MAX_UNITS ? [] : units;
      if (oldest) units.delete(oldest[0]);
      current = known ?? begin();
      units.set(key, current);
      return oldest ? [{ unit: oldest[1] }] : [];
    },
    clear(): readonly Unit[] {
      const all = [...units.values()];
      units.clear();
      current = undefined;
      return all;
    },
    all: (): readonly Unit[] => [...units.values()],
  };
}

export interface Ended {
  readonly unit: Unit;
  readonly error?: string;
}

export function unitSpan(source: SpanSource, { unit, error }: Ended, endMs: number): Span {
  const { model, attributes, ...place } = unit;
  return toSpan(source, {
    ...place,
    operation: "invoke_agent",
    target: displayName(source.agent),
    attributes: { ...(model !== undefined && modelAttributes(model)), ...attributes },
    endMs,
    error,
  });
}

// What two pasts have to share of an event to go on together: its essence, without what only tells who somebody is, by parts
// as people read them.

import { fieldsOf } from "../../base/text/json.ts";
import { sendsOf, type Call, type Event } from "../../domain/event/event.ts";
import type { AgentId, Message } from "../../domain/message/message.ts";
import { essenceOf } from "./difference.ts";

/** The parts of an event by their names, in their order. */
export interface Essence {
  readonly kind: Event["kind"];
  readonly parts: ReadonlyMap<string, string>;
}

/** The first part of an event that is not the same. */
export interface Unlike {
  /** Such as `decision: text`. */
  readonly part: string;
  /** The whole of that part, on either side; empty: there is none. */
  readonly one: string;
  readonly other: string;
}

/** For people and programs, or for the provider: what came of it is told in words as well. */
const BESIDE = ["kind", "message", "sends", "usage", "protocol", "provider", "details", "state"];

/**
 * Tells what of an agent's events is compared, one after the other; `undefined`: nothing of it. Numbers, the agent's own ids, what
 * it was shown and what a call cost are none of it: what it heard and did is.
 */
export function createLikeness(names: ReadonlySet<AgentId>): (event: Event) => Essence | undefined {
  let calls: readonly Call[] = [];
  const own = (id: string): string => (names.has(id) ? "(itself)" : id);
  return (event) => {
    const essence = essenceOf(event);
    // How often its model was asked depends on the provider.
    if (essence === undefined || event.kind === "prompted") return undefined;
    if (event.kind === "decision") ({ calls } = event);
    const parts = new Map<string, string>();
    const fields = fieldsOf(essence);
    if (event.kind === "message")
      for (const [name, value] of Object.entries(readLetter(event.message, own)))
        if (value !== undefined) parts.set(name, write(value));
    for (const [name, value] of Object.entries(fields)) {
      if (value === undefined || BESIDE.includes(name)) continue;
      if (name === "calls")
        parts.set(name, event.kind === "decision" ? calls.map(writeCall).join("\n\n") : "");
      else parts.set(name, name === "call" ? callNamed(value, calls) : write(value));
    }
    const sends = sendsOf(event).map((message) => write(readLetter(message, own)));
    if (sends.length > 0) parts.set("messages", sends.join("\n\n"));
    return { kind: event.kind, parts };
  };
}

/** `null`: they are the same. */
export function firstUnlike(one: Essence, other: Essence): Unlike | null {
  if (one.kind !== other.kind)
    return { part: "what happens", one: writeEvent(one), other: writeEvent(other) };
  for (const name of new Set([...one.parts.keys(), ...other.parts.keys()])) {
    const [before = "", now = ""] = [one.parts.get(name), other.parts.get(name)];
    if (before !== now) return { part: `${one.kind}: ${name}`, one: before, other: now };
  }
  return null;
}

/** Who numbered it, and in whose name, tells nothing of what it says. */
function readLetter(
  { source, targetAgentIds, content, delivery, taint }: Message,
  own: (id: AgentId) => string,
): Readonly<Record<string, unknown>> {
  const from = source.type === "user" ? "the runtime" : own(source.id);
  return { from, to: targetAgentIds.map(own).join(", "), content, delivery, taint };
}

/** Ids of calls are numbers, too. */
function callNamed(id: unknown, calls: readonly Call[]): string {
  const index = calls.findIndex((call) => call.id === id);
  return index < 0 ? "none" : `call ${index + 1}: ${calls[index]!.action}`;
}

function writeCall({ action, parameters }: Call): string {
  return `${action}\n${write(parameters)}`;
}

function writeEvent({ kind, parts }: Essence): string {
  return [kind, ...[...parts].map(([name, text]) => `${name}: ${text}`)].join("\n");
}

/** Long texts on lines of their own. */
function write(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return JSON.stringify(value) ?? "";
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  const lines = entries.map(
    ([name, item]) => `${name}: ${typeof item === "string" ? item : JSON.stringify(item)}`,
  );
  return lines.join("\n");
}

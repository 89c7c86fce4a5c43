// What an agent of the original AI Legion remembered, as a past of ours: a JSON array of decisions and messages, a list of
// goals, and notes. Its versions differ, and people have edited such files: what is understood is taken, the rest is named.

import { z } from "zod";
import { fieldsOf } from "../../base/text/json.ts";
import {
  NO_USAGE,
  type Call,
  type DecisionEvent,
  type EditedEvent,
  type NewEvent,
} from "../../domain/event/event.ts";
import { CONTROL, isAgentId, messageId, type AgentId, type Message } from "../../domain/message/message.ts";
import { findAction, toCall } from "../../model/protocol/text-search.ts";

/** What its files held, as `JSON.parse` made it. */
export interface Remains {
  readonly memory: unknown;
  /** Absent: there was no such file. */
  readonly goals?: unknown;
  /** By title, the longest unchanged first. */
  readonly notes?: ReadonlyMap<string, string>;
  /** What could not be read. */
  readonly strange?: readonly Strange[];
}

export interface Original {
  readonly events: readonly NewEvent[];
  readonly goals: readonly OldGoal[];
  readonly notes: ReadonlyMap<string, string>;
  readonly strange: readonly Strange[];
}

/** What was not understood. */
export interface Strange {
  /** Follows their number, as in `2 of its notes`. */
  readonly kind: string;
  /** Its place in the memory, from 0; absent for what is not from there. */
  readonly index?: number;
  readonly entry: unknown;
}

/** What the messages of the past are made of; the original kept no times. */
export interface OriginalPlace {
  readonly agent: AgentId;
  /** ISO 8601. */
  readonly at: string;
}

const Name = z.union([z.string(), z.number()]).transform(String);

const OldMessage = z.object({
  type: z.string(),
  source: z.object({ type: z.string().optional(), id: Name.optional() }).catch({}),
  targetAgentIds: z.array(Name).catch([]),
  content: z.string(),
});
type OldMessage = z.output<typeof OldMessage>;

const ActionText = z.object({ actionText: z.string() });

/** Every form that a version of it wrote, as a decision's text or as a message. */
const OldEvent = z.union([
  z.object({ decision: ActionText }).transform(({ decision }) => decision.actionText),
  ActionText.transform(({ actionText }) => actionText),
  z.object({ message: OldMessage }).transform(({ message }) => message),
  z
    .object({ type: z.literal("summary"), summary: z.string() })
    .transform(({ summary }) => OldMessage.parse({ type: "spontaneous", content: summary })),
]);

const OldGoal = z.object({ text: z.string(), complete: z.boolean().catch(false) });
type OldGoal = z.output<typeof OldGoal>;

/** Never throws. */
export function readOriginal(remains: Remains, place: OriginalPlace): Original {
  const { memory, goals, notes = new Map<string, string>() } = remains;
  const strange = [...(remains.strange ?? [])];
  const past = createPast(place);
  listIn(memory).forEach((entry, index) => {
    const { data } = OldEvent.safeParse(entry);
    if (data !== undefined) past.add(data);
    else strange.push({ kind: kindOf(entry), index, entry });
  });
  const { goals: list = goals } = fieldsOf(goals);
  const known = (list === undefined ? [] : listIn(list)).flatMap((entry) => {
    const { data } = OldGoal.safeParse(entry);
    if (!data) strange.push({ kind: "of its goals", entry });
    return data ?? [];
  });
  return { events: past.end(), goals: known, notes, strange };
}

/** The modules of these names keep goals and notes here, too. */
export function* editsOf({ goals, notes }: Original): Generator<EditedEvent> {
  if (goals.length > 0) yield { kind: "edited", module: "goals", key: "goals", value: goals };
  for (const [title, text] of notes) yield { kind: "edited", module: "notes", key: title, value: text };
}

function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

function kindOf(entry: unknown): string {
  const { type } = fieldsOf(entry);
  return typeof type === "string" ? `of type ${JSON.stringify(type)}` : "of no type";
}

/** How the original answered an action; `standard` in its older versions. */
const OUTCOMES: ReadonlyMap<string, "ok" | "error"> = new Map([
  ["ok", "ok"],
  ["standard", "ok"],
  ["error", "error"],
]);

/** Events as they come: what answers a decision becomes the result of its call. */
function createPast({ agent, at }: OriginalPlace) {
  const events: NewEvent[] = [];
  const numbers = new Map<AgentId, number>();
  /** The newest decision while it has no result: its call, or `null` where it had none, and what was said meanwhile. */
  let open: { readonly call: string | null; readonly heard: OldMessage[] } | undefined;

  const hear = ({ type, source, targetAgentIds, content }: OldMessage): void => {
    const sender = senderOf(source);
    const from = sender ?? CONTROL;
    const n = (numbers.get(from) ?? 0) + 1;
    numbers.set(from, n);
    const id = messageId({ from, to: agent, n });
    const targets = targetAgentIds.filter((target) => target === CONTROL || isAgentId(target));
    const message: Message = {
      id,
      type: sender === undefined || type === "spontaneous" ? "spontaneous" : "agentToAgent",
      source: sender === undefined ? { type: "user" } : { type: "agent", id: sender },
      targetAgentIds: targets.length > 0 ? targets : [agent],
      // What an error answered is gone: it is shown as it was.
      content: type === "error" ? `--- ERROR ---\n\n${content}` : content,
      sentAt: at,
      delivery: "normal",
      root: id,
      hops: 0,
    };
    events.push({ kind: "message", message, mail: events.length + 1, from: FROM });
  };
  const close = (outcome: "ok" | "error" | "idle", content: string): void => {
    if (!open) return;
    events.push({ kind: "result", call: open.call, outcome, content });
    for (const said of open.heard) hear(said);
    open = undefined;
  };
  return {
    add(entry: string | OldMessage): void {
      if (typeof entry === "string") {
        close("idle", "");
        const decision = toDecision(entry);
        events.push(decision);
        open = { call: decision.calls[0]?.id ?? null, heard: [] };
        return;
      }
      const outcome = senderOf(entry.source) === undefined ? OUTCOMES.get(entry.type) : undefined;
      if (open && outcome) close(outcome, entry.content);
      else if (open) open.heard.push(entry);
      else hear(entry);
    },
    end(): readonly NewEvent[] {
      close("idle", "");
      return events;
    },
  };
}

/** Stands for the logs of the senders, which the original did not have. */
const FROM = "original";

/** `undefined`: the runtime. An agent whose name cannot be one here is not taken for the person. */
function senderOf({ type, id }: OldMessage["source"]): AgentId | undefined {
  if (id === undefined || type === "user" || type === "system") return undefined;
  const name = id.toLowerCase();
  return name === CONTROL || isAgentId(name) ? name : "unknown";
}

function toDecision(text: string): DecisionEvent {
  const reading = findAction(text, () => true);
  const calls: readonly Call[] = reading.kind === "action" ? [toCall(reading.action)] : [];
  const thoughts = reading.kind === "action" ? reading.action.thoughts : undefined;
  return {
    kind: "decision",
    text,
    ...(thoughts !== undefined && { thoughts }),
    calls,
    protocol: "text",
    model: "original",
    usage: NO_USAGE,
    stop: calls.length > 0 ? "calls" : "unparsed",
  };
}

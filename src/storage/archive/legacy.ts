// The memory of an agent of the original AI Legion, as events of ours: a JSON array of decisions and messages. Its
// versions differ, and people have edited such files: what can be understood is taken, the rest is named.

import { NO_USAGE, type Call, type DecisionEvent, type NewEvent } from "../../domain/event.ts";
import {
  CONTROL,
  isAgentId,
  messageId,
  type AgentId,
  type Message,
  type MessageSource,
} from "../../domain/message.ts";
import { findAction, toCall } from "../../model/protocol/text-search.ts";

type Fields = Readonly<Record<string, unknown>>;

/** `undefined`: the runtime, not an agent. */
type Sender = AgentId | undefined;

export interface Original {
  readonly events: readonly NewEvent[];
  /** What was not understood, with its place among the entries, from 0. */
  readonly strange: readonly { readonly index: number; readonly entry: unknown }[];
}

/** What the messages of the past are made of; the original kept no times. */
export interface OriginalPlace {
  readonly agent: AgentId;
  /** ISO 8601. */
  readonly at: string;
}

/** Lists in lists, and JSON in JSON, are opened up to here. */
const MAX_DEPTH = 4;
const LISTS = ["events", "memory", "mementos", "messages", "history"];

/** Reads what `JSON.parse` made of such a file. Never throws. */
export function readOriginal(value: unknown, place: OriginalPlace): Original {
  const strange: { index: number; entry: unknown }[] = [];
  const past = createPast(place);
  entriesOf(value, MAX_DEPTH).forEach((entry, index) => {
    const understood = understand(entry);
    if (understood) past.add(understood);
    else strange.push({ index, entry });
  });
  return { events: past.end(), strange };
}

function entriesOf(value: unknown, depth: number): readonly unknown[] {
  if (depth === 0) return [value];
  if (Array.isArray(value)) {
    return value.flatMap((item: unknown) => (Array.isArray(item) ? entriesOf(item, depth - 1) : [item]));
  }
  if (typeof value === "string") {
    const parsed = parseJson(value);
    return parsed === undefined ? [value] : entriesOf(parsed, depth - 1);
  }
  const list = LISTS.map((key) => fieldsOf(value)[key]).find((item) => Array.isArray(item));
  return list === undefined ? [value] : entriesOf(list, depth - 1);
}

function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

type Understood =
  | { readonly kind: "decision"; readonly text: string }
  | {
      readonly kind: "message";
      readonly type: Message["type"];
      readonly from: Sender;
      readonly targets: readonly AgentId[];
      readonly content: string;
    };

const DECISIONS = ["decision", "action", "response", "assistant"];

/** Entries had their text in different places; roles are those of OpenAI's messages, which the first versions kept. */
function understand(entry: unknown): Understood | undefined {
  const fields = fieldsOf(entry);
  const type = textAt(fields, "type", "role", "kind") ?? "";
  const text = textAt(fields, "actionText", "action", "openaiResponse", "response");
  if (text !== undefined) return { kind: "decision", text };
  const message = "message" in fields && type !== "decision" ? fields["message"] : fields;
  const content = contentOf(message) ?? textAt(fields, "summary", "text");
  if (content === undefined) return undefined;
  const inner = fieldsOf(message);
  const innerType = textAt(inner, "type", "messageType", "role") ?? type;
  if (DECISIONS.includes(type) || DECISIONS.includes(innerType)) return { kind: "decision", text: content };
  if (type === "" && innerType === "") return undefined;
  const from = sourceOf(inner["source"]);
  return { kind: "message", type: typeOf(innerType, from), from, targets: targetsOf(inner), content };
}

function typeOf(type: string, from: Sender): Message["type"] {
  if (type === "ok" || type === "error" || type === "spontaneous" || type === "agentToAgent") return type;
  return from === undefined ? "spontaneous" : "agentToAgent";
}

/** An agent whose name cannot be one here is not taken for the person. */
function sourceOf(source: unknown): Sender {
  const { type, id } = fieldsOf(source);
  if (id === undefined || type === "user" || type === "system") return undefined;
  const name = nameOf(id).toLowerCase();
  return name === CONTROL || isAgentId(name) ? name : "unknown";
}

function targetsOf({ targetAgentIds }: Fields): readonly AgentId[] {
  const ids: readonly unknown[] = Array.isArray(targetAgentIds) ? targetAgentIds : [];
  return ids.map(nameOf).filter((id) => id === CONTROL || isAgentId(id));
}

/** Empty for what is neither a text nor a number. */
function nameOf(id: unknown): string {
  return typeof id === "string" || typeof id === "number" ? String(id) : "";
}

/** The first of `keys` that holds a text; `undefined` if none does. */
function textAt(fields: Fields, ...keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const text = contentOf(fields[key]);
    if (text !== undefined) return text;
  }
  return undefined;
}

/** A text, or what stands for one in an answer of OpenAI's. */
function contentOf(value: unknown, depth = MAX_DEPTH): string | undefined {
  if (typeof value === "string") return value;
  if (depth === 0) return undefined;
  if (Array.isArray(value)) {
    const texts = value.map((item: unknown) => contentOf(item, depth - 1));
    return texts.length > 0 && texts.every((text) => text !== undefined) ? texts.join("\n") : undefined;
  }
  const { content, text, message, choices } = fieldsOf(value);
  const [found] = [
    content,
    text,
    message,
    Array.isArray(choices) ? (choices[0] as unknown) : undefined,
  ].filter((item) => item !== undefined && item !== null);
  return found === undefined ? undefined : contentOf(found, depth - 1);
}

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}

/** Events as they come: what answers a decision becomes the result of its call. */
function createPast({ agent, at }: OriginalPlace) {
  const events: NewEvent[] = [];
  const numbers = new Map<AgentId, number>();
  /** The call of the newest decision, or `null` where it had none; absent when it has its result. */
  let open: { readonly call: string | null } | undefined;

  const close = (outcome: "ok" | "error" | "idle", content: string): void => {
    if (open) events.push({ kind: "result", call: open.call, outcome, content });
    open = undefined;
  };
  const toMessage = (said: Extract<Understood, { kind: "message" }>): Message => {
    const from = said.from ?? CONTROL;
    const n = (numbers.get(from) ?? 0) + 1;
    numbers.set(from, n);
    const id = messageId({ from, to: agent, n });
    const source: MessageSource = said.from === undefined ? { type: "user" } : { type: "agent", id: from };
    const targetAgentIds = said.targets.length > 0 ? said.targets : [agent];
    const { type, content } = said;
    return { id, type, source, targetAgentIds, content, sentAt: at, delivery: "normal", root: id, hops: 0 };
  };
  return {
    add(entry: Understood): void {
      if (entry.kind === "message" && open && (entry.type === "ok" || entry.type === "error"))
        return close(entry.type, entry.content);
      close("idle", "");
      if (entry.kind === "decision") {
        const decision = toDecision(entry.text);
        events.push(decision);
        open = { call: decision.calls[0]?.id ?? null };
      } else events.push({ kind: "message", message: toMessage(entry), mail: events.length + 1, from: FROM });
    },
    end(): readonly NewEvent[] {
      close("idle", "");
      return events;
    },
  };
}

/** Stands for the logs of the senders, which the original did not have. */
const FROM = "original";

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

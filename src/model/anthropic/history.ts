// Turns in the form of Anthropic's Messages API, as JSON.

import type { Call } from "../../domain/event/event.ts";
import { jsonArray, toJson, wireName } from "../http/body.ts";
import { createJoiner, joinMembers, type Written } from "../http/turns.ts";
import type { CallResult, ModelRequest, Turn } from "../../domain/model.ts";
import { estimateTokens } from "../tokens/tokens.ts";

/**
 * What a completion has to be shown as again: its blocks in their order, the thinking whole, because it is signed, the
 * rest by reference to the turn.
 */
export interface AnthropicPart {
  readonly content: readonly PartBlock[];
}

export type PartBlock =
  | { readonly type: "thinking"; readonly thinking: string; readonly signature: string }
  | { readonly type: "redacted_thinking"; readonly data: string }
  | { readonly type: "text"; readonly length: number }
  | { readonly type: "tool_use" };

/** The cache mark: everything before it is what the next prompt begins with. */
export const CACHE_CONTROL = { type: "ephemeral" } as const;
const MARK = `,"cache_control":${JSON.stringify(CACHE_CONTROL)}`;

/** Stands where a conversation has to begin or end with a user's message and there is none. */
const NO_MESSAGE = toJson({ type: "text", text: "(no message)" });

interface AnthropicTurn extends Written {
  readonly kind: "user" | "assistant";
  /** Tool results come first in their message. */
  readonly results: readonly string[];
  readonly blocks: readonly string[];
}

/**
 * Returns what writes the messages of a request to the model called `name`, as a JSON array. `thinking: "drop"` leaves
 * the thinking of earlier turns out; that of other models is always left out.
 */
export function createAnthropicHistory(
  name: string,
  thinking: "keep" | "drop",
): (request: Pick<ModelRequest, "turns" | "pinned">) => string {
  const reader = thinking === "keep" ? name : undefined;
  // Open are the two messages of the user that are marked, and what may stand after each.
  const join = createJoiner<AnthropicTurn>({ write: (turn) => writeTurn(turn, reader), merge, open: 4 });
  return ({ turns, pinned }) => {
    const { first, closed, open } = join(turns);
    const opening = first?.kind === "assistant" ? message("user", [NO_MESSAGE]) : "";
    return `[${joinMembers(opening, closed, ...end(open, pinned))}]`;
  };
}

/**
 * The last messages, with what is pinned. The last stable message is marked, and the one that was it in the prompt
 * before: what was cached then is found again however many blocks have been added since.
 */
function end(open: readonly (readonly AnthropicTurn[])[], pinned: string): string[] {
  const users = open.flatMap(([first], at) => (first?.kind === "user" ? [at] : []));
  const messages = open.map((neighbours, at) => {
    const json = merge(neighbours);
    return users.slice(-2).includes(at) ? mark(json) : json;
  });
  const blocks = writeText(pinned);
  if (open.length === 0 || users.at(-1) !== open.length - 1) {
    return [...messages, message("user", blocks.length > 0 ? blocks : [NO_MESSAGE])];
  }
  return blocks.length > 0 ? [...messages.slice(0, -1), extend(messages.at(-1)!, blocks)] : messages;
}

function merge(neighbours: readonly AnthropicTurn[]): string {
  const [first] = neighbours;
  if (neighbours.length === 1) return first!.json;
  const results = neighbours.flatMap((written) => written.results);
  return message(first!.kind, [...results, ...neighbours.flatMap((written) => written.blocks)]);
}

function message(role: "user" | "assistant", blocks: readonly string[]): string {
  return `{"role":"${role}","content":${jsonArray(blocks)}}`;
}

// A message ends in `}]}`: its last block, its content, itself.

function mark(json: string): string {
  return `${json.slice(0, -"}]}".length)}${MARK}}]}`;
}

function extend(json: string, blocks: readonly string[]): string {
  return `${json.slice(0, -"]}".length)},${blocks.join(",")}]}`;
}

function writeTurn(turn: Turn, reader: string | undefined): AnthropicTurn {
  const kind = turn.role === "assistant" ? "assistant" : "user";
  const results = turn.role === "results" ? turn.results.map(writeResult) : [];
  const blocks =
    turn.role === "results" ? [] : turn.role === "user" ? writeText(turn.text) : writeAnswer(turn, reader);
  const all = [...results, ...blocks];
  return { kind, results, blocks, json: all.length === 0 ? "" : message(kind, all) };
}

function writeResult({ call, content, isError }: CallResult): string {
  const filled = content.trim() !== "";
  return toJson({
    type: "tool_result",
    tool_use_id: wireName(call),
    ...(filled && { content }),
    ...(isError && { is_error: true }),
  });
}

/** No block for blank text: the API refuses it. */
function writeText(text: string): string[] {
  return text.trim() === "" ? [] : [toJson({ type: "text", text })];
}

function writeCall({ id, action, parameters }: Call): string {
  const isObject = typeof parameters === "object" && parameters !== null && !Array.isArray(parameters);
  // What was no object is quoted by the error that followed it.
  return toJson({
    type: "tool_use",
    id: wireName(id),
    name: wireName(action),
    input: isObject ? parameters : {},
  });
}

type Answer = Extract<Turn, { role: "assistant" }>;

function writeAnswer(turn: Answer, reader: string | undefined): string[] {
  const plain = [...writeText(turn.text), ...turn.calls.map(writeCall)];
  const part = plain.length > 0 ? ownPart(turn, reader) : undefined;
  return (part && restore(turn, part)) ?? plain;
}

function ownPart({ model, provider }: Answer, reader: string | undefined): AnthropicPart | undefined {
  return reader !== undefined && model === reader ? readPart(provider) : undefined;
}

/** About how many tokens the thinking has that the model called `reader` is sent again with `turn`; 0 if none is. */
export function thinkingTokens(turn: Turn, reader: string): number {
  const part = turn.role === "assistant" ? ownPart(turn, reader) : undefined;
  if (!part || writeTurn(turn, reader).json === writeTurn(turn, undefined).json) return 0;
  return part.content.reduce((sum, piece) => sum + sizeOf(piece), 0);
}

/** What can be read of thinking may be a summary: all of it is in what is encrypted, in base64. */
function sizeOf(piece: PartBlock): number {
  if (piece.type === "redacted_thinking") return encryptedTokens(piece.data);
  if (piece.type !== "thinking") return 0;
  return Math.max(estimateTokens(piece.thinking), encryptedTokens(piece.signature));
}

function encryptedTokens(base64: string): number {
  return Math.ceil((estimateTokens(base64) * 3) / 4);
}

/** The blocks as they came; `undefined` if text and calls are not those that the part was made for. */
function restore({ text, calls }: Answer, part: AnthropicPart): string[] | undefined {
  const blocks: string[] = [];
  let at = 0;
  let nextCall = 0;
  for (const piece of part.content) {
    if (piece.type === "text") blocks.push(...writeText(text.slice(at, (at += piece.length))));
    else if (piece.type === "tool_use") {
      const call = calls[nextCall++];
      if (!call) return undefined;
      blocks.push(writeCall(call));
    } else blocks.push(toJson(piece));
  }
  return at === text.length && nextCall === calls.length ? blocks : undefined;
}

/** The part as a log gives it back: people edit logs. */
function readPart(value: unknown): AnthropicPart | undefined {
  const content = (value as Partial<AnthropicPart> | null | undefined)?.content;
  return Array.isArray(content) && content.every(isPartBlock) ? { content } : undefined;
}

function isPartBlock(value: unknown): value is PartBlock {
  const { type, thinking, signature, data, length } = (value ?? {}) as Record<string, unknown>;
  if (type === "thinking") return typeof thinking === "string" && typeof signature === "string";
  if (type === "redacted_thinking") return typeof data === "string";
  if (type === "text") return Number.isSafeInteger(length) && (length as number) >= 0;
  return type === "tool_use";
}

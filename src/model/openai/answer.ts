// What a chat completions server answers, streamed or whole, as a completion. "Compatible" servers leave out ids,
// indexes, usage and ends, and add reasoning; nothing that is missing or odd breaks the reading.

import { randomUUID } from "node:crypto";
import type { ChatCompletion, ChatCompletionChunk } from "openai/resources/chat/completions";
import type { CompletionUsage } from "openai/resources/completions";
import type { Stop, Usage } from "../../domain/event/event.ts";
import type { Toolset } from "../http/body.ts";
import type { Completion, RawCall } from "../../domain/model.ts";
import { estimateTokens } from "../tokens/tokens.ts";
import type { Tell } from "../http/connection.ts";

export type Form = "stream" | "whole";

export interface OpenAiAnswer {
  /** In which it came, whichever was asked for. */
  readonly form: Form;
  text: string;
  thoughts: string;
  readonly calls: RawCallParts[];
  /** Absent: the answer has no end. */
  stop: string | null | undefined;
  usage: CompletionUsage | null | undefined;
}

interface RawCallParts {
  index: number | undefined;
  id: string;
  /** The id under which it was told; empty before. */
  told: string;
  name: string;
  json: string;
}

/** A message or a piece of one, as servers really send them. */
interface Piece {
  readonly content?: string | null;
  readonly refusal?: string | null;
  /** DeepSeek, vLLM, llama.cpp; OpenRouter and others. Not in OpenAI's own API. */
  readonly reasoning_content?: unknown;
  readonly reasoning?: unknown;
  readonly tool_calls?: readonly CallPiece[] | null;
}

interface CallPiece {
  readonly index?: number;
  readonly id?: string;
  readonly function?: { readonly name?: string; readonly arguments?: unknown };
}

/** `begun` is called when the answer itself begins. */
export async function readChunks(
  chunks: AsyncIterable<ChatCompletionChunk>,
  begun: () => void,
  tell: Tell,
): Promise<OpenAiAnswer> {
  const answer = emptyAnswer("stream");
  for await (const chunk of chunks) {
    const choice = chunk.choices?.[0];
    if (choice?.delta && add(answer, choice.delta, tell)) begun();
    answer.stop = choice?.finish_reason ?? answer.stop;
    answer.usage = chunk.usage ?? answer.usage;
  }
  return answer;
}

export function readWhole(completion: Partial<ChatCompletion>, tell: Tell): OpenAiAnswer {
  const answer = emptyAnswer("whole");
  const choice = completion.choices?.[0];
  if (choice?.message) add(answer, choice.message, tell);
  answer.stop = choice?.finish_reason;
  answer.usage = completion.usage;
  return answer;
}

function emptyAnswer(form: Form): OpenAiAnswer {
  return { form, text: "", thoughts: "", calls: [], stop: undefined, usage: undefined };
}

/** True if the piece held anything. */
function add(answer: OpenAiAnswer, piece: Piece, tell: Tell): boolean {
  const thoughts = textOf(piece.reasoning_content ?? piece.reasoning);
  const text = textOf(piece.content) + textOf(piece.refusal);
  const calls = piece.tool_calls ?? [];
  answer.thoughts += thoughts;
  answer.text += text;
  tell({ kind: "thoughts", text: thoughts });
  tell({ kind: "text", text });
  for (const call of calls) addCall(answer.calls, call, tell);
  return thoughts !== "" || text !== "" || calls.length > 0;
}

function addCall(calls: RawCallParts[], piece: CallPiece, tell: Tell): void {
  let call = continued(calls, piece);
  if (!call) calls.push((call = { index: piece.index, id: "", told: "", name: "", json: "" }));
  call.id ||= textOf(piece.id);
  const name = textOf(piece.function?.name);
  if (name && !call.name) {
    call.name = name;
    call.told = call.id || madeUpId();
    tell({ kind: "call", id: call.told, name });
  }
  const json = piece.function?.arguments;
  call.json += typeof json === "object" && json !== null ? JSON.stringify(json) : textOf(json);
}

function madeUpId(): string {
  return `call_${randomUUID()}`;
}

/** The call that a piece goes on with. Some servers give every call the index 0, some give none. */
function continued(
  calls: readonly RawCallParts[],
  { index, id, function: called }: CallPiece,
): RawCallParts | undefined {
  const call = index === undefined ? calls.at(-1) : calls.findLast((other) => other.index === index);
  if (!call || (id && call.id && id !== call.id)) return undefined;
  return index === undefined && !id && called?.name ? undefined : call;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The completion that an answer with an end comes to. `sent` is the request, for servers that do not count. */
export function toCompletion(answer: OpenAiAnswer, toolset: Toolset, sent: string): Completion {
  const { text, thoughts, stop, usage } = answer;
  // Of a call that was cut off at its first parameter nothing may be made up.
  const cut = stop === "length" ? answer.calls.at(-1) : undefined;
  const calls = answer.calls.map((call): RawCall => ({
    id: call.told || call.id || madeUpId(),
    name: toolset.nameOf(call.name),
    arguments: call.json || (call === cut ? "" : "{}"),
  }));
  return {
    text,
    thoughts: thoughts.trim() === "" ? undefined : thoughts,
    calls,
    usage: usage ? toUsage(usage) : estimateUsage(answer, sent),
    stop: toStop(stop, calls),
  };
}

function toStop(stop: string | null | undefined, calls: readonly RawCall[]): Stop {
  if (stop === "length") return "length";
  if (stop === "content_filter") return "refused";
  return calls.length > 0 ? "calls" : "end";
}

function toUsage({ prompt_tokens, completion_tokens, prompt_tokens_details }: CompletionUsage): Usage {
  return {
    input: prompt_tokens ?? 0,
    output: completion_tokens ?? 0,
    cacheRead: prompt_tokens_details?.cached_tokens || undefined,
    cacheWrite: prompt_tokens_details?.cache_write_tokens || undefined,
  };
}

function estimateUsage({ text, thoughts, calls }: OpenAiAnswer, sent: string): Usage {
  return {
    input: estimateTokens(sent),
    output: estimateTokens([text, thoughts, ...calls.map(({ json }) => json)].join("")),
  };
}

// What Anthropic answers, streamed or whole, as a completion. Compatible servers leave things out; nothing that is
// missing breaks the reading.

import type {
  Message,
  RawContentBlockDelta,
  RawMessageStreamEvent,
} from "@anthropic-ai/sdk/resources/messages";
import type { Stop, Usage } from "../../domain/event/event.ts";
import type { AnthropicPart } from "./history.ts";
import type { Toolset } from "../http/body.ts";
import type { Completion, RawCall } from "../../domain/model.ts";
import type { Tell } from "../http/connection.ts";

export interface AnthropicAnswer {
  readonly blocks: readonly Block[];
  /** Absent: the answer has no end. */
  readonly stop: string | null | undefined;
  readonly counts: Counts;
}

type Block =
  | { type: "text"; text: string }
  | { type: "thinking"; thinking: string; signature: string }
  | { type: "redacted_thinking"; data: string }
  | { type: "tool_use"; id: string; name: string; json: string };

/** Of tokens, as far as they are numbers. */
type Counts = Readonly<Record<string, unknown>>;

/** `begun` is called when the answer itself begins. */
export async function readStream(
  stream: AsyncIterable<RawMessageStreamEvent>,
  begun: () => void,
  tell: Tell,
): Promise<AnthropicAnswer> {
  const blocks = new Map<number, Block>();
  let counts: Counts = {};
  let stop: string | null | undefined;
  for await (const event of stream) {
    if (event.type === "message_start") counts = { ...event.message?.usage };
    else if (event.type === "content_block_start") {
      begun();
      const block = begin(event.content_block, tell);
      if (block) blocks.set(event.index, block);
    } else if (event.type === "content_block_delta") extend(blocks.get(event.index), event.delta, tell);
    else if (event.type === "message_delta") {
      stop = event.delta?.stop_reason ?? stop;
      // Cumulative; what is null here stands as it was at the start.
      const newer = Object.entries(event.usage ?? {}).filter(([, count]) => count !== null);
      counts = { ...counts, ...Object.fromEntries(newer) };
    }
  }
  return { blocks: [...blocks.values()], stop, counts };
}

export function readMessage(message: Partial<Message>, tell: Tell): AnthropicAnswer {
  const blocks = (message.content ?? []).flatMap((content) => begin(content, tell) ?? []);
  return { blocks, stop: message.stop_reason, counts: { ...message.usage } };
}

function begin(content: Message["content"][number], tell: Tell): Block | undefined {
  if (content.type === "text") {
    tell({ kind: "text", text: content.text });
    return { type: "text", text: content.text };
  }
  if (content.type === "thinking") {
    tell({ kind: "thoughts", text: content.thinking });
    return { type: "thinking", thinking: content.thinking, signature: content.signature ?? "" };
  }
  if (content.type === "redacted_thinking") return { type: "redacted_thinking", data: content.data };
  if (content.type !== "tool_use") return undefined;
  tell({ kind: "call", id: content.id, name: content.name });
  const input = JSON.stringify(content.input ?? {});
  return { type: "tool_use", id: content.id, name: content.name, json: input === "{}" ? "" : input };
}

function extend(block: Block | undefined, delta: RawContentBlockDelta, tell: Tell): void {
  if (block?.type === "text" && delta.type === "text_delta") {
    block.text += delta.text;
    tell({ kind: "text", text: delta.text });
  } else if (block?.type === "thinking" && delta.type === "thinking_delta") {
    block.thinking += delta.thinking;
    tell({ kind: "thoughts", text: delta.thinking });
  } else if (block?.type === "thinking" && delta.type === "signature_delta")
    block.signature += delta.signature;
  else if (block?.type === "tool_use" && delta.type === "input_json_delta") block.json += delta.partial_json;
}

/** The completion that an answer with an end comes to. */
export function toCompletion(answer: AnthropicAnswer, toolset: Toolset): Completion {
  const { blocks, stop, counts } = answer;
  const cut = stop === "max_tokens" ? blocks.at(-1) : undefined;
  const calls: RawCall[] = [];
  let text = "";
  let thoughts = "";
  for (const block of blocks) {
    if (block.type === "text") text += block.text;
    else if (block.type === "thinking") thoughts += `${thoughts && "\n\n"}${block.thinking}`;
    else if (block.type === "tool_use") {
      // Of a call that was cut off at its first parameter nothing may be made up.
      const json = block.json || (block === cut ? "" : "{}");
      calls.push({ id: block.id, name: toolset.nameOf(block.name), arguments: json });
    }
  }
  return {
    text,
    thoughts: thoughts.trim() === "" ? undefined : thoughts,
    calls,
    usage: toUsage(counts),
    stop: toStop(stop, calls),
    // Half a thought has no signature, and is not taken back.
    provider: partOf(cut?.type === "thinking" ? blocks.slice(0, -1) : blocks),
  };
}

/** Only what the turn itself does not hold; nothing without thinking. */
function partOf(blocks: readonly Block[]): AnthropicPart | undefined {
  if (!blocks.some(({ type }) => type === "thinking" || type === "redacted_thinking")) return undefined;
  return {
    content: blocks.map((block) => {
      if (block.type === "text") return { type: "text", length: block.text.length };
      return block.type === "tool_use" ? { type: "tool_use" } : block;
    }),
  };
}

function toStop(stop: string | null | undefined, calls: readonly RawCall[]): Stop {
  if (stop === "max_tokens") return "length";
  if (stop === "refusal") return "refused";
  return calls.length > 0 ? "calls" : "end";
}

function toUsage(counts: Counts): Usage {
  const of = (name: string): number => {
    const count = counts[name];
    return typeof count === "number" ? count : 0;
  };
  const [cacheRead, cacheWrite] = [of("cache_read_input_tokens"), of("cache_creation_input_tokens")];
  return {
    input: of("input_tokens") + cacheRead + cacheWrite,
    output: of("output_tokens"),
    cacheRead: cacheRead || undefined,
    cacheWrite: cacheWrite || undefined,
  };
}

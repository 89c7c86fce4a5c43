// What models answer, in the formats of both providers, streamed and whole.

import { anthropicFormat, block, end, textBlock } from "../model/anthropic/anthropic-format.ts";
import { anthropicEvents, json, openAiChunks, type Reply } from "../model/loopback.ts";
import { openAiFormat, piece } from "../model/openai/openai-format.ts";
import type { Format } from "../model/provider-contract.ts";

export interface Answer {
  readonly thoughts?: string;
  readonly text?: string;
  readonly calls?: readonly AnswerCall[];
  readonly tokens?: AnswerTokens;
  /** The provider's filter stopped it. */
  readonly refused?: true;
}

export interface AnswerCall {
  readonly id: string;
  readonly action: string;
  /** Whole, or as the text of broken JSON. */
  readonly parameters: Readonly<Record<string, unknown>> | string;
}

/** As the runtime counts: `input` includes what the cache holds. */
export interface AnswerTokens {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
}

/** One provider, asked for streams or for whole answers. */
export interface Wire {
  readonly title: string;
  readonly format: Format;
  readonly stream: "on" | "off";
  answer(answer: Answer): Reply;
}

const TOKENS: AnswerTokens = { input: 10, output: 4 };

function anthropicUsage({ input, output, cacheRead = 0, cacheWrite = 0 }: AnswerTokens) {
  return {
    input_tokens: input - cacheRead - cacheWrite,
    cache_read_input_tokens: cacheRead,
    cache_creation_input_tokens: cacheWrite,
    output_tokens: output,
  };
}

function anthropicStop({ calls = [], refused }: Answer): string {
  if (refused) return "refusal";
  return calls.length > 0 ? "tool_use" : "end_turn";
}

function streamAnthropic(answer: Answer): Reply {
  const { thoughts, text, calls = [], tokens = TOKENS } = answer;
  const { output_tokens, ...atStart } = anthropicUsage(tokens);
  const thinking = [
    { type: "thinking_delta", thinking: thoughts },
    { type: "signature_delta", signature: "signed" },
  ];
  const blocks = [
    ...(thoughts ? block(0, { type: "thinking", thinking: "", signature: "" }, ...thinking) : []),
    ...(text ? textBlock(1, text) : []),
    ...calls.flatMap(({ id, action, parameters }, index) => {
      const begun = { type: "tool_use", id, name: action, input: {} };
      const partial_json = typeof parameters === "string" ? parameters : JSON.stringify(parameters);
      return block(2 + index, begun, { type: "input_json_delta", partial_json });
    }),
  ];
  const start = { type: "message_start", message: { usage: { ...atStart, output_tokens: 1 } } };
  return anthropicEvents([start, ...blocks, ...end(anthropicStop(answer), { output_tokens })]);
}

function wholeAnthropic(answer: Answer): Reply {
  const { thoughts, text, calls = [], tokens = TOKENS } = answer;
  const content = [
    ...(thoughts ? [{ type: "thinking", thinking: thoughts, signature: "signed" }] : []),
    ...(text ? [{ type: "text", text }] : []),
    ...calls.map(({ id, action, parameters }) => ({ type: "tool_use", id, name: action, input: parameters })),
  ];
  return json(200, { content, stop_reason: anthropicStop(answer), usage: anthropicUsage(tokens) });
}

function openAiUsage({ input, output, cacheRead, cacheWrite }: AnswerTokens) {
  const prompt_tokens_details = { cached_tokens: cacheRead, cache_write_tokens: cacheWrite };
  return { prompt_tokens: input, completion_tokens: output, prompt_tokens_details };
}

function openAiCalls(calls: readonly AnswerCall[]) {
  return calls.map(({ id, action, parameters }, index) => ({
    index,
    id,
    type: "function",
    function: {
      name: action,
      arguments: typeof parameters === "string" ? parameters : JSON.stringify(parameters),
    },
  }));
}

function openAiStop({ calls = [], refused }: Answer): string {
  if (refused) return "content_filter";
  return calls.length > 0 ? "tool_calls" : "stop";
}

function streamOpenAi(answer: Answer): Reply {
  const { thoughts, text, calls = [], tokens = TOKENS } = answer;
  return openAiChunks([
    piece({ role: "assistant", content: "" }),
    ...(thoughts ? [piece({ reasoning_content: thoughts })] : []),
    ...(text ? [piece({ content: text.slice(0, 3) }), piece({ content: text.slice(3) })] : []),
    ...openAiCalls(calls).map((call) => piece({ tool_calls: [call] })),
    piece({}, openAiStop(answer)),
    { choices: [], usage: openAiUsage(tokens) },
  ]);
}

function wholeOpenAi(answer: Answer): Reply {
  const { thoughts, text, calls = [], tokens = TOKENS } = answer;
  const message = {
    role: "assistant",
    content: text ?? null,
    reasoning_content: thoughts,
    tool_calls: openAiCalls(calls),
  };
  return json(200, {
    choices: [{ index: 0, message, finish_reason: openAiStop(answer) }],
    usage: openAiUsage(tokens),
  });
}

export const WIRES: readonly Wire[] = [
  { title: "Anthropic, streamed", format: anthropicFormat, stream: "on", answer: streamAnthropic },
  { title: "Anthropic, whole", format: anthropicFormat, stream: "off", answer: wholeAnthropic },
  { title: "OpenAI, streamed", format: openAiFormat, stream: "on", answer: streamOpenAi },
  { title: "OpenAI, whole", format: openAiFormat, stream: "off", answer: wholeOpenAi },
];
export const STREAMS = WIRES.filter(({ stream }) => stream === "on");

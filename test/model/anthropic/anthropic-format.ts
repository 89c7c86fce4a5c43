// Answers of Anthropic's Messages API, made of the events that tests name.

import { createAnthropicModel, type AnthropicOptions } from "../../../src/model/anthropic/anthropic.ts";
import type { Completion, Delta, Model, ModelRequest } from "../../../src/domain/model.ts";
import { anthropicEvents, json, useLoopback, type Ending, type Reply } from "../loopback.ts";
import { ASK, KEY, NO_ABORT, PROFILE, type Format } from "../provider-contract.ts";

export const USAGE = {
  input_tokens: 10,
  cache_read_input_tokens: null,
  cache_creation_input_tokens: null,
  output_tokens: 4,
};
export const START = { type: "message_start", message: { role: "assistant", content: [], usage: USAGE } };

/** The events of one block that comes in these pieces. */
export function block(index: number, content: object, ...deltas: object[]): { type: string }[] {
  return [
    { type: "content_block_start", index, content_block: content } as { type: string },
    ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index } as { type: string },
  ];
}

export function end(stop: string, usage: object = { output_tokens: 4 }): { type: string }[] {
  return [
    { type: "message_delta", delta: { stop_reason: stop }, usage } as { type: string },
    { type: "message_stop" },
  ];
}

export function textBlock(index: number, text: string): { type: string }[] {
  const middle = Math.floor(text.length / 2);
  const pieces = [text.slice(0, middle), text.slice(middle)].map((part) => ({
    type: "text_delta",
    text: part,
  }));
  return block(index, { type: "text", text: "" }, ...pieces);
}

export function say(text: string): Reply {
  return anthropicEvents([START, ...textBlock(0, text), ...end("end_turn")]);
}

export const anthropicFormat: Format = {
  name: "anthropic",
  keyVariable: "ANTHROPIC_API_KEY",
  create: createAnthropicModel,
  baseUrl: (url) => url,
  say,
  stream: (text: string, ending: Ending) =>
    anthropicEvents([START, ...textBlock(0, text).slice(0, -1)], ending),
  whole: (text) => json(200, { content: [{ type: "text", text }], stop_reason: "end_turn", usage: USAGE }),
  failing: (type, message) =>
    anthropicEvents([START, { type: "error", error: { type, message } } as { type: string }]),
};

export interface AnthropicBody {
  readonly messages: { role: string; content: Record<string, unknown>[] }[];
  readonly [key: string]: unknown;
}

/** A model that speaks to a server on loopback. */
export function useAnthropic() {
  const loopback = useLoopback();
  const model = (options: Partial<AnthropicOptions> = {}): Model =>
    createAnthropicModel({
      id: "test-1",
      profile: PROFILE,
      apiKey: KEY,
      baseUrl: loopback.server.url,
      ...options,
    });
  const lastBody = (): AnthropicBody => JSON.parse(loopback.server.requests.at(-1)!.body) as AnthropicBody;
  return {
    loopback,
    model,
    lastBody,
    /** What these events come to. */
    async answer(
      events: readonly { type: string }[],
      request: ModelRequest = ASK,
    ): Promise<{ completion: Completion; deltas: Delta[] }> {
      loopback.server.reply(anthropicEvents([START, ...events]));
      const deltas: Delta[] = [];
      const onDelta = (delta: Delta): void => void deltas.push(delta);
      return { completion: await model().complete(request, { signal: NO_ABORT, onDelta }), deltas };
    },
    /** What a request comes to on the wire. */
    async sent(request: Partial<ModelRequest>, options?: Partial<AnthropicOptions>): Promise<AnthropicBody> {
      loopback.server.reply(say("ok"));
      await model(options).complete({ ...ASK, ...request }, { signal: NO_ABORT });
      return lastBody();
    },
  };
}

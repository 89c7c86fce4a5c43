// Answers of chat completions, made of the chunks that tests name.

import type { Completion, Delta, Model, ModelRequest } from "../../../src/domain/model.ts";
import { createOpenAiModel, type OpenAiOptions } from "../../../src/model/openai/openai.ts";
import { events, json, openAiChunks, useLoopback, type Ending, type Reply } from "../loopback.ts";
import { ASK, KEY, NO_ABORT, PROFILE, type Format } from "../provider-contract.ts";

export const USAGE = { prompt_tokens: 10, completion_tokens: 4, total_tokens: 14 };

export function piece(delta: unknown, finish: string | null = null): unknown {
  return { id: "c", object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: finish }] };
}

function stream(text: string, ending: Ending): Reply {
  const middle = Math.floor(text.length / 2);
  return openAiChunks(
    [
      piece({ role: "assistant", content: "" }),
      ...[text.slice(0, middle), text.slice(middle)].map((content) => piece({ content })),
    ],
    ending,
  );
}

export function say(text: string): Reply {
  return openAiChunks([piece({ content: text.slice(0, 2) }), piece({ content: text.slice(2) }), ...END]);
}

export const END = [piece({}, "stop"), { choices: [], usage: USAGE }];

export const openAiFormat: Format = {
  name: "openai",
  keyVariable: "OPENAI_API_KEY",
  create: createOpenAiModel,
  baseUrl: (url) => `${url}/v1`,
  say,
  stream,
  whole: (text) =>
    json(200, {
      choices: [{ index: 0, message: { role: "assistant", content: text }, finish_reason: "stop" }],
      usage: USAGE,
    }),
  failing: (type, message) => events([`data: ${JSON.stringify({ error: { type, message } })}`]),
};

export interface OpenAiBody {
  readonly messages: unknown[];
  readonly tools: { function: { name: string } }[];
  readonly [key: string]: unknown;
}

/** A model that speaks to a server on loopback. */
export function useOpenAi() {
  const loopback = useLoopback();
  const model = (options: Partial<OpenAiOptions> = {}): Model => {
    const baseUrl = `${loopback.server.url}/v1`;
    return createOpenAiModel({ id: "test-1", profile: PROFILE, apiKey: KEY, baseUrl, ...options });
  };
  return {
    loopback,
    model,
    /** OpenAI's own address, led to the server on loopback. */
    own: {
      baseUrl: undefined,
      fetch: (_, init) => fetch(`${loopback.server.url}/v1/chat/completions`, init),
    } satisfies Partial<OpenAiOptions> as Partial<OpenAiOptions>,
    /** What these chunks come to. */
    async answer(
      chunks: readonly unknown[],
      request: ModelRequest = ASK,
    ): Promise<{ completion: Completion; deltas: Delta[] }> {
      loopback.server.reply(openAiChunks(chunks));
      const deltas: Delta[] = [];
      const onDelta = (delta: Delta): void => void deltas.push(delta);
      return { completion: await model().complete(request, { signal: NO_ABORT, onDelta }), deltas };
    },
    /** What a request comes to on the wire. */
    async sent(request: Partial<ModelRequest>, options?: Partial<OpenAiOptions>): Promise<OpenAiBody> {
      loopback.server.reply(say("ok"));
      await model(options).complete({ ...ASK, ...request }, { signal: NO_ABORT });
      return JSON.parse(loopback.server.requests.at(-1)!.body) as OpenAiBody;
    },
  };
}

import type { ChatCompletion, ChatCompletionChunk } from "openai/resources/chat/completions";
import type { Stream } from "openai/streaming";
import { foreignHost } from "./base-url.ts";
import { createToolsets, jsonObject, toJson } from "./body.ts";
import { brokenAnswer, type Provider } from "./failure.ts";
import type { Model, ModelRequest } from "./model.ts";
import { readChunks, readWhole, toCompletion, type OpenAiAnswer } from "./openai-answer.ts";
import { createOpenAiHistory } from "./openai-history.ts";
import { NO_TIMEOUT_MS, dial, labelOf, tellTo, type Line, type ProviderOptions, type Tell } from "./wire.ts";

export interface OpenAiOptions extends ProviderOptions {
  /** `none`: OpenAI lets this model call tools over chat completions only if it does not reason. */
  readonly effortWithTools?: "none";
}

const BASE_URL = "https://api.openai.com/v1";
const toolsets = createToolsets(({ description, parameters }, name) => ({
  type: "function",
  function: { name, description, parameters },
}));

/** A model of OpenAI or of any server that speaks chat completions. Loads the SDK at its first completion. */
export function createOpenAiModel(options: OpenAiOptions): Model {
  const provider: Provider = {
    label: labelOf("OpenAI", options.baseUrl),
    model: `openai/${options.id}`,
    keyVariable: "OPENAI_API_KEY",
    apiKey: options.apiKey,
  };
  const host = foreignHost("openai", options.baseUrl);
  const own = host === undefined;
  const history = createOpenAiHistory(own ? "free" : "alternate");

  const write = (request: ModelRequest): string => {
    const { tools, maxOutput } = request;
    const streams = options.stream !== "off";
    return jsonObject({
      model: toJson(options.id),
      [own ? "max_completion_tokens" : "max_tokens"]: toJson(maxOutput),
      reasoning_effort:
        own && tools.length > 0 && options.effortWithTools ? toJson(options.effortWithTools) : undefined,
      stream: streams ? "true" : undefined,
      stream_options: streams ? toJson({ include_usage: true }) : undefined,
      tools: tools.length > 0 ? toolsets(tools).json : undefined,
      messages: history(request),
    });
  };
  return {
    name: provider.model,
    provider: "openai",
    ...(host !== undefined && { host }),
    profile: options.profile,
    async complete(request, run) {
      const toolset = toolsets(request.tools);
      const body = write(request);
      const answer = await dial(provider, options, run, async (line) => {
        const read = await exchange(body, options, line, tellTo(run, toolset));
        if (!read.stop) throw brokenAnswer(provider, cutShort(read));
        return read;
      });
      return toCompletion(answer, toolset, body);
    },
  };
}

function cutShort({ text, thoughts, calls }: OpenAiAnswer): string {
  return text || thoughts || calls.length > 0
    ? "ended its answer in the middle"
    : "sent no answer; if this server cannot stream, set providers.openai.stream to off";
}

async function exchange(body: string, options: OpenAiOptions, line: Line, tell: Tell): Promise<OpenAiAnswer> {
  const { OpenAI } = await import("openai");
  const client = new OpenAI({
    // The SDK insists on a key; servers without keys ignore it.
    apiKey: options.apiKey || "none",
    baseURL: options.baseUrl ?? BASE_URL,
    maxRetries: 0,
    timeout: NO_TIMEOUT_MS,
    logLevel: "off",
    fetch: line.fetch,
  });
  const request = { body, headers: { "content-type": "application/json" }, signal: line.signal };
  const path = "/chat/completions";
  if (options.stream === "off") return readWhole(await client.post<ChatCompletion>(path, request), tell);
  const stream = client.post<Stream<ChatCompletionChunk>>(path, { ...request, stream: true });
  return readChunks(await stream, line.begun, tell);
}

// What a server that speaks chat completions says of itself: which models it has. Nothing it says is trusted.

import { codeOf, LegionError, messageOf } from "../../base/errors.ts";
import { fieldsOf, readJson } from "../../base/text/json.ts";

/** A server that is not the provider's own. */
export interface CompatibleServer {
  readonly baseUrl: string;
  /** Empty where none is set. */
  readonly apiKey: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Listing {
  /** Ids of the models that chat, in the server's order, each once; may be empty. */
  readonly models: readonly string[];
}

export interface ListOptions {
  /** How long the whole answer may take. Default 5,000. */
  readonly timeoutMs?: number;
  readonly fetch?: typeof fetch;
}

export type ListModels = (server: CompatibleServer, options?: ListOptions) => Promise<Listing>;

const TIMEOUT_MS = 5_000;
/** Far above what routers with thousands of models send. */
const MAX_BYTES = 16_777_216;
const MAX_ID = 200;

/**
 * Asks `server` for its models. Rejects with NETWORK, in one line that says what to do, if nobody answers in time or what
 * is answered is no list.
 */
export const listModels: ListModels = async ({ baseUrl, apiKey, headers }, options = {}) => {
  const { timeoutMs = TIMEOUT_MS } = options;
  const url = `${baseUrl.replace(/\/+$/, "")}/models`;
  const refuse = (what: string): never => {
    throw new LegionError("NETWORK", what);
  };
  const signal = AbortSignal.timeout(timeoutMs);
  const nobody = (error: unknown): never =>
    refuse(
      `nobody answers at ${baseUrl} (${reasonOf(error, timeoutMs)}): start the server, or check the URL`,
    );
  const response = await (options.fetch ?? fetch)(url, {
    signal,
    redirect: "manual",
    headers: { accept: "application/json", ...(apiKey && { authorization: `Bearer ${apiKey}` }), ...headers },
  }).catch(nobody);
  const body = await readText(response).catch(nobody);
  if (response.status === 401 || response.status === 403)
    return refuse(`${baseUrl} wants a key (${response.status}): set OPENAI_API_KEY`);
  const models = response.ok ? idsIn(body) : undefined;
  const advice = /\/v\d+\/*$/.test(baseUrl) ? "" : "; most base URLs end in /v1";
  return models
    ? { models }
    : refuse(`${baseUrl} does not list its models (${response.status})${advice}; name one: openai/<id>`);
};

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BYTES) throw new Error(`more than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** `undefined`: it is no list of models. */
function idsIn(body: string): readonly string[] | undefined {
  const { data: list } = fieldsOf(readJson(body));
  // Ollama without any model.
  if (list === null) return [];
  if (!Array.isArray(list)) return undefined;
  const ids = list.map((model) => fieldsOf(model)["id"]);
  return [...new Set(ids.filter(isChatModel))];
}

/** Models that only embed, transcribe or rank stand in the same list. */
function isChatModel(id: unknown): id is string {
  if (typeof id !== "string" || id.length > MAX_ID || !/^[\x21-\x7e]+$/.test(id)) return false;
  return !/embed|whisper|rerank|(^|[/_-])(bge|tts)-/i.test(id);
}

function reasonOf(error: unknown, timeoutMs: number): string {
  if (error instanceof Error && error.name === "TimeoutError")
    return `no answer within ${timeoutMs / 1_000} s`;
  const cause: unknown = error instanceof Error ? (error.cause ?? error) : error;
  return codeOf(cause) || messageOf(cause).replace(/\s+/g, " ").slice(0, MAX_ID);
}

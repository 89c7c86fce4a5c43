// What a provider's error means: wait, shorten the prompt, or tell the person. Both SDKs shape their errors alike, so
// they are read by their fields, and no SDK has to be loaded for it.

import { LegionError, messageOf, type Refusal } from "../../base/errors.ts";

/** Whom an error text speaks about. */
export interface Provider {
  /** As people know it: `Anthropic`, `OpenAI`, or the host of a compatible server. */
  readonly label: string;
  /** `provider/id` of the model. */
  readonly model: string;
  /** The environment variable that holds the key. */
  readonly keyVariable: string;
  readonly apiKey: string;
}

interface ApiError {
  /** As its answer began, or as what it said within a stream would have had. */
  readonly status: number | undefined;
  readonly refused: Refusal | undefined;
  /** The provider's own names of the error, and what it said. */
  readonly codes: string;
  readonly said: string;
  readonly retryAfterMs: number | undefined;
}

/**
 * The LegionError for whatever a call to a provider threw: MODEL_BUSY, MODEL_REFUSED or CONTEXT_OVERFLOW, never with
 * the key in it. `retryAfterMs` is set when the provider limits or is overloaded, 0 if it did not say for how long, and
 * absent when something broke; `refused` is set when it is sure that nothing was served. What no provider and no network
 * can throw is returned as it is.
 */
export function explainFailure(error: unknown, provider: Provider): unknown {
  if (error instanceof LegionError || !(error instanceof Error)) return error;
  if (error instanceof SyntaxError) return brokenAnswer(provider, "sent an answer that is not JSON");
  const network = networkCode(error);
  if ("status" in error) {
    const api = readApiError(error);
    const reached = api.status !== undefined || api.codes !== "";
    return reached || !network ? explainApiError(api, provider) : unreachable(provider, network, error);
  }
  if (network) return unreachable(provider, network, error);
  if (error.name === "AnthropicError")
    return brokenAnswer(provider, `failed: ${tidy(error.message, provider)}`);
  const holdsKey = provider.apiKey !== "" && error.message.includes(provider.apiKey);
  return holdsKey ? new LegionError("MODEL_REFUSED", tidy(error.message, provider)) : error;
}

/** `what` the provider did that was no answer; worth another try. */
export function brokenAnswer({ label }: Provider, what: string, refused?: Refusal): LegionError {
  return new LegionError("MODEL_BUSY", `${label} ${what}.`, { refused });
}

export function contextOverflow(provider: Provider, said: string, refused?: Refusal): LegionError {
  return new LegionError(
    "CONTEXT_OVERFLOW",
    `The prompt is longer than the window of ${provider.model}. ${said}`.trim(),
    { refused },
  );
}

function explainApiError(api: ApiError, provider: Provider): LegionError {
  const { status, refused } = api;
  const said = tidy(api.said, provider);
  if (isOverflow(api)) return contextOverflow(provider, said, refused);
  const answered = `${provider.label} answered ${status ?? "with an error"}${said && `: ${said}`}`;
  const isBusy = status === undefined || [408, 409, 425, 429].includes(status) || status >= 500;
  if (isBusy && !saysNoTools(api) && !/insufficient_quota|billing/.test(api.codes)) {
    const limits = status === 429 || status === 503 || status === 529;
    const wish = limits ? { retryAfterMs: api.retryAfterMs ?? 0 } : {};
    return new LegionError("MODEL_BUSY", answered, { ...wish, refused });
  }
  return new LegionError(
    "MODEL_REFUSED",
    `${answered.replace(/[.\s]*$/, "")}. ${advice(api, provider)}`.trim(),
    { refused },
  );
}

/** How Ollama, vLLM, llama.cpp, OpenRouter and others say that a model calls no tools, or not as they run it. */
const NO_TOOLS = [
  /(?:does not|doesn't|do not|cannot|can't) (?:support|use|call) (?:tool|function)/i,
  /(?:tools?|tool use|tool calling|function calling) (?:is|are) not (?:supported|available|enabled)/i,
  /support tool use/i,
  /tools param requires --jinja/i,
  /tool choice requires --enable-auto-tool-choice/i,
];

/** Did a server refuse a request because of the tools in it? */
export function refusesTools(error: unknown): boolean {
  return error instanceof Error && "status" in error && saysNoTools(readApiError(error));
}

function saysNoTools({ said }: ApiError): boolean {
  return NO_TOOLS.some((sign) => sign.test(said.slice(0, 4_000)));
}

const NO_STREAM: ReadonlySet<number> = new Set([400, 404, 405, 406, 415, 422, 501]);

/** Did a server refuse a request because its answer was to be streamed? */
export function refusesStream(error: unknown): boolean {
  if (!(error instanceof Error) || !("status" in error)) return false;
  const { status, said } = readApiError(error);
  return status !== undefined && NO_STREAM.has(status) && /\bstream/i.test(said.slice(0, 4_000));
}

function advice(api: ApiError, { keyVariable, label, model }: Provider): string {
  const { status, codes } = api;
  if (saysNoTools(api)) return "Agents that write their actions as text need `protocol: auto` or `text`.";
  if (status === 401) return `Check ${keyVariable}.`;
  if (status !== undefined && status >= 300 && status < 400)
    return "It sends requests on, and a key follows no redirect: give the base URL to which they lead.";
  if (status === 402 || /insufficient_quota|billing/.test(codes))
    return `Check the credit of the account at ${label}.`;
  if (status === 403)
    return `The key in ${keyVariable} may not use ${model}; choose another model with --model.`;
  if (status === 404 || codes.includes("model_not_found"))
    return `${label} does not serve ${model}; choose another model with --model or LEGION_MODEL.`;
  return "";
}

function unreachable(provider: Provider, code: string, error: Error): LegionError {
  const refused = hasNotConnected(error, code) ? {} : undefined;
  return brokenAnswer(provider, `cannot be reached, or hung up (${code})`, refused);
}

const NO_CONNECTION =
  /^(ECONNREFUSED|ENOTFOUND|EAI_\w+|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT)$|CERT|WRONG_VERSION/;

/** Is it sure that no request was sent? What broke later may have been served. */
function hasNotConnected(error: Error, code: string): boolean {
  const isConnecting = (cause: unknown): boolean =>
    field(cause, "syscall") === "connect" || Array.isArray(field(cause, "errors"));
  return (
    code === BAD_PORT ||
    NO_CONNECTION.test(code) ||
    (code === "ETIMEDOUT" && causesOf(error).some(isConnecting))
  );
}

/** `error` and what caused it, as far as that matters. */
function causesOf(error: Error): readonly unknown[] {
  const causes: unknown[] = [];
  for (let cause: unknown = error; cause !== undefined && causes.length < 5; cause = field(cause, "cause"))
    causes.push(cause);
  return causes;
}

function readApiError(error: Error): ApiError {
  const body = field(error, "error");
  const inner = field(body, "error") ?? body;
  const code = field(inner, "code") ?? field(error, "code");
  const type = field(inner, "type") ?? field(error, "type");
  const answered = field(error, "status");
  const status = answered ?? (typeof code === "number" ? code : STATUS_OF.get(String(type ?? code)));
  const text = typeof inner === "string" ? inner : field(inner, "message");
  return {
    status: typeof status === "number" ? status : undefined,
    refused: typeof answered === "number" && isRefusal(answered) ? { status: answered } : undefined,
    codes: [code, type].filter((name) => typeof name === "string").join(" "),
    said: typeof text === "string" ? text : messageOf(error).replace(/^\d{3} /, ""),
    retryAfterMs: readRetryAfter(field(error, "headers")),
  };
}

/** Does a server that answers so say that it has not begun? A 500 or 504 may come in the middle of the work. */
function isRefusal(status: number): boolean {
  return (status >= 400 && status < 500) || status === 503 || status === 529;
}

/** What an error within a stream, which has no status of its own, would have had as one. */
const STATUS_OF: ReadonlyMap<string, number> = new Map([
  ["invalid_request_error", 400],
  ["authentication_error", 401],
  ["billing_error", 402],
  ["insufficient_quota", 402],
  ["permission_error", 403],
  ["not_found_error", 404],
  ["request_too_large", 413],
  ["rate_limit_error", 429],
  ["rate_limit_exceeded", 429],
  ["api_error", 500],
  ["server_error", 500],
  ["timeout_error", 504],
  ["overloaded_error", 529],
]);

/** How Anthropic, OpenAI, vLLM, llama.cpp, Ollama, LM Studio and others say that the prompt is too long. */
const OVERFLOW = [
  "context_length_exceeded",
  "exceed_context_size",
  "maximum context length",
  "maximum model length",
  "maximum prompt length",
  "prompt is too long",
  "input is too long",
  "exceed context",
  "exceeds context",
  "exceeds the context",
  "than the context length",
  "context size",
  "context window",
  "context the overflows",
  "input token count",
];

function isOverflow({ status, codes, said }: ApiError): boolean {
  if (status !== undefined && [401, 402, 403, 404, 429].includes(status)) return false;
  const text = `${codes} ${said.slice(0, 4_000)}`.toLowerCase();
  return OVERFLOW.some((sign) => text.includes(sign));
}

/** Milliseconds of `retry-after-ms` or `retry-after` (seconds or a date). */
function readRetryAfter(headers: unknown): number | undefined {
  if (!(headers instanceof Headers)) return undefined;
  const ms = Number.parseFloat(headers.get("retry-after-ms") ?? "");
  if (ms >= 0) return ms;
  const after = headers.get("retry-after");
  if (after === null) return undefined;
  const seconds = Number(after);
  const waitMs = Number.isNaN(seconds) ? Date.parse(after) - Date.now() : seconds * 1_000;
  return Number.isNaN(waitMs) ? undefined : Math.max(0, waitMs);
}

const BAD_PORT = "bad port";

/** The code of the network error at the bottom, such as `ECONNREFUSED`; `undefined` if it is none. */
function networkCode(error: Error): string | undefined {
  const causes = causesOf(error);
  // Of those that `fetch` never opens, which has no code.
  if (causes.some((cause) => field(cause, "message") === BAD_PORT)) return BAD_PORT;
  const codes = causes.map((cause) => field(cause, "code"));
  const code = codes.find((name) => typeof name === "string" && /^[A-Z_]+$/.test(name));
  if (typeof code === "string") return code;
  return error.message === "terminated" || error.constructor.name.startsWith("APIConnection")
    ? "no answer"
    : undefined;
}

/** One short line without the key. Providers quote keys, whole or with stars in the middle. */
function tidy(text: string, { apiKey }: Provider): string {
  if (text.trimStart().startsWith("<")) return "";
  const line = text.slice(0, 4_000).replace(/\s+/g, " ").trim();
  const hidden = apiKey.length >= 8 ? line.replaceAll(apiKey, "[key]") : line;
  return hidden.replace(/\bsk-[\w*.-]+/g, "[key]").slice(0, 400);
}

function field(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null
    ? (value as Readonly<Record<string, unknown>>)[key]
    : undefined;
}

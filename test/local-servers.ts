// Ollama and LM Studio as far as a client can tell: real HTTP servers with their lists of models, their streams and their
// refusals. What a model says is up to the test, and is the same whether it is asked with tools or in text.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export interface Act {
  readonly action: string;
  readonly parameters?: Readonly<Record<string, string | undefined>>;
}

/** What a model makes of a prompt: an action, or plain words. */
export type Mind = (prompt: string) => Act | string;

export interface LocalModel {
  readonly id: string;
  /** Default `tools`. */
  readonly can?: "tools" | "text" | "embed";
}

export interface ServerOptions {
  readonly mind?: Mind;
  /** No chat is answered before. */
  readonly begun?: Promise<void>;
  /** `refuses`: an error to `stream: true`; `ignores`: the whole answer as JSON. Default `streams`. */
  readonly streaming?: "streams" | "refuses" | "ignores";
}

export interface LocalServer {
  /** With `/v1`. */
  readonly baseUrl: string;
  /** The host as people are shown it. */
  readonly host: string;
  /** The bodies of all chats that were asked for. */
  readonly chats: readonly ChatBody[];
  /** Method and path of every request. */
  readonly requests: readonly string[];
  close(): Promise<void>;
}

export interface ChatBody {
  readonly model: string;
  readonly stream?: boolean;
  readonly stream_options?: unknown;
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
  readonly messages: readonly ChatMessage[];
}

interface ChatMessage {
  readonly role: string;
  readonly content?: unknown;
  readonly tool_calls?: readonly { readonly function: { readonly arguments: string } }[];
}

interface Kind {
  list(models: readonly LocalModel[]): unknown;
  /** A path that it does not know. */
  lost(path: string, response: ServerResponse): void;
  /** Answers with an error; `undefined`: the model can be asked. */
  objection(model: LocalModel | undefined, body: ChatBody): Objection | undefined;
  chunks(answer: Answer): readonly unknown[];
  readonly base: Readonly<Record<string, unknown>>;
}

interface Objection {
  readonly status: number;
  readonly message: string;
  readonly type: string;
  readonly code?: string;
  readonly param?: string;
}

interface Answer {
  readonly text: string;
  readonly call?: { readonly name: string; readonly json: string };
}

const USAGE = { prompt_tokens: 900, completion_tokens: 30, total_tokens: 930 };

const OLLAMA: Kind = {
  list: (models) => ({
    object: "list",
    // Without any model it says null.
    data:
      models.length === 0
        ? null
        : models.map(({ id }) => ({ id, object: "model", created: 1_763_000_000, owned_by: "library" })),
  }),
  lost: (_, response) =>
    void response.writeHead(404, { "content-type": "text/plain" }).end("404 page not found"),
  objection(model, { model: asked, tools = [] }) {
    if (!model) return { status: 404, message: `model '${asked}' not found`, type: "not_found_error" };
    if (model.can === "tools" || model.can === undefined || tools.length === 0) return undefined;
    const message = `registry.ollama.ai/library/${model.id} does not support tools`;
    return { status: 400, message, type: "invalid_request_error" };
  },
  base: { system_fingerprint: "fp_ollama" },
  // Every piece has the role, a call comes whole, and `content` is there beside it.
  chunks({ text, call }) {
    const role = "assistant";
    if (call) {
      const made = { id: `call_${call.name}1`, index: 0, type: "function", function: toFunction(call) };
      return [piece({ role, content: "", tool_calls: [made] }), piece({ role, content: "" }, "tool_calls")];
    }
    return [...pieces(text).map((content) => piece({ role, content })), piece({ role, content: "" }, "stop")];
  },
};

const LM_STUDIO: Kind = {
  list: (models) => ({
    data: models.map(({ id }) => ({ id, object: "model", owned_by: "organization_owner" })),
    object: "list",
  }),
  lost(path, response) {
    const error = `Unexpected endpoint or method. (GET ${path}). Returning 200 anyway`;
    response
      .writeHead(200, { "content-type": "application/json; charset=utf-8" })
      .end(JSON.stringify({ error }));
  },
  objection(model, { model: asked }) {
    if (model) return undefined;
    const message = `Invalid model identifier "${asked}". Please specify a valid downloaded model.`;
    return { status: 400, message, type: "invalid_request_error", param: "model", code: "model_not_found" };
  },
  base: { system_fingerprint: "qwen/qwen3-8b" },
  // The role comes once, a call's arguments come in pieces, and its id is a number.
  chunks({ text, call }) {
    if (call) {
      const begun = {
        index: 0,
        id: "365174485",
        type: "function",
        function: { name: call.name, arguments: "" },
      };
      const more = pieces(call.json).map((json) =>
        piece({ tool_calls: [{ index: 0, function: { arguments: json } }] }),
      );
      return [piece({ role: "assistant", tool_calls: [begun] }), ...more, piece({}, "tool_calls")];
    }
    const [first = "", ...rest] = pieces(text);
    return [
      piece({ role: "assistant", content: first }),
      ...rest.map((content) => piece({ content })),
      piece({}, "stop"),
    ];
  },
};

export const startOllama = (models: readonly LocalModel[], options?: ServerOptions): Promise<LocalServer> =>
  startServer(OLLAMA, models, options);
export const startLmStudio = (models: readonly LocalModel[], options?: ServerOptions): Promise<LocalServer> =>
  startServer(LM_STUDIO, models, options);

async function startServer(
  kind: Kind,
  models: readonly LocalModel[],
  options: ServerOptions = {},
): Promise<LocalServer> {
  const chats: ChatBody[] = [];
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const { method = "", url = "" } = request;
    requests.push(`${method} ${url}`);
    if (method === "GET" && url === "/v1/models") return send(response, 200, kind.list(models));
    if (method !== "POST" || url !== "/v1/chat/completions") return kind.lost(url, response);
    void Promise.all([bodyOf(request), options.begun]).then(([text]) => {
      const body = JSON.parse(text) as ChatBody;
      chats.push(body);
      chat(kind, models, { body, response, options });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  onTestFinished(close);
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { baseUrl: `http://${host}/v1`, host, chats, requests, close };
}

interface Chat {
  readonly body: ChatBody;
  readonly response: ServerResponse;
  readonly options: ServerOptions;
}

function chat(kind: Kind, models: readonly LocalModel[], { body, response, options }: Chat): void {
  const { mind = () => "Hello.", streaming = "streams" } = options;
  const objection = kind.objection(
    models.find(({ id }) => id === body.model),
    body,
  );
  if (objection) return refuse(response, objection);
  if (body.stream && streaming === "refuses")
    return refuse(response, {
      status: 400,
      message: "Streaming is not supported by this server.",
      type: "invalid_request_error",
    });
  const answer = toAnswer(mind(body.messages.map(textOf).join("\n\n")), body);
  if (body.stream && streaming === "streams") return stream(kind, answer, { body, response, options });
  const calls = answer.call && [{ id: "call_1", type: "function", function: toFunction(answer.call) }];
  send(response, 200, {
    id: "chatcmpl-1",
    object: "chat.completion",
    model: body.model,
    ...kind.base,
    choices: [
      {
        index: 0,
        message: { role: "assistant", content: answer.text, ...(calls && { tool_calls: calls }) },
        finish_reason: calls ? "tool_calls" : "stop",
      },
    ],
    usage: USAGE,
  });
}

function stream(kind: Kind, answer: Answer, { body, response }: Chat): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const usage = body.stream_options ? [{ choices: [], usage: USAGE }] : [];
  for (const chunk of [...kind.chunks(answer), ...usage]) {
    const whole = { id: "chatcmpl-1", object: "chat.completion.chunk", model: body.model, ...kind.base };
    response.write(`data: ${JSON.stringify({ ...whole, ...(chunk as object) })}\n\n`);
  }
  response.end("data: [DONE]\n\n");
}

/** With tools it calls one, without it writes the action down. */
function toAnswer(act: Act | string, { tools = [] }: ChatBody): Answer {
  if (typeof act === "string") return { text: act };
  const { action, parameters = {} } = act;
  if (tools.length > 0) return { text: "", call: { name: action, json: JSON.stringify(parameters) } };
  return {
    text: [action, ...Object.entries(parameters).map(([key, value]) => `${key}: ${value}`)].join("\n"),
  };
}

function toFunction({ name, json }: NonNullable<Answer["call"]>): unknown {
  return { name, arguments: json };
}

function piece(delta: unknown, finish: string | null = null): unknown {
  return { choices: [{ index: 0, delta, finish_reason: finish }] };
}

function pieces(text: string): readonly string[] {
  return text.match(/[\s\S]{1,12}/g) ?? [""];
}

/** What a message says, and what it calls. */
function textOf({ content, tool_calls: calls = [] }: ChatMessage): string {
  const parts = Array.isArray(content) ? (content as readonly { readonly text?: string }[]) : [];
  const said = typeof content === "string" ? content : parts.map(({ text = "" }) => text).join("\n");
  return [said, ...calls.map((call) => call.function.arguments)].join("\n");
}

type Refused = Omit<Objection, "param" | "code"> & {
  readonly param?: string | null;
  readonly code?: string | null;
};

function refuse(
  response: ServerResponse,
  { status, message, type, param = null, code = null }: Refused,
): void {
  send(response, status, { error: { message, type, param, code } });
}

function send(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

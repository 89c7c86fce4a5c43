// What came of a request, in the form that the library reads.

import type { StreamedResponse } from "../../../../src/domain/authoring/network.ts";
import { cleanLine } from "../../tools/text.ts";
import type { RequestId } from "./asked.ts";

const MAX_REFUSAL = 65_536;
const MAX_TOLD = 300;
/** Of the headers these are looked at. */
const KEPT = ["content-type", "mcp-session-id", "location", "www-authenticate"];
const WITHOUT_BODY = new Set([204, 205, 304]);

export function isEvents({ "content-type": type = "" }: StreamedResponse["headers"]): boolean {
  return /^text\/event-stream\s*(?:;|$)/i.test(type);
}

export function isJson({ "content-type": type = "" }: StreamedResponse["headers"]): boolean {
  return /^application\/json\s*(?:;|$)/i.test(type);
}

/** Is the request answered by it? What is no JSON is for others to refuse. */
export function isAnswered(text: string, id: RequestId): boolean {
  try {
    return [JSON.parse(text) as unknown].flat().some((message) => (message as { id?: unknown }).id === id);
  } catch {
    return true;
  }
}

/** A status that is none of HTTP is 502: who answers so is no server. */
export function responseOf(
  { status, headers }: StreamedResponse,
  body: ReadableStream<Uint8Array> | string,
): Response {
  const kept = KEPT.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]]));
  const isOne = status >= 200 && status <= 599;
  return new Response(WITHOUT_BODY.has(status) ? null : body, {
    status: isOne ? status : 502,
    headers: Object.fromEntries(kept) as Record<string, string>,
  });
}

export interface RefusalRead {
  readonly status: number;
  /** One sentence. */
  readonly says: string;
  /** Of its body, not more than matters. */
  readonly text: string;
  /** Where it redirects to. */
  readonly location?: string;
}

export async function readRefusal({ status, headers, body }: StreamedResponse): Promise<RefusalRead> {
  const text = await readSome(body);
  const location = headers["location"];
  return {
    ...{ status, text },
    says: `It answered with HTTP ${status}${text === "" ? "." : `: ${cleanLine(text, MAX_TOLD)}`}`,
    location: location === undefined ? undefined : cleanLine(location, MAX_TOLD),
  };
}

async function readSome(body: ReadableStream<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > MAX_REFUSAL) break;
  }
  return Buffer.concat(chunks).subarray(0, MAX_REFUSAL).toString("utf8");
}

/** An event with which a request ends that gets no other answer; what is left of another event before it is none. */
export function lastWords(id: RequestId, why: string): Uint8Array {
  const error = { code: -32_000, message: `${why} What it did until then is unknown.` };
  return Buffer.from(`\n\ndata: ${JSON.stringify({ jsonrpc: "2.0", id, error })}\n\n`);
}

// The way to one server: by the egress of the legion, to the origin of its entry and to no other.
// R1: what the entry says in headers is sent to its origin alone. R2: a call that is taken back waits for nothing more, and ends
// nothing but itself. R3: a call whose answer breaks off, or is that to another, fails at once.

import { setImmediate } from "node:timers/promises";
import type { NodeHost } from "../../../../src/domain/authoring/host.ts";
import type { Network, StreamedResponse } from "../../../../src/domain/authoring/network.ts";
import type { Entry, Way } from "../../config/entry.ts";
import { readAsked, whileUnderWay, type Asked, type UnderWay } from "./asked.ts";
import { measureEvents, measureMessage, watch } from "./body.ts";
import {
  isAnswered,
  isEvents,
  isJson,
  lastWords,
  readRefusal,
  responseOf,
  type RefusalRead,
} from "./answer.ts";

export type Site = Pick<Entry, "name"> & { readonly way: Extract<Way, { kind: "http" | "sse" }> };

export interface Reach {
  readonly fetch: (url: string | URL, init?: RequestInit) => Promise<Response>;
  /** Resolves when the server has gone, or wants nobody any more, with why, in a sentence or two. */
  readonly gone: Promise<string>;
  /** What was wrong with the newest answer, in one sentence; `undefined`: nothing. */
  trouble(): string | undefined;
}

interface Surroundings {
  readonly network: Network;
  readonly clock: Pick<NodeHost["clock"], "now">;
  readonly connectMs: number;
}

interface Life extends Surroundings {
  readonly way: Site["way"];
  readonly origin: string;
  readonly underWay: UnderWay;
  /** What the server asked, and is being answered. */
  readonly replies: Set<Asked>;
  readonly leave: (why: string) => void;
  trouble: string | undefined;
}

/** For the end of a session, which needs no answer. */
const PATIENCE_MS = 1_000;
/** Each has a connection of its own. */
const MAX_REPLIES = 32;

export function createReach(way: Site["way"], surroundings: Surroundings): Reach {
  let leave = (why: string): void => void why;
  const gone = new Promise<string>((resolve) => (leave = resolve));
  const { origin } = new URL(way.url);
  const life: Life = {
    ...{ ...surroundings, way, origin, leave, trouble: undefined },
    ...{ underWay: new Map(), replies: new Set() },
  };
  return {
    gone,
    trouble: () => life.trouble,
    async fetch(to, init = {}) {
      life.trouble = undefined;
      const url = new URL(to);
      // R1
      if (url.origin !== origin) return refuse(life, `It leads to ${url.origin}, which is another server.`);
      const asked = readAsked(init);
      // R2, also where the server does not listen to it.
      if (asked.cancels !== undefined) life.underWay.get(asked.cancels)?.();
      if (asked.isReply && life.replies.size === MAX_REPLIES)
        return refuse(life, "It asks more at a time than is answered.");
      const { signal, end: forget } = whileUnderWay(init.signal, asked.id, life.underWay);
      if (asked.isReply) life.replies.add(asked);
      const end = (): void => {
        life.replies.delete(asked);
        forget();
      };
      try {
        return await receive(life, await send(life, { url, asked, signal }), { asked, signal, end });
      } catch (error) {
        end();
        throw error;
      }
    },
  };
}

async function refuse(life: Life, why: string): Promise<never> {
  life.leave((life.trouble = why));
  // Who waits for a call hears first that the server has gone.
  await setImmediate();
  throw new Error(why);
}

interface Sending {
  readonly url: URL;
  readonly asked: Asked;
  readonly signal: AbortSignal;
}

async function send(life: Life, { url, asked, signal }: Sending): Promise<StreamedResponse> {
  const { way, network, connectMs } = life;
  const { method, body, id } = asked;
  const own = Object.entries(way.headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  const headers = { ...Object.fromEntries(own), ...asked.headers };
  const port = url.port || (url.protocol === "https:" ? 443 : 80);
  const isAnswered = id !== undefined || method === "GET";
  const patienceMs = method === "DELETE" ? PATIENCE_MS : connectMs;
  try {
    return await network.open(url.href, {
      ...{ method, headers, body, signal },
      connectMs: patienceMs,
      // How long a call may take is settled by who calls.
      silenceMs: isAnswered ? undefined : patienceMs,
      trusted: `${url.hostname}:${port}`,
      keys: [way.url, ...Object.values(way.headers)],
    });
  } catch (error) {
    if (signal.aborted) throw error;
    const { message, code } = error as Error & { readonly code?: unknown };
    life.trouble = message;
    if (isAnswered && code === "NETWORK") return refuse(life, message);
    throw error;
  }
}

interface Receiving extends Omit<Sending, "url"> {
  /** Of the request, as soon as its answer is over. */
  readonly end: () => void;
}

async function receive(life: Life, answer: StreamedResponse, receiving: Receiving): Promise<Response> {
  const { status, headers, body } = answer;
  const { asked, end } = receiving;
  if (status < 200 || status > 299) {
    const refusal = await readRefusal(answer);
    end();
    life.trouble = refusal.says;
    const why = whyGone(life, asked, refusal);
    return why === undefined ? responseOf(answer, refusal.text) : refuse(life, why);
  }
  if (isEvents(headers) || asked.method !== "GET") {
    const read = watched(life, answer, receiving);
    if (asked.id === undefined || life.way.kind === "sse" || isEvents(headers))
      return responseOf(answer, read);
    const text = await new Response(read).text();
    // R3
    if (status === 202 || (isJson(headers) && !isAnswered(text, asked.id)))
      throw new Error("It answered something else than it was asked. What it did is unknown.");
    return responseOf(answer, text);
  }
  await body.cancel();
  end();
  const type = headers["content-type"] ?? "nothing";
  if (life.way.kind === "sse")
    return refuse(life, `It answered with ${type} where a stream of events belongs.`);
  // No events are there: it has nothing to tell unasked.
  return responseOf({ ...answer, status: 405 }, "");
}

const WANTS_AUTHORIZATION =
  "It wants authorization (HTTP 401), and signing in (OAuth) is not there yet; a token can stand in the headers of its entry.";

/** Why nobody can go on with a server that refuses like this; `undefined`: it is a matter of this one request. */
function whyGone(
  { way, origin }: Life,
  { method, headers }: Asked,
  refusal: RefusalRead,
): string | undefined {
  const { status, text, location } = refusal;
  if (status === 401) return WANTS_AUTHORIZATION;
  const hasSession = headers["mcp-session-id"] !== undefined || (way.kind === "sse" && method === "POST");
  // Not all say it as they should.
  if (hasSession && (status === 404 || (status === 400 && /session/i.test(text))))
    return "It has forgotten the session.";
  if (status >= 400 || location === undefined) return undefined;
  if (URL.canParse(location, way.url) && new URL(location, way.url).origin === origin) return undefined;
  return `It redirects to ${location}, which is not followed; if that is where it is now, its entry has to say so.`;
}

/** The body of an answer that is none yet: it may come to nothing. */
function watched(life: Life, { headers, body }: StreamedResponse, { asked, signal, end }: Receiving) {
  const { clock, way } = life;
  const events = isEvents(headers) ? measureEvents(clock.now) : undefined;
  const measure = events?.take ?? measureMessage();
  return watch(body, {
    take(chunk) {
      try {
        measure(chunk);
      } catch (error) {
        life.leave((life.trouble = (error as Error).message));
        throw error;
      }
    },
    end(error) {
      end();
      const why = error === undefined ? "It ended its answer too soon." : (error as Error).message;
      if (way.kind === "sse" && asked.method === "GET" && !signal.aborted) life.leave(why);
      // R3
      const isOver = asked.id !== undefined && (signal.aborted || events?.canBeResumed() === false);
      return isOver ? lastWords(asked.id!, why) : undefined;
    },
  });
}

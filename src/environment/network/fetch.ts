// One fetch: requests by hand, each on a connection of its own, which ends with it.
//
//   H4. What one fetch was trusted with serves no other: nothing of it is left when it is over.
//   H5. Every redirect is judged like a first request.

import { request, type IncomingMessage } from "node:http";
import { isIP, type Socket } from "node:net";
import { connect as secure, type SecureContextOptions } from "node:tls";
import { LegionError } from "../../base/errors.ts";
import { formatDuration } from "../../base/text/duration.ts";
import { aborted } from "../../base/process/signals.ts";
import type { WebRequest, WebResponse } from "../../domain/authoring/network.ts";
import { quote } from "../../base/text/wording.ts";
import { ACCEPTED_PACKINGS, readBody } from "./body.ts";
import { createCookieJar, type CookieJar } from "./cookies.ts";
import type { Dial } from "./dial.ts";
import { explainFailure, hungUp, network } from "./failure.ts";
import {
  checkUrl,
  parseTrusted,
  readUrl,
  refusal,
  shown,
  targetOf,
  type AddressGrant,
} from "./destination.ts";
import { userAgent } from "./user-agent.ts";
import { follow, type Step } from "./redirect.ts";

const MAX_REDIRECTS = 5;
const MAX_TIMER_MS = 2 ** 31 - 1;
const TIMEOUT_MS = 20_000;
const MAX_BYTES = 5 * 1024 * 1024;
const MAX_HEADER_BYTES = 64 * 1024;

export interface FetchDeps {
  readonly dial: Dial;
  /** Aborts when the process stops. */
  readonly life: AbortSignal;
  /** Which certificates hold. */
  readonly tls: Pick<SecureContextOptions, "ca">;
}

/** As `Network.fetch`. */
export async function fetchPage(url: string, asked: WebRequest, deps: FetchDeps): Promise<WebResponse> {
  const stop = createStop(url, asked.timeoutMs ?? TIMEOUT_MS, [asked.signal, deps.life]);
  try {
    const way: FetchWay = {
      ...deps,
      signal: stop.signal,
      maxBytes: asked.maxBytes ?? MAX_BYTES,
      cookies: createCookieJar(),
      trusted: asked.trusted === undefined ? undefined : parseTrusted(asked.trusted),
      permits: asked.permits,
    };
    const page = await Promise.race([go(firstStep(url, asked), way), aborted(stop.signal)]);
    stop.signal.throwIfAborted();
    return page!;
  } catch (error) {
    stop.signal.throwIfAborted();
    throw error;
  } finally {
    stop.end();
  }
}

interface FetchWay extends FetchDeps {
  readonly signal: AbortSignal;
  readonly maxBytes: number;
  readonly cookies: CookieJar;
  readonly trusted?: AddressGrant;
  readonly permits: WebRequest["permits"];
}

function firstStep(url: string, { method = "GET", headers = {}, body }: WebRequest): Step {
  const given = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  return {
    url: readUrl(url),
    method,
    headers: {
      accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
      "accept-language": "en,*;q=0.5",
      "user-agent": userAgent(),
      ...Object.fromEntries(given),
      "accept-encoding": ACCEPTED_PACKINGS,
    },
    body,
  };
}

async function go(first: Step, way: FetchWay): Promise<WebResponse> {
  let step = first;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    try {
      const answer = await ask(step, way);
      if ("status" in answer) return answer;
      if (way.permits?.(answer.url.href) === false)
        throw refusal(
          `${quote(step.url.href)} redirects to ${quote(answer.url.href)}, which may not be asked for.`,
        );
      step = answer;
    } catch (error) {
      if (redirects === 0 || !(error instanceof LegionError)) throw error;
      throw new LegionError(error.code, `After a redirect to ${quote(step.url.href)}: ${error.message}`, {
        cause: error,
      });
    }
  }
  throw network(`${quote(first.url.href)} redirects more than ${MAX_REDIRECTS} times.`);
}

/** The answer to one request, or the request to make instead. */
async function ask(step: Step, way: FetchWay): Promise<WebResponse | Step> {
  const target = targetOf(checkUrl(step.url));
  const socket = await way.dial(target, way);
  try {
    const line = step.url.protocol === "https:" ? await secured(socket, target.host, way) : socket;
    const response = await send(step, line, way.cookies);
    way.cookies.take(step.url, response.headers["set-cookie"] ?? []);
    const status = response.statusCode ?? 0;
    const next = follow(step, status, response.headers.location);
    if (next) return next;
    const body = await readBody(response, { maxBytes: way.maxBytes, host: shown(target) });
    return { status, url: step.url.href, headers: headersOf(response), body };
  } catch (error) {
    throw explainFailure(error, target);
  } finally {
    socket.destroy();
  }
}

function secured(socket: Socket, host: string, { tls }: FetchWay): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const servername = isIP(host) === 0 ? host : "";
    const line = secure({ ...tls, socket, host, servername, ALPNProtocols: ["http/1.1"] });
    line.once("secureConnect", () => resolve(line));
    line.on("error", reject);
  });
}

function send(step: Step, line: Socket, cookies: CookieJar): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const cookie = [step.headers["cookie"] ?? "", cookies.for(step.url)]
      .filter((text) => text !== "")
      .join("; ");
    const outgoing = request({
      createConnection: () => line,
      method: step.method,
      path: `${step.url.pathname}${step.url.search}`,
      headers: { ...step.headers, host: step.url.host, ...(cookie !== "" && { cookie }) },
      maxHeaderSize: MAX_HEADER_BYTES,
    });
    outgoing.once("response", resolve).on("error", reject);
    // It may end with neither, as when the server changes to another protocol.
    outgoing.once("close", () => reject(hungUp()));
    outgoing.end(step.body);
  });
}

/** They speak of how the body travelled, which is over. */
const OF_THE_WAY = new Set([
  "connection",
  "content-encoding",
  "content-length",
  "keep-alive",
  "transfer-encoding",
]);

function headersOf(response: IncomingMessage): Readonly<Record<string, string>> {
  const entries = Object.entries(response.headers).flatMap(([name, value]) =>
    value === undefined || OF_THE_WAY.has(name)
      ? []
      : [[name, Array.isArray(value) ? value.join("\n") : value]],
  );
  return Object.fromEntries(entries) as Record<string, string>;
}

/** A signal that aborts with the first of `signals`, or when the time is over. `end` leaves nothing behind on them. */
function createStop(url: string, timeoutMs: number, signals: readonly AbortSignal[]) {
  const controller = new AbortController();
  const late = () =>
    controller.abort(network(`${quote(url)} took longer than ${formatDuration(timeoutMs)}.`));
  const timer = setTimeout(late, Math.min(timeoutMs, MAX_TIMER_MS));
  const leave = () => controller.abort(signals.find(({ aborted }) => aborted)?.reason);
  for (const signal of signals) signal.addEventListener("abort", leave);
  if (signals.some(({ aborted }) => aborted)) leave();
  return {
    signal: controller.signal,
    end() {
      clearTimeout(timer);
      for (const signal of signals) signal.removeEventListener("abort", leave);
    },
  };
}

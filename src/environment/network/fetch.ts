// One fetch: requests by hand, each on a connection of its own, which ends with it.
//
//   H4. What one fetch was trusted with serves no other: nothing of it is left when it is over.
//   H5. Every redirect is judged like a first request.

import { LegionError } from "../../base/errors.ts";
import { formatDuration } from "../../base/text/duration.ts";
import { aborted } from "../../base/process/signals.ts";
import type { WebRequest, WebResponse } from "../../domain/authoring/network.ts";
import { quote } from "../../base/text/wording.ts";
import { ACCEPTED_PACKINGS, readBody } from "./body.ts";
import { createCookieJar, type CookieJar } from "./cookies.ts";
import { explainFailure, network } from "./failure.ts";
import {
  checkUrl,
  parseTrusted,
  readUrl,
  refusal,
  shown,
  targetOf,
  type AddressGrant,
} from "./destination.ts";
import { headersOf, secured, send, type Connecting } from "./exchange.ts";
import { userAgent } from "./user-agent.ts";
import { follow, type Step } from "./redirect.ts";
import { createDeadline } from "./deadline.ts";

const MAX_REDIRECTS = 5;
const TIMEOUT_MS = 20_000;
const MAX_BYTES = 5 * 1024 * 1024;

/** As `Network.fetch`. */
export async function fetchPage(url: string, asked: WebRequest, deps: Connecting): Promise<WebResponse> {
  const stop = createDeadline([asked.signal, deps.life]);
  const timeoutMs = asked.timeoutMs ?? TIMEOUT_MS;
  stop.within(timeoutMs, () => network(`${quote(url)} took longer than ${formatDuration(timeoutMs)}.`));
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

interface FetchWay extends Connecting {
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
    const line = step.url.protocol === "https:" ? await secured(socket, target.host, way.tls) : socket;
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

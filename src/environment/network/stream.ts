// A request whose answer is read as it comes, on a connection of its own, which ends with it.

import type { Readable } from "node:stream";
import type { StreamedResponse, StreamRequest } from "../../domain/authoring/network.ts";
import { aborted } from "../../base/process/signals.ts";
import { formatDuration } from "../../base/text/duration.ts";
import { unpack } from "./body.ts";
import { createCookieJar } from "./cookies.ts";
import { parseTrusted, readUrl, shown, targetOf } from "./destination.ts";
import { headersOf, secured, send, type Connecting } from "./exchange.ts";
import { explainFailure, network } from "./failure.ts";
import { createDeadline } from "./deadline.ts";
import { userAgent } from "./user-agent.ts";

/** As `Network.open`. */
export async function openStream(
  url: string,
  asked: StreamRequest,
  line: Connecting,
): Promise<StreamedResponse> {
  const address = readUrl(url);
  const target = targetOf(address);
  const stop = createDeadline([asked.signal, line.life]);
  const within = (ms: number | undefined): void =>
    stop.within(ms, () => network(`${shown(target)} was silent for ${formatDuration(ms ?? 0)}.`));
  /** What went wrong, for the one who reads; nothing of the request is left. */
  const failed = (error: unknown): unknown => {
    stop.end();
    return stop.signal.aborted ? stop.signal.reason : explainFailure(error, target);
  };
  const begin = async () => {
    const trusted = asked.trusted === undefined ? undefined : parseTrusted(asked.trusted);
    const socket = await line.dial(target, { signal: stop.signal, trusted });
    const way = address.protocol === "https:" ? await secured(socket, target.host, line.tls) : socket;
    within(asked.silenceMs);
    const response = await send(
      { ...asked, url: address, headers: headersFor(asked) },
      way,
      createCookieJar(),
    );
    within(asked.silenceMs);
    return { response, source: await unpack(response, shown(target)) };
  };
  try {
    within(asked.connectMs);
    const begun = await Promise.race([begin(), aborted(stop.signal)]);
    stop.signal.throwIfAborted();
    const { response, source } = begun!;
    const progress = { came: () => within(asked.silenceMs), failed, ended: stop.end };
    return {
      status: response.statusCode ?? 0,
      headers: headersOf(response),
      body: bodyOf(source, progress),
    };
  } catch (error) {
    throw failed(error);
  }
}

/** Not packed: what is packed may wait for more before it can be read. */
function headersFor({ headers = {} }: StreamRequest): Readonly<Record<string, string>> {
  const given = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  return { "user-agent": userAgent(), ...Object.fromEntries(given), "accept-encoding": "identity" };
}

interface BodyReading {
  came(): void;
  failed(error: unknown): unknown;
  ended(): void;
}

function bodyOf(source: Readable, { came, failed, ended }: BodyReading): ReadableStream<Uint8Array> {
  const reading = (source as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reading.next();
        came();
        if (!done) return controller.enqueue(new Uint8Array(value));
        ended();
        controller.close();
      } catch (error) {
        throw failed(error);
      }
    },
    cancel() {
      ended();
      source.destroy();
    },
  });
}

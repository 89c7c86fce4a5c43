// The browser's end of a conversation: JSON texts, each followed by a zero byte.
//
// @see https://chromium.googlesource.com/chromium/src/+/main/content/public/common/content_switches.cc remote-debugging-pipe

import type { Readable, Writable } from "node:stream";
import type { ConnectionTransport } from "puppeteer";

/**
 * A message of more than `maxBytes` is dropped as it comes in: a page decides how long some of them are, and whoever
 * waits for an answer has a time limit.
 */
export function openPipe(input: Writable, output: Readable, maxBytes: number): ConnectionTransport {
  let parts: Buffer[] = [];
  let bytes = 0;

  const keep = (part: Buffer): void => {
    bytes += part.length;
    if (bytes <= maxBytes) parts.push(part);
    else parts = [];
  };
  const finish = (): void => {
    const message = bytes <= maxBytes ? Buffer.concat(parts).toString() : undefined;
    parts = [];
    bytes = 0;
    if (message !== undefined) transport.onmessage?.(message);
  };
  output.on("data", (chunk: Buffer) => {
    let from = 0;
    for (let end = chunk.indexOf(0); end !== -1; end = chunk.indexOf(0, from)) {
      keep(chunk.subarray(from, end));
      finish();
      from = end + 1;
    }
    keep(chunk.subarray(from));
  });
  output.once("close", () => transport.onclose?.());
  // What cannot be written is for a browser that is gone, which `close` tells.
  input.on("error", () => undefined);
  output.on("error", () => undefined);

  const transport: ConnectionTransport = {
    send: (message) => void input.write(`${message}\0`),
    close: () => input.end(),
  };
  return transport;
}

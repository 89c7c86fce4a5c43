// One request on a connection that is there, and the head of its answer.

import { request, type IncomingMessage } from "node:http";
import { isIP, type Socket } from "node:net";
import { connect as secure, type SecureContextOptions } from "node:tls";
import type { CookieJar } from "./cookies.ts";
import type { Dial } from "./dial.ts";
import { hungUp } from "./failure.ts";
import type { Step } from "./redirect.ts";

const MAX_HEADER_BYTES = 64 * 1024;

/** How connections are made. */
export interface Connecting {
  readonly dial: Dial;
  /** Aborts when the process stops. */
  readonly life: AbortSignal;
  /** Which certificates hold. */
  readonly tls: Pick<SecureContextOptions, "ca">;
}

export function secured(socket: Socket, host: string, tls: Connecting["tls"]): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const servername = isIP(host) === 0 ? host : "";
    const line = secure({ ...tls, socket, host, servername, ALPNProtocols: ["http/1.1"] });
    line.once("secureConnect", () => resolve(line));
    line.on("error", reject);
  });
}

export function send(step: Step, line: Socket, cookies: CookieJar): Promise<IncomingMessage> {
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

export function headersOf(response: IncomingMessage): Readonly<Record<string, string>> {
  const entries = Object.entries(response.headers).flatMap(([name, value]) =>
    value === undefined || OF_THE_WAY.has(name)
      ? []
      : [[name, Array.isArray(value) ? value.join("\n") : value]],
  );
  return Object.fromEntries(entries) as Record<string, string>;
}

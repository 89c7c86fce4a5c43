// A client of a proxy that says what it likes, byte by byte.

import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import type { NetworkProxy } from "../../../../src/domain/authoring/network.ts";
import type { ClosableNetwork } from "../../../../src/environment/network/network.ts";

const MAX_KEPT = 100_000;

export async function openProxy(network: ClosableNetwork, maxBytes = 10_000_000): Promise<NetworkProxy> {
  const proxy = await network.openProxy({ maxBytes });
  onTestFinished(() => proxy.close());
  return proxy;
}

export interface Client {
  readonly socket: Socket;
  /** The beginning of what came so far. */
  received(): string;
  /** How much came so far. */
  bytes(): number;
  /** Resolves once `text` has come. */
  until(text: string): Promise<void>;
  /** Resolves when the connection is over. */
  readonly closed: Promise<unknown>;
}

/** What a client of `proxy` says to be served. */
export function credentialOf({ credential: { username, password } }: NetworkProxy): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
}

/** Sends `begin`, with the credential in its first request. */
export function connectTo(proxy: NetworkProxy, begin: string): Client {
  return connectAsStranger(
    proxy,
    begin.replace("\r\n", `\r\nproxy-authorization: ${credentialOf(proxy)}\r\n`),
  );
}

export function connectAsStranger(proxy: NetworkProxy, begin: string): Client {
  const socket = connect(Number(new URL(proxy.url).port), "127.0.0.1");
  let received = "";
  let bytes = 0;
  socket
    .on("error", () => {})
    .on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (received.length < MAX_KEPT) received += chunk.toString("latin1");
    });
  const closed = new Promise((resolve) => socket.once("close", resolve));
  onTestFinished(() => void socket.destroy());
  socket.write(begin);
  return {
    socket,
    received: () => received,
    bytes: () => bytes,
    closed,
    async until(text) {
      while (!received.includes(text)) {
        if (socket.closed) throw new Error(`it ended with ${received}`);
        await Promise.race([once(socket, "data"), closed]);
      }
    },
  };
}

/** Through a tunnel to `port` of loopback, once it stands. */
export async function openTunnel(proxy: NetworkProxy, port: number): Promise<Client> {
  const client = connectTo(proxy, `CONNECT 127.0.0.1:${port} HTTP/1.1\r\nhost: x\r\n\r\n`);
  await client.until("\r\n\r\n");
  return client;
}

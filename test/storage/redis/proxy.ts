// A network that a test can cut, stop and slow down.

import { createServer, connect, type Socket } from "node:net";

export interface FreezingProxy {
  readonly port: number;
  readonly url: string;
  /** From now on nothing passes in either direction, not even the end of a connection. New ones are taken and stay silent. */
  freeze(): void;
  /** What was held back passes now. */
  thaw(): void;
  /** What comes from now on passes after this time, in each direction. */
  delay(ms: number): void;
  /** Ends every connection that there is. */
  cut(): void;
  close(): Promise<void>;
}

type Step = () => void;

/** Passes everything on to `targetPort` on this machine. */
export async function freezingProxy(targetPort: number): Promise<FreezingProxy> {
  const sockets = new Set<Socket>();
  let held: Step[] | undefined;
  let delayMs = 0;

  const pass = (step: Step) => {
    if (held) held.push(step);
    else step();
  };
  const later = (step: Step) => {
    if (delayMs === 0) pass(step);
    else setTimeout(() => pass(step), delayMs);
  };
  const join = (from: Socket, to: Socket) => {
    sockets.add(from);
    from.on("data", (chunk) => later(() => to.write(chunk)));
    from.on("end", () => later(() => to.end()));
    from.on("error", () => later(() => to.destroy()));
    from.on("close", () => sockets.delete(from));
  };
  const server = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect({ port: targetPort, host: "127.0.0.1", allowHalfOpen: true });
    join(near, far);
    join(far, near);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("a proxy without a port");

  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: address.port,
    url: `redis://127.0.0.1:${address.port}`,
    freeze() {
      held ??= [];
    },
    thaw() {
      const steps = held ?? [];
      held = undefined;
      for (const step of steps) step();
    },
    delay(ms) {
      delayMs = ms;
    },
    cut,
    async close() {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

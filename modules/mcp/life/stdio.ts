// A server that is a program of this machine, spoken with over its standard input and output.

import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import type { NodeHost } from "../../../src/domain/authoring/host.ts";
import { greet } from "./client.ts";
import { createFraming } from "./framing.ts";
import type { Attempt, Link } from "./link.ts";
import type { StartServer } from "./start.ts";
import { startProcess, type Program, type ServerProcess } from "./process.ts";

/** The process beside which the library asks for the protocol's version: by these two it knows that silence is an answer. */
interface PipedTransport extends Transport {
  readonly stderr: null;
  readonly pid: null;
}

const MAX_UNREAD = 1024 * 1024;

/** Rejects with why not, in a sentence or two; then nothing of it is left. */
export async function openStdio(
  program: Program,
  { start, clock }: Pick<NodeHost, "clock"> & { readonly start: StartServer },
  attempt: Attempt & { readonly connectMs: number },
): Promise<Link> {
  const { deserializeMessage, serializeMessage } = await import("@modelcontextprotocol/client");
  if (attempt.signal.aborted) throw new Error("The legion is stopping.");
  const server = await startProcess(program, start);
  let leave = (why: string): void => void why;
  const faulty = new Promise<string>((resolve) => (leave = resolve));
  void faulty.then(() => server.stdout.destroy());
  const transport = overPipes(server, serializeMessage, leave);
  const framing = createFraming<JSONRPCMessage>(deserializeMessage, server.note);
  server.stdout.on("data", (chunk: Buffer) => {
    try {
      for (const message of framing.take(chunk)) transport.onmessage?.(message);
    } catch (error) {
      leave((error as Error).message);
    }
  });
  const gone = Promise.race([server.gone.then((why) => `${why} ${server.said()}`), faulty]);
  void gone.then(() => transport.onclose?.());
  try {
    const client = await greet(transport, gone, { ...attempt, clock });
    return { client, gone, end: server.end };
  } catch (error) {
    await server.end();
    const { message } = error as Error;
    throw new Error(message.includes(server.said()) ? message : `${message} ${server.said()}`, {
      cause: error,
    });
  }
}

function overPipes(
  { stdin, end }: ServerProcess,
  write: (message: JSONRPCMessage) => string,
  leave: (why: string) => void,
): PipedTransport {
  /** Characters of answers to what the server asked that it has not read yet. */
  let unread = 0;
  return {
    stderr: null,
    pid: null,
    start: () => Promise.resolve(),
    send: (message) =>
      new Promise((resolve, reject) => {
        const line = write(message);
        const added = "method" in message ? 0 : line.length;
        unread += added;
        if (unread > MAX_UNREAD) leave("It asks more at a time than is answered.");
        stdin.write(line, (error) => {
          unread -= added;
          if (error) reject(error);
          else resolve();
        });
      }),
    close: end,
  };
}

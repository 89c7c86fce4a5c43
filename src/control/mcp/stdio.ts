// An MCP server on standard input and output, for the program that started this one.

import type { Readable, Writable } from "node:stream";
import type { ServerFactory } from "./server.ts";

export interface ServedPrograms {
  /** Resolves when nobody is there any more who could ask. */
  readonly ended: Promise<void>;
  close(): Promise<void>;
}

export interface StdioLines {
  readonly input: Readable;
  /** Nobody else writes there. */
  readonly output: Writable;
  /** Told what went wrong beside the calls, in one line. */
  readonly onFault: (text: string) => void;
}

export async function serveOverStdio(
  create: ServerFactory,
  { input, output, onFault }: StdioLines,
): Promise<ServedPrograms> {
  const { serveStdio, StdioServerTransport } = await import("@modelcontextprotocol/server/stdio");
  const transport = new StdioServerTransport(input, output);
  const served = serveStdio(create, { transport, onerror: ({ message }) => onFault(message) });
  const onclose = transport.onclose;
  const ended = new Promise<void>((resolve) => {
    // Also where it gives up: a line may be too long.
    transport.onclose = () => {
      onclose?.();
      resolve();
    };
    for (const end of ["end", "close", "error"]) input.once(end, resolve);
    output.once("error", resolve);
  });
  return { ended, close: () => served.close() };
}

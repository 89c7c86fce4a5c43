// Other programs: real clients of the real server, each of which is a process of its own.

import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { onTestFinished } from "vitest";
import { PROGRAM } from "../../program.ts";

export interface Program {
  readonly client: Client;
  /** Of the server. */
  readonly pid: number;
  /** What the server has printed on standard error. */
  readonly err: () => string;
  /** What the tool answers, checked against its schema by the client. */
  call(tool: string, given?: object): Promise<Readonly<Record<string, unknown>>>;
  /** Why the tool refuses. */
  refusal(tool: string, given?: object): Promise<string>;
  close(): Promise<void>;
}

/** Starts `legion mcp serve` in `cwd`, as such programs do. */
export async function connect(
  cwd: string,
  env: Readonly<Record<string, string>> = {},
  options: readonly string[] = [],
): Promise<Program> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [PROGRAM, "mcp", "serve", ...options],
    cwd,
    stderr: "pipe",
    env: { PATH: process.env["PATH"] ?? "", XDG_CONFIG_HOME: process.env["XDG_CONFIG_HOME"] ?? "", ...env },
  });
  let err = "";
  transport.stderr?.on("data", (chunk: Buffer) => (err += chunk.toString()));
  const client = new Client({ name: "a program", version: "1" });
  await client.connect(transport);
  const close = (): Promise<void> => client.close();
  onTestFinished(close);
  return { client, pid: transport.pid!, err: () => err, close, ...callsOf(client) };
}

export function callsOf(client: Client): Pick<Program, "call" | "refusal"> {
  const use = (name: string, given: object = {}) => client.callTool({ name, arguments: { ...given } });
  const textOf = ({ content }: Awaited<ReturnType<typeof use>>): string =>
    content.map((part) => (part.type === "text" ? part.text : "")).join("");
  return {
    async call(name, given) {
      const result = await use(name, given);
      if (result.isError) throw new Error(textOf(result));
      return result.structuredContent as Readonly<Record<string, unknown>>;
    },
    async refusal(name, given) {
      const result = await use(name, given);
      if (!result.isError) throw new Error(`it is not refused: ${textOf(result)}`);
      return textOf(result);
    },
  };
}

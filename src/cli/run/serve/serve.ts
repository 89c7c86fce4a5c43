// `legion mcp serve`: this legion for other programs, on standard input and output or on a port of this machine.

import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { Writable } from "node:stream";
import { LegionError } from "../../../base/errors.ts";
import { aborted } from "../../../base/process/signals.ts";
import { serveOverHttp } from "../../../control/mcp/http.ts";
import { openServerFactory, type ServerFactory } from "../../../control/mcp/server.ts";
import { serveOverStdio, type ServedPrograms } from "../../../control/mcp/stdio.ts";
import { openPersonFolder } from "../../../storage/folder/person/folder.ts";
import type { Io, Typed } from "../../kit/command.ts";
import { oneLine } from "../../kit/output.ts";
import { withSite } from "../../kit/target.ts";
import { listenForShutdown } from "../start/shutdown.ts";
import { createProgramHost } from "./own-node.ts";

const MAX_PORT = 65_535;
const TOKEN_FILE = "mcp-token";
const TOKEN = /^[\w-]{32,128}$/;
const WAY = "it speaks MCP on standard input and output: `claude mcp add legion -- npx ai-legion mcp serve`";

/** Resolves with the exit code when the last program is gone, or a person ends it. */
export async function serve(typed: Typed, io: Io): Promise<number> {
  const port = readPort(typed);
  if (typed.options.run !== undefined)
    throw new LegionError("USAGE", "--run: programs have agents in the project's own legion; leave it out");
  const output = port === undefined ? takeOutput(io) : undefined;
  return withSite(typed, io, async (site) => {
    const shutdown = listenForShutdown(io);
    const host = createProgramHost(site, typed.options, io);
    void aborted(shutdown.now).then(host.interrupt);
    try {
      const create = await openServerFactory(host);
      const served = output ? await onStreams(create, output, io) : await onPort(create, port!, io);
      await Promise.race([served.ended, aborted(shutdown.soon)]);
      await served.close();
    } finally {
      await host.close();
      shutdown.close();
    }
    return 0;
  });
}

/** `undefined`: no port is wanted. */
function readPort({ options: { http } }: Typed): number | undefined {
  if (http === undefined) return undefined;
  const port = /^\d{1,5}$/.test(http) ? Number(http) : Infinity;
  if (port <= MAX_PORT) return port;
  throw new LegionError(
    "USAGE",
    `--http: expected a port from 0 (any) to ${MAX_PORT}, not ${JSON.stringify(http)}`,
  );
}

/** From now on only the protocol is written there: whatever else is printed goes to standard error. */
function takeOutput({ stdout, stderr }: Io): Writable {
  const write = stdout.write.bind(stdout) as (chunk: Buffer, done: (error?: Error | null) => void) => boolean;
  stdout.write = stderr.write.bind(stderr);
  return new Writable({ write: (chunk: Buffer, _, done) => void write(chunk, done) });
}

function onStreams(create: ServerFactory, output: Writable, io: Io): Promise<ServedPrograms> {
  if (io.stdin.isTTY) io.stderr.write(`legion: ${WAY}\n`);
  return serveOverStdio(create, { input: io.stdin, output, onFault: (text) => tellFault(text, io) });
}

async function onPort(create: ServerFactory, port: number, io: Io): Promise<ServedPrograms> {
  const { token, path, isNew } = await findToken(io);
  const served = await serveOverHttp(create, { port, token, onFault: (text) => tellFault(text, io) });
  const where = isNew ? `the token, which is kept in ${path}, is ${token}` : `the token is in ${path}`;
  io.stderr.write(`legion: MCP at ${served.url}; ${where}\n`);
  return served;
}

function tellFault(text: string, { stderr }: Io): void {
  stderr.write(`legion: ${oneLine(text).slice(0, 400)}\n`);
}

/** The same for every start: programs have it in their settings. */
async function findToken({ env }: Pick<Io, "env">) {
  const person = openPersonFolder(env);
  const path = join(person.path, TOKEN_FILE);
  const made = randomBytes(32).toString("base64url");
  const isNew = await person.create(TOKEN_FILE, `${made}\n`);
  const token = isNew ? made : ((await person.read(TOKEN_FILE)) ?? "").trim();
  if (TOKEN.test(token)) return { token, path, isNew };
  throw new LegionError("CONFIG", `${path} holds no token; delete it, and a new one is made`);
}

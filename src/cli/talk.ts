// What a line typed at the console does: it speaks to agents, or runs a command in this process.

import { Readable } from "node:stream";
import { LegionError } from "../errors.ts";
import type { Legion } from "../legion.ts";
import type { Io } from "./command.ts";
import { COMMANDS } from "./commands.ts";
import { readConsoleLine } from "./console-line.ts";
import { explainFailure } from "./failure.ts";

const CONSOLE_HELP = `2: text     to agent 2; also 2,3: text and all: text
text        to all agents
/command    any command below, for this legion: /ps, /goals 2, /pause 2
Ctrl-C      ends the node once the steps that run are finished; again: at once
`;

export interface TalkDeps {
  readonly legion: Pick<Legion, "control" | "peers">;
  /** Its folder is the project's. */
  readonly io: Io;
  readonly print: (rows: string) => void;
  readonly dispatch: (argv: readonly string[], io: Io) => Promise<number>;
}

/** Never rejects: what is wrong with a line is printed. */
export function createTalk(deps: TalkDeps): (line: string) => Promise<void> {
  const { legion, io, print } = deps;
  return async (typed) => {
    try {
      const known = (await legion.peers()).map(({ id }) => id);
      const line = readConsoleLine(typed, known);
      if (line.kind === "say") await legion.control.say(line.targets, line.text);
      else if (line.kind === "command") await runCommand(line.argv, deps);
    } catch (error) {
      print(explainFailure(error, io.env).text);
    }
  };
}

async function runCommand([name = "help", ...args]: readonly string[], deps: TalkDeps): Promise<void> {
  const { io, print, dispatch } = deps;
  if (name === "start") throw new LegionError("USAGE", "a node runs here already: this one");
  if (["-f", "--follow", "--wait"].some((option) => args.includes(option))) {
    throw new LegionError("USAGE", "the console does not wait; do that in another terminal");
  }
  if (name === "help" && args.length === 0) print(`${CONSOLE_HELP}\n`);
  const output = wholeRows(print);
  const stream = Object.create(io.stdout, { write: { value: output.write } }) as NodeJS.WriteStream;
  try {
    await dispatch([name, ...args], {
      ...io,
      // What is typed is the console's: no command asks or reads here.
      stdin: Readable.from([]) as Io["stdin"],
      stdout: stream,
      stderr: Object.create(stream) as typeof io.stderr,
    });
  } finally {
    output.end();
  }
}

/** Passes on what is written row by row, so that it never shares one with what is being typed. */
function wholeRows(print: (rows: string) => void) {
  let pending = "";
  return {
    write(chunk: string | Uint8Array): boolean {
      pending += typeof chunk === "string" ? chunk : Buffer.from(chunk).toString();
      const end = pending.lastIndexOf("\n") + 1;
      if (end > 0) print(pending.slice(0, end));
      pending = pending.slice(end);
      return true;
    },
    end(): void {
      if (pending !== "") print(`${pending}\n`);
    },
  };
}

/** What the beginning of a line can become: a command, or an id and its colon. */
export function completeLine(line: string, ids: readonly string[]): readonly string[] {
  const [, command, argument] = /^(\/\w+ )(\S*)$/.exec(line) ?? [];
  const candidates =
    command !== undefined && argument !== undefined
      ? ids.map((id) => command + id)
      : [...COMMANDS.map(({ name }) => `/${name} `), ...["all", ...ids].map((id) => `${id}: `)];
  return line === "" ? [] : candidates.filter((candidate) => candidate.startsWith(line));
}

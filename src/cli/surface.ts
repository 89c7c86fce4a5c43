// What a running node shows and who it listens to: people at a terminal or behind a pipe, or programs that read JSON.

import type { Config, ConfigFlags } from "../config.ts";
import { spentOf, type Spent } from "../spent.ts";
import type { Inspect, Inspection } from "../inspection.ts";
import type { Legion } from "../legion.ts";
import { CONTROL } from "../message.ts";
import type { Roster } from "../roster.ts";
import type { Io } from "./command.ts";
import { consoleMode, openConsole } from "./console.ts";
import { dispatch } from "./dispatch.ts";
import { printJson } from "./output.ts";
import { preface, summary, type Said } from "./preface.ts";
import { createPrinter } from "./printer.ts";
import { completeLine, createTalk } from "./talk.ts";
import { paintFor, wrap } from "./terminal.ts";

export interface Surface {
  readonly see: Inspect;
  /** Resolves when the lines that were there from the start have been handled. */
  settled(): Promise<void>;
  /** Says something in the program's own words. */
  tell(text: string): void;
  /** Reads no more lines, shows what was held back, and says how it ended. */
  conclude(ending: string, spent: Spent): void;
}

export interface SurfaceOptions {
  /** `programs` get events as JSON on stdout, and words on stderr. */
  readonly readers: "people" | "programs";
  readonly legion: Legion;
  readonly roster: Roster;
  /** What a person should know of the choice of the agents. */
  readonly said?: string;
  readonly config: Config;
  /** What the command line said. */
  readonly flags: ConfigFlags;
  readonly project: string;
  readonly io: Io;
  /** Resolves when commands can reach the legion. */
  readonly ready: Promise<void>;
  readonly onInterrupt: () => void;
}

const MIN_COLUMNS = 40;
const DEFAULT_COLUMNS = 80;

/** Says who is there, and listens from now on. */
export function openSurface(options: SurfaceOptions): Surface {
  const { readers, legion, roster, io, project, onInterrupt } = options;
  const stream = readers === "people" ? io.stdout : io.stderr;
  const mode = readers === "people" ? consoleMode(io) : "lines";
  const paint = paintFor(stream, io.env);
  const columns = (): number =>
    stream.isTTY ? Math.max(MIN_COLUMNS, stream.columns || DEFAULT_COLUMNS) : Infinity;
  const reader = mode === "prompt" ? "typing" : "watching";
  stream.write(`${preface({ ...options, columns: columns(), paint, reader })}\n`);

  const { print, settled, close } = openConsole({
    io: { ...io, stdout: stream },
    mode,
    onLine: createTalk({
      legion,
      io: { ...io, stdout: stream, cwd: project, env: { ...io.env, ...sameSite(options.flags) } },
      print: (rows) => print(rows),
      dispatch: async (argv, commandIo) => {
        await options.ready;
        return dispatch(argv, commandIo);
      },
    }),
    complete: (line) => completeLine(line, [...legion.agents.keys()]),
    onInterrupt,
  });
  const printer = createPrinter({
    print,
    columns,
    paint,
    agents: new Map(roster.roles.map(({ plan }) => [plan.identity.id, plan])),
    spent: (agent) => spentOf(legion.agents.get(agent)!.agent!.memory.ledger),
  });
  const show = readers === "people" ? printer.see : createJsonPrinter(io);
  let said: Said | undefined;
  return {
    see(inspection) {
      said = saidIn(inspection) ?? said;
      show(inspection);
    },
    settled,
    tell: (text) => print(`${wrap(text, columns()).join("\n")}\n`),
    conclude(ending, spent) {
      printer.close();
      close();
      stream.write(
        `\n${summary({ said, ending, roster, spent, config: options.config, program: programName(io.env), columns: columns() })}`,
      );
    },
  };
}

/** What an agent said to the person. */
function saidIn({ kind, agent, ...inspection }: Inspection): Said | undefined {
  if (kind !== "event" || agent !== CONTROL || !("event" in inspection)) return undefined;
  const { event } = inspection;
  if (event.kind !== "message" || event.message.source.type !== "agent") return undefined;
  return { by: event.message.source.id, content: event.message.content };
}

/** With these in the environment, commands are about the legion that runs here. */
function sameSite({ bus, name }: ConfigFlags): Io["env"] {
  return {
    ...(bus !== undefined && { LEGION_BUS: bus }),
    ...(name !== undefined && { LEGION_NAME: name }),
  };
}

/** Log events as they are, with their agent; live ones under their own kinds. */
function createJsonPrinter(io: Io): Inspect {
  return (inspection) => {
    const { kind, agent } = inspection;
    printJson(io, kind === "event" ? { agent, ...inspection.event } : inspection);
  };
}

/** How a person calls this program: from a clone, through npx, or installed. */
function programName(env: Io["env"]): string {
  if (env["npm_lifecycle_event"] === "start") return "npx legion";
  return env["npm_command"] === "exec" ? "npx ai-legion" : "legion";
}

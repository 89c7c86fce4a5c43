// What a line typed at the console does: it speaks to agents, or runs a command in this process.

import { Readable } from "node:stream";
import { LegionError } from "../../base/errors.ts";
import { nearest } from "../../base/text/nearest.ts";
import type { Legion } from "../../legion/legion.ts";
import { isOver } from "../../legion/registry.ts";
import { aborted } from "../../base/process/signals.ts";
import type { Io } from "../kit/command.ts";
import { explainFailure } from "../kit/failure.ts";
import { namesOf } from "../kit/output.ts";
import type { ConsoleMode } from "./console.ts";
import { readConsoleLine } from "./line.ts";

const CONSOLE_HELP = `2: text        to agent 2; also 2,3: text and all: text
text           to the agents that run here
text \\         goes on in the next line; what is pasted is one message
/steer 2 text  new instructions: what runs is finished, nothing further is begun
/later 2 text  for later: agent 2 reads it once it is done; one that is alone need not be named
/command       any command below, for this legion: /ps, /goals 2, /pause 2, /log 2 -f
/history       what happened, as /log; /stats: what was spent, as /ps
Esc            stops at once what the only agent does
/new           a new session, once the steps that run are finished; the one before is kept
/clear         an empty screen
/exit          ends the node once the steps that run are finished, as Ctrl-C does; again: at once
`;
/** What a console has beside the commands of `legion`. */
const OWN = ["exit", "quit", "new", "clear", "steer", "later", "history", "stats"];
/** What makes a command go on until somebody ends it. */
const ENDLESS = ["-f", "--follow", "-w", "--watch", "--wait"];

export interface TalkOptions {
  readonly legion: Pick<Legion, "control" | "peers" | "agents">;
  /** Its folder is the project's. */
  readonly io: Io;
  readonly print: (rows: string) => void;
  readonly dispatch: (argv: readonly string[], io: Io) => Promise<number>;
  /** Where lines come from a pipe, nobody is there to end what would go on for ever. */
  readonly mode: ConsoleMode;
  /** Called before the person says `text`; what it gives back, after it. */
  readonly onSay: (text: string) => (() => void) | undefined;
  /** What a line means as an answer to what stands on the screen as it is entered: a command, or nothing at all. */
  readonly answer: (line: string) => readonly string[] | "refused" | undefined;
  readonly clear: () => void;
  readonly exit: () => void;
  /** Absent: no new session can be begun here. */
  readonly beginAnew?: () => void;
}

export interface Talk {
  /** Does what a line asks for, after the lines before it; one that goes on for ever ends now. Never rejects: what is wrong is printed. */
  hear(line: string): Promise<void>;
  /** Ends the command that goes on for ever; false if there is none. */
  interrupt(): boolean;
}

export function createTalk(deps: TalkOptions): Talk {
  const { io, print } = deps;
  let endless: AbortController | undefined;
  let last = Promise.resolve();
  const interrupt = (): boolean => {
    const wasRunning = endless !== undefined;
    endless?.abort();
    endless = undefined;
    return wasRunning;
  };
  const run = async (argv: readonly string[]): Promise<void> => {
    const end = new AbortController();
    if (argv.some((word) => ENDLESS.includes(word))) {
      if (deps.mode === "lines")
        throw new LegionError("USAGE", "this does not wait; do that in another terminal");
      endless = end;
      print("Enter or Ctrl-C ends this, not the node.\n");
    }
    try {
      await runCommand(argv, deps, end.signal);
    } finally {
      if (endless === end) endless = undefined;
    }
  };
  const handle = async (typed: string): Promise<void> => {
    const agents = (await deps.legion.peers()).map(({ id }) => id);
    const line = readConsoleLine(typed, { agents, commands: namesIn(io) });
    if (line.kind === "say") await say(line, deps);
    else if (line.kind === "command") await run(line.argv);
  };
  const tellFailure = (error: unknown): void => print(explainFailure(error, io.env).text);
  return {
    interrupt,
    hear(line) {
      interrupt();
      const answer = deps.answer(line);
      if (answer === "refused") return last;
      return (last = last.then(() => (answer ? run(answer) : handle(line))).catch(tellFailure));
    },
  };
}

type Saying = Extract<ReturnType<typeof readConsoleLine>, { kind: "say" }>;

async function say(
  { targets, text, delivery }: Saying,
  { legion, onSay, print }: TalkOptions,
): Promise<void> {
  const here = [...legion.agents].filter(([, agent]) => !isOver(agent)).map(([id]) => id);
  if (targets === "here" && here.length === 0)
    throw new LegionError("USAGE", 'no agent runs here; "2: ..." writes to one that does not run');
  const said = onSay(text);
  await legion.control.say(targets === "here" ? here : targets, text, delivery).finally(said);
  if (targets === "here") return;
  const resting = (await legion.peers())
    .filter(({ id, running }) => !running && (targets === "all" || targets.includes(id)))
    .map(({ id }) => id);
  const verb = resting.length === 1 ? "does" : "do";
  if (resting.length > 0)
    print(`${namesOf(resting)} ${verb} not run: this waits in the mailbox until then.\n`);
}

/** What can be typed after a slash. */
function namesIn({ commands }: Pick<Io, "commands">): readonly string[] {
  return [...commands.map(({ name }) => name), ...OWN];
}

function unknownCommand(name: string, io: Io): LegionError {
  const [meant] = nearest(name, namesIn(io));
  const advice = meant ? `did you mean /${meant}?` : "/help lists them";
  return new LegionError("USAGE", `there is no command /${name.slice(0, 100)}; ${advice}`);
}

/** The command that other programs have under this name; any other as it is. */
function unaliased(argv: readonly string[], { legion }: TalkOptions): readonly string[] {
  const [name, ...args] = argv;
  if (name === "stats") return ["ps", ...args];
  if (name !== "history") return argv;
  const [only, another] = legion.agents.keys();
  const isNamed = args.some((word) => !word.startsWith("-"));
  return ["log", ...(isNamed ? [] : [another === undefined ? (only ?? "all") : "all"]), ...args];
}

async function runCommand(argv: readonly string[], deps: TalkOptions, signal: AbortSignal): Promise<void> {
  const { io, print, dispatch } = deps;
  const [name = "help", ...args] = unaliased(argv, deps);
  if (name === "exit" || name === "quit") return deps.exit();
  if (name === "clear") return deps.clear();
  if (name === "new") return beginAnew(deps);
  if (name === "start") throw new LegionError("USAGE", "a node runs here already: this one");
  if (name === "run")
    throw new LegionError("USAGE", "a run is begun in another terminal: legion run and the task");
  if (!namesIn(io).includes(name) && !name.startsWith("-")) throw unknownCommand(name, io);
  if (name === "help" && args.length === 0) print(`${CONSOLE_HELP}\n`);
  const output = wholeRows(print, signal);
  const stream = Object.create(io.stdout, { write: { value: output.write } }) as NodeJS.WriteStream;
  const commandIo = {
    ...io,
    signal,
    // What is typed is the console's: no command asks or reads here.
    stdin: Readable.from([]) as Io["stdin"],
    stdout: stream,
    stderr: Object.create(stream) as typeof io.stderr,
  };
  const running = dispatch([name, ...args], commandIo);
  // One that does not look at the signal goes on unheard.
  running.catch(() => undefined);
  try {
    await Promise.race([running, aborted(signal)]);
  } finally {
    output.end();
  }
}

function beginAnew({ beginAnew }: TalkOptions): void {
  const way = '`legion run "<task>"` begins one, in another terminal';
  if (!beginAnew) throw new LegionError("USAGE", `no new session can be begun here; ${way}`);
  beginAnew();
}

/** Passes on what is written row by row, so that it never shares one with what is being typed; nothing once `signal` has aborted. */
function wholeRows(print: (rows: string) => void, signal: AbortSignal) {
  let pending = "";
  return {
    write(chunk: string | Uint8Array): boolean {
      if (signal.aborted) return true;
      pending += typeof chunk === "string" ? chunk : Buffer.from(chunk).toString();
      const end = pending.lastIndexOf("\n") + 1;
      if (end > 0) print(pending.slice(0, end));
      pending = pending.slice(end);
      return true;
    },
    end(): void {
      if (pending !== "") print(`${pending}\n`);
      pending = "";
    },
  };
}

/** What the beginning of a line can become: a command, or an id and its colon. */
export function completeLine(
  line: string,
  ids: readonly string[],
  io: Pick<Io, "commands">,
): readonly string[] {
  const [, command, argument] = /^(\/\w+ )(\S*)$/.exec(line) ?? [];
  const candidates =
    command !== undefined && argument !== undefined
      ? ids.map((id) => command + id)
      : [...namesIn(io).map((name) => `/${name} `), ...["all", ...ids].map((id) => `${id}: `)];
  return line === "" ? [] : candidates.filter((candidate) => candidate.startsWith(line));
}

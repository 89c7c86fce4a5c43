// What a running node shows and who it listens to: people at a terminal or behind a pipe, or programs that read JSON.

import { join } from "node:path";
import type { EnvironmentFinding } from "../../environment/open.ts";
import type { Config, ConfigFlags } from "../../config/config.ts";
import { fieldsOf } from "../../base/text/json.ts";
import { runName } from "../../storage/folder/paths.ts";
import { openPersonFolder, personFolderPath } from "../../storage/folder/person/folder.ts";
import type { Redactor } from "../../base/redaction/redactor.ts";
import type { Spent } from "../../past/limits/spending.ts";
import type { AgentState, Inspect, Inspection } from "../../domain/inspection.ts";
import type { Legion } from "../../legion/legion.ts";
import type { Mode } from "../../domain/supervision.ts";
import { CONTROL, type AgentId } from "../../domain/message/message.ts";
import type { Roster } from "../../legion/roster.ts";
import type { Io } from "../kit/command.ts";
import { consoleMode, openConsole } from "./console.ts";
import { openHistory } from "./editor/history.ts";
import type { Floor } from "./floor.ts";
import { modeNow } from "./modes.ts";
import { createUnaskedTeller } from "./question/unasked.ts";
import { createWaitingQuestions } from "./question/waiting.ts";
import { completeLine, createTalk, type Talk } from "./talk.ts";
import { dispatch } from "../kit/dispatch.ts";
import { printJson } from "../kit/output.ts";
import { preface, summary, type NewestMessage } from "./banner.ts";
import type { PageOptions } from "./narration/page.ts";
import { openView, type EventsView } from "./view.ts";
import type { Backend } from "../../storage/contract/backend.ts";
import { fitRows, paintFor, wrap } from "../kit/terminal.ts";

export interface Display {
  readonly see: Inspect;
  /** Resolves when the lines that were there from the start have been handled. */
  settled(): Promise<void>;
  /** Says something in the program's own words. */
  tell(text: string): void;
  /** Reads no more lines, shows what was held back, and says how it ended, unless `ending` is empty. Resolves when what was entered is kept. */
  conclude(ending: string, spent: Spent): Promise<void>;
}

export interface DisplayOptions {
  /** `programs` get events as JSON on stdout, and words on stderr. */
  readonly readers: "people" | "programs";
  /** What people see on a screen: a row for each agent and what concerns them, or every event. */
  readonly detail: "brief" | "all";
  readonly legion: Legion;
  readonly roster: Roster;
  /** What a person should know of the choice of the agents. */
  readonly said?: string;
  readonly config: Config;
  readonly sandbox: EnvironmentFinding;
  readonly backend: Pick<Backend, "nodes">;
  /** What the command line said. */
  readonly flags: ConfigFlags;
  readonly project: string;
  /** Absolute real path of the home of one of its runs; absent: the project's own legion. */
  readonly home?: string;
  /** Of what is kept of what is typed. */
  readonly redactor: Redactor;
  readonly io: Io;
  /** Resolves when commands can reach the legion. */
  readonly ready: Promise<void>;
  readonly onInterrupt: () => void;
  /** How the person watches over all of them in a moment; absent: as they did before. */
  readonly watched?: Mode;
  /** Absent: it is no run, or nobody sits at it. */
  readonly floor?: Floor;
  /** What has an agent go on that is parked or paused; absent: a command. */
  readonly wayOn?: string;
  /** Called when the person wants a new session, before this one ends; absent: there is none to have. */
  readonly beginAnew?: () => void;
}

const MIN_COLUMNS = 40;
const DEFAULT_COLUMNS = 80;

/** Says who is there, and listens from now on. */
export async function openDisplay(options: DisplayOptions): Promise<Display> {
  const { readers, legion, roster, flags, io, project, home, floor } = options;
  const { nodes } = options.backend;
  const run = home && runName(project, home);
  const stream = readers === "people" ? io.stdout : io.stderr;
  const mode = readers === "people" ? consoleMode(io) : "lines";
  const look = lookOf(stream, io.env);
  const modes = modesOf(options);
  stream.write(`${preface({ ...options, ...look, modes, nodes, columns: look.columns(), mode })}\n`);
  const told: string[] = [];
  const history = mode === "prompt" ? await historyOf(options, (text) => told.push(text)) : undefined;
  const tell = (text: string): void => console.print(`${wrap(text, look.columns()).join("\n")}\n`);
  const talk = createTalk({
    legion,
    io: { ...io, stdout: stream, cwd: project, env: sameSite(flags, io.env), run },
    print: (rows) => console.print(fitRows(rows, look.columns())),
    dispatch: (argv, commandIo) => options.ready.then(() => dispatch(argv, commandIo)),
    mode,
    onSay: (text) => view.expect(text),
    onHeard: async (what) => floor?.heard(what),
    onMode: (agents, watched) => view.told(agents, watched),
    answer: (line) => view.answer(line),
    clear: () => void (mode === "prompt" && console.clear()),
    exit: options.onInterrupt,
    beginAnew: mode === "prompt" && !nodes ? endFor(options) : undefined,
  });
  const console = openConsole({
    io: { ...io, stdout: stream },
    mode,
    history,
    onEntry: talk.hear,
    onRefused: (why) => tell(`legion: ${why}`),
    complete: (line) => completeLine(line, [...legion.agents.keys()], io),
    ...stopsFor(options, talk),
  });
  const waiting = createWaitingQuestions();
  const tellUnasked = createUnaskedTeller(join(personFolderPath(io.env), "config.yaml"), tell);
  const seen = { ...options, ...look, ...console, run, modes, mode, waiting, tell };
  const view = readers === "people" ? openView(seen) : openFeed(io);
  let said: NewestMessage | undefined;
  told.forEach(tell);
  return {
    see(inspection) {
      said = saidIn(inspection) ?? said;
      waiting.see(inspection);
      tellUnasked(inspection);
      view.see(inspection);
    },
    settled: console.settled,
    tell,
    async conclude(ending, spent) {
      view.close();
      console.close();
      const shown = { roster, nodes, run, program: programName(io.env), columns: look.columns() };
      stream.write(`\n${summary({ said, left: waiting.left(shown.program), ending, spent, ...shown })}`);
      await history?.settled();
    },
  };
}

function modesOf({ roster, legion, watched }: DisplayOptions): ReadonlyMap<AgentId, Mode> {
  const ids = roster.roles.map(({ plan }) => plan.identity.id);
  return new Map(ids.map((id) => [id, watched ?? modeNow(legion, id) ?? "usual"]));
}

/** What the keys do that stop something: a command that goes on for ever first, then what the agent does, then, by Ctrl-C, all. */
function stopsFor({ floor, legion, onInterrupt }: DisplayOptions, talk: Talk) {
  return {
    onInterrupt: () => void (talk.interrupt() || floor?.take() || onInterrupt()),
    onEscape: () => void (talk.interrupt() || (floor ? floor.take() : abortOnly(legion, talk))),
  };
}

/** However often it is asked for, what runs is finished first. */
function endFor({ beginAnew, onInterrupt }: DisplayOptions): (() => void) | undefined {
  if (!beginAnew) return undefined;
  let isAsked = false;
  return () => {
    if (isAsked) return;
    isAsked = true;
    beginAnew();
    onInterrupt();
  };
}

function historyOf(
  { io, redactor }: DisplayOptions,
  tell: (text: string) => void,
): ReturnType<typeof openHistory> {
  return openHistory(openPersonFolder(io.env), tell, redactor);
}

function lookOf(stream: Io["stdout"], env: Io["env"]): Pick<PageOptions, "paint" | "columns"> {
  return {
    paint: paintFor(stream, env),
    columns: () => (stream.isTTY ? Math.max(MIN_COLUMNS, stream.columns || DEFAULT_COLUMNS) : Infinity),
  };
}

const AT_WORK: readonly AgentState[] = ["thinking", "acting", "retrying"];

/** Stops at once what streams: that is what the only agent is at. */
function abortOnly({ agents }: Pick<Legion, "agents">, talk: Pick<Talk, "hear">): void {
  const [only, another] = agents;
  if (!only || another) return;
  const [id, { standing }] = only;
  if (AT_WORK.includes(standing.state)) void talk.hear(`/abort ${id}`);
}

/** What an agent said to the person. */
function saidIn(inspection: Inspection): NewestMessage | undefined {
  if (inspection.kind !== "event" || inspection.agent !== CONTROL) return undefined;
  const { event } = inspection;
  if (event.kind !== "message" || event.message.source.type !== "agent") return undefined;
  const { source, content, details } = event.message;
  // What stays open is told of by itself.
  if (fieldsOf(details)["question"] !== undefined) return undefined;
  return { by: source.id, content };
}

/** With these in the environment, commands are about the legion that runs here. */
function sameSite({ bus, name }: ConfigFlags, env: Io["env"]): Io["env"] {
  const said = { ...env };
  if (bus !== undefined) said["LEGION_BUS"] = bus;
  if (name !== undefined) said["LEGION_NAME"] = name;
  return said;
}

/** Log events as they are, with their agent; all else under its own kind. */
export function openFeed(io: Pick<Io, "stdout">): EventsView {
  return {
    see(inspection) {
      const { kind, agent } = inspection;
      printJson(io, kind === "event" ? { agent, ...inspection.event } : inspection);
    },
    expect: () => () => undefined,
    answer: () => undefined,
    told: () => undefined,
    close: () => undefined,
  };
}

/** How a person calls this program: from a clone, through npx, or installed. */
function programName(env: Io["env"]): string {
  if (env["npm_lifecycle_event"] === "start") return "npx legion";
  return env["npm_command"] === "exec" ? "npx ai-legion" : "legion";
}

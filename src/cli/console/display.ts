// What a running node shows and who it listens to: people at a terminal or behind a pipe, or programs that read JSON.

import type { EnvironmentFinding } from "../../environment/open.ts";
import type { Config, ConfigFlags } from "../../config/config.ts";
import { openPersonFolder } from "../../storage/folder/person/folder.ts";
import type { Redactor } from "../../base/redaction/redactor.ts";
import { NOTHING, spentOf, type Spent } from "../../past/spending.ts";
import type { Inspect, Inspection } from "../../domain/inspection.ts";
import type { Legion } from "../../legion/legion.ts";
import { CONTROL, type AgentId } from "../../domain/message.ts";
import type { Roster } from "../../legion/roster.ts";
import type { Io } from "../kit/command.ts";
import { consoleMode, isScreen, openConsole, type Console } from "./console.ts";
import { openHistory } from "./editor/history.ts";
import { createLive, type Live } from "./live/live.ts";
import { completeLine, createTalk } from "./talk.ts";
import { dispatch } from "../kit/dispatch.ts";
import { printJson } from "../kit/output.ts";
import { preface, summary, type NewestMessage } from "./banner.ts";
import type { PageOptions } from "./narration/page.ts";
import { createPrinter } from "./narration/printer.ts";
import type { Backend } from "../../storage/contract/backend.ts";
import { fitRows, paintFor, wrap } from "../kit/terminal.ts";

export interface Display {
  readonly see: Inspect;
  /** Resolves when the lines that were there from the start have been handled. */
  settled(): Promise<void>;
  /** Says something in the program's own words. */
  tell(text: string): void;
  /** Reads no more lines, shows what was held back, and says how it ended. Resolves when what was entered is kept. */
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
  /** Of what is kept of what is typed. */
  readonly redactor: Redactor;
  readonly io: Io;
  /** Resolves when commands can reach the legion. */
  readonly ready: Promise<void>;
  readonly onInterrupt: () => void;
}

const MIN_COLUMNS = 40;
const DEFAULT_COLUMNS = 80;
const DEFAULT_ROWS = 24;

/** Says who is there, and listens from now on. */
export async function openDisplay(options: DisplayOptions): Promise<Display> {
  const { readers, legion, roster, flags, io, project } = options;
  const { nodes } = options.backend;
  const stream = readers === "people" ? io.stdout : io.stderr;
  const mode = readers === "people" ? consoleMode(io) : "lines";
  const look: Pick<PageOptions, "paint" | "columns"> = {
    paint: paintFor(stream, io.env),
    columns: () => (stream.isTTY ? Math.max(MIN_COLUMNS, stream.columns || DEFAULT_COLUMNS) : Infinity),
  };
  stream.write(`${preface({ ...options, nodes, columns: look.columns(), paint: look.paint, mode })}\n`);

  const told: string[] = [];
  const history =
    mode === "prompt"
      ? await openHistory(openPersonFolder(io.env), (text) => told.push(text), options.redactor)
      : undefined;
  const tell = (text: string): void => console.print(`${wrap(text, look.columns()).join("\n")}\n`);
  const talk = createTalk({
    legion,
    io: { ...io, stdout: stream, cwd: project, env: sameSite(flags, io.env) },
    print: (rows) => console.print(fitRows(rows, look.columns())),
    dispatch: async (argv, commandIo) => {
      await options.ready;
      return dispatch(argv, commandIo);
    },
    mode,
    onSay: (text) => view.expect?.(text),
    clear: () => void (mode === "prompt" && console.clear()),
    exit: options.onInterrupt,
  });
  const console = openConsole({
    io: { ...io, stdout: stream },
    mode,
    history,
    onEntry: talk.hear,
    onRefused: (why) => tell(`legion: ${why}`),
    complete: (line) => completeLine(line, [...legion.agents.keys()], io),
    onInterrupt: () => void (talk.interrupt() || options.onInterrupt()),
  });
  const view = openView(options, console, look);
  let said: NewestMessage | undefined;
  told.forEach(tell);
  return {
    see(inspection) {
      said = saidIn(inspection) ?? said;
      view.see(inspection);
    },
    settled: console.settled,
    tell,
    async conclude(ending, spent) {
      view.close();
      console.close();
      const program = programName(io.env);
      const columns = look.columns();
      stream.write(`\n${summary({ said, ending, roster, spent, nodes, program, columns })}`);
      await history?.settled();
    },
  };
}

type EventsView = Pick<Live, "see" | "close"> & Partial<Pick<Live, "expect">>;

/** A row for each agent on a screen, every event elsewhere and where somebody wants to see them all. */
function openView(
  { readers, detail, legion, roster, io }: DisplayOptions,
  { print, show }: Pick<Console, "print" | "show">,
  look: Pick<PageOptions, "paint" | "columns">,
): EventsView {
  if (readers === "programs")
    return { see: (inspection) => printInspection(io, inspection), close: () => undefined };
  const plans = new Map(roster.roles.map(({ plan }) => [plan.identity.id, plan]));
  const spent = (agent: AgentId): Spent | undefined => {
    const opened = legion.agents.get(agent)?.agent;
    return opened && spentOf(opened.memory.ledger);
  };
  if (detail === "all" || !isScreen(io))
    return createPrinter({ ...look, print, agents: plans, spent: (agent) => spent(agent) ?? NOTHING });
  const { stdout } = io;
  const size = () => ({ columns: stdout.columns || DEFAULT_COLUMNS, rows: stdout.rows || DEFAULT_ROWS });
  const hosted = (): readonly AgentId[] => [...legion.agents.keys()];
  const live = createLive({ ...look, print, show, size, hosted, spent, agents: [...plans.keys()] });
  stdout.on("resize", live.changed);
  return {
    ...live,
    close() {
      stdout.off("resize", live.changed);
      live.close();
    },
  };
}

/** What an agent said to the person. */
function saidIn(inspection: Inspection): NewestMessage | undefined {
  if (inspection.kind !== "event" || inspection.agent !== CONTROL) return undefined;
  const { event } = inspection;
  if (event.kind !== "message" || event.message.source.type !== "agent") return undefined;
  return { by: event.message.source.id, content: event.message.content };
}

/** With these in the environment, commands are about the legion that runs here. */
function sameSite({ bus, name }: ConfigFlags, env: Io["env"]): Io["env"] {
  const said = { ...env };
  if (bus !== undefined) said["LEGION_BUS"] = bus;
  if (name !== undefined) said["LEGION_NAME"] = name;
  return said;
}

/** Log events as they are, with their agent; live ones under their own kinds. */
function printInspection(io: Io, inspection: Inspection): void {
  const { kind, agent } = inspection;
  printJson(io, kind === "event" ? { agent, ...inspection.event } : inspection);
}

/** How a person calls this program: from a clone, through npx, or installed. */
function programName(env: Io["env"]): string {
  if (env["npm_lifecycle_event"] === "start") return "npx legion";
  return env["npm_command"] === "exec" ? "npx ai-legion" : "legion";
}

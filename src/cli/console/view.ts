// What people see of a node: on a screen all that the only agent does, or a row for each of several; every event elsewhere and
// where somebody wants to see them all; and, above the prompt, the question that waits for them.

import type { Inspect } from "../../domain/inspection.ts";
import type { AgentId } from "../../domain/message/message.ts";
import type { Mode } from "../../domain/supervision.ts";
import type { Legion } from "../../legion/legion.ts";
import type { Roster } from "../../legion/roster.ts";
import { NOTHING, spentOf, type Spent } from "../../past/limits/spending.ts";
import type { Io } from "../kit/command.ts";
import { isScreen, type Console, type ConsoleMode } from "./console.ts";
import { createLive, type Live } from "./live/live.ts";
import { createStream } from "./live/stream.ts";
import type { WaysOn } from "./narration/narration.ts";
import type { PageOptions } from "./narration/page.ts";
import { createPrinter } from "./narration/printer.ts";
import { isForConsole } from "./line.ts";
import type { Floor } from "./floor.ts";
import { createToldModes, type ToldModes } from "./modes.ts";
import { createDesk, type QuestionDesk } from "./question/desk.ts";
import { invitationRows, type Invitation } from "./question/invitation.ts";
import { createTypists } from "./question/typists.ts";
import type { WaitingQuestions } from "./question/waiting.ts";

export interface ConsoleViewOptions
  extends Pick<PageOptions, "paint" | "columns">, Pick<Console, "print" | "show" | "isTyping">, WaysOn {
  /** What people see on a screen: a row for each agent and what concerns them, or every event. */
  readonly detail: "brief" | "all";
  readonly legion: Pick<Legion, "agents">;
  readonly roster: Roster;
  /** Absolute: where the agents work. */
  readonly project: string;
  readonly io: Io;
  readonly mode: ConsoleMode;
  /** How they are watched over, as the person was told. */
  readonly modes: ReadonlyMap<AgentId, Mode>;
  /** Absent: agents have the word at all times. */
  readonly floor?: Pick<Floor, "watch">;
  /** Has seen what the view is shown. */
  readonly waiting: WaitingQuestions;
  readonly tell: (text: string) => void;
}

export interface EventsView extends Pick<Live, "close" | "expect">, Pick<QuestionDesk, "answer"> {
  readonly see: Inspect;
  /** The person is told elsewhere how they watch over `agents` now. */
  readonly told: ToldModes["tell"];
}

const DEFAULT_COLUMNS = 80;
const DEFAULT_ROWS = 24;

export function openView(options: ConsoleViewOptions): EventsView {
  const { mode, paint, roster, legion, io } = options;
  const { stdout } = io;
  const size = () => ({ columns: stdout.columns || DEFAULT_COLUMNS, rows: stdout.rows || DEFAULT_ROWS });
  const modes = createToldModes(options.modes);
  const bottom = createBottomRows({ ...options, size });
  options.floor?.watch(bottom.invite);
  const agents = openAgentsView({
    ...options,
    show: bottom.showLive,
    size: () => ({ ...size(), rows: size().rows - bottom.below().length }),
  });
  const definitions = new Map(roster.roles.map(({ plan, definition }) => [plan.identity.id, definition]));
  const desk =
    mode === "prompt"
      ? createDesk({
          ...options,
          size,
          paint,
          isForConsole: (line) => isForConsole(line, [...legion.agents.keys()]),
          roleOf: (agent) => definitions.get(agent) ?? "",
          show: bottom.showAsked,
        })
      : undefined;
  const changed = (): void => {
    desk?.changed();
    agents.changed();
  };
  stdout.on("resize", changed);
  return {
    see(inspection) {
      if (modes.isOld(inspection)) return;
      bottom.see(inspection);
      desk?.see(inspection);
      agents.see(inspection);
    },
    expect: agents.expect,
    told: modes.tell,
    answer: (line) => desk?.answer(line),
    close() {
      stdout.off("resize", changed);
      desk?.close();
      agents.close();
    },
  };
}

type ScreenSize = () => { readonly columns: number; readonly rows: number };

/** What the agents do, and below what is asked or, where nothing is, what the person may type. */
function createBottomRows({
  mode,
  paint,
  roster,
  show,
  size,
}: ConsoleViewOptions & { readonly size: ScreenSize }) {
  const typists = createTypists(roster);
  let live: readonly string[] = [];
  let asked: readonly string[] = [];
  let invited: Invitation | undefined;
  const below = (): readonly string[] => {
    const invitation = asked.length === 0 ? (invited ?? typists.invitation()) : undefined;
    if (mode !== "prompt" || !invitation) return asked;
    const { columns, rows } = size();
    return invitationRows(invitation, { columns, maxRows: Math.floor(rows / SHARE), paint });
  };
  const paintAll = (): void => show([...live, ...below()]);
  return {
    see: typists.see,
    below,
    showLive(rows: readonly string[]): void {
      live = rows;
      paintAll();
    },
    showAsked(rows: readonly string[]): void {
      asked = rows;
      paintAll();
    },
    invite(invitation: Invitation | undefined): void {
      invited = invitation;
      paintAll();
    },
  };
}

/** The part of the screen that the text of an invitation may take, as a divisor. */
const SHARE = 3;

function openAgentsView(options: ConsoleViewOptions & { readonly size: ScreenSize }): Live {
  const { detail, legion, roster, project, mode, io } = options;
  const plans = new Map(roster.roles.map(({ plan }) => [plan.identity.id, plan]));
  const spent = (agent: AgentId): Spent | undefined => {
    const opened = legion.agents.get(agent)?.agent;
    return opened && spentOf(opened.memory.ledger);
  };
  const hosted = (): readonly AgentId[] => [...legion.agents.keys()];
  const questions = mode === "prompt" ? "at the prompt" : "on the page";
  const printed = {
    ...options,
    root: project,
    agents: plans,
    spent: (agent: AgentId) => spent(agent) ?? NOTHING,
  };
  if (detail === "brief" && isScreen(io))
    return plans.size === 1
      ? createStream({ ...printed, hosted, questions })
      : createLive({ ...options, hosted, spent, agents: [...plans.keys()], questions });
  const printer = createPrinter({ ...printed, questions: "on the page" });
  return { ...printer, expect: () => () => undefined, changed: () => undefined };
}

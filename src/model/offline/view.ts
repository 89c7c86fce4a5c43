// What the offline model reads out of a request: who it is, what it can do, the mail it got and what it did about it.
// One user turn is one mail: a header further down in it is content that somebody wrote, and names no sender.

import { fieldsOf } from "../../base/text/json.ts";
import { CONTROL, displayName, type AgentId } from "../../domain/message/message.ts";
import type { CallResult, ModelRequest, Turn } from "../../domain/model.ts";

export interface Received {
  /** Orders mails and decisions among each other; `FORGOTTEN` if only a goal is left of it. */
  readonly at: number;
  /** Absent: the runtime itself, or a summary of older events. */
  readonly from?: AgentId;
  readonly text: string;
  /** It was forgotten before. */
  readonly again: boolean;
}

/** Before everything in view. */
export const FORGOTTEN = -1;

/** One action that was asked for, and what came of it. */
export interface ActionStep {
  readonly action: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly result: CallResult;
}

export interface Decided {
  readonly at: number;
  readonly text: string;
  /** Empty: a plain answer. */
  readonly steps: readonly ActionStep[];
}

export interface PendingGoal {
  /** As `completeGoal` counts it. */
  readonly number: number;
  readonly text: string;
  /** What it stands for, if `writeGoal` wrote it. */
  readonly mail?: Received;
}

/** Everything that the offline model knows; all lists oldest first. */
export interface OfflineView {
  readonly own: AgentId;
  readonly tools: ReadonlySet<string>;
  readonly goals: readonly PendingGoal[];
  /** Those that goals stand for, then those in view; none from before Control last said stop. */
  readonly mails: readonly Received[];
  /** The newest mail in view. */
  readonly newest: Received | undefined;
  readonly decisions: readonly Decided[];
}

export function readView({ system, tools, turns, pinned }: ModelRequest): OfflineView {
  const shown: Received[] = [];
  const decisions: Decided[] = [];
  turns.forEach((turn, at) => {
    if (turn.role === "user") shown.push(readMail(turn.text, at));
    if (turn.role === "assistant")
      decisions.push({ at, text: turn.text, steps: readSteps(turn, turns[at + 1]) });
  });
  const stop = shown.findLast(({ from, text }) => from === CONTROL && STOP.test(text));
  // With the pinned messages at the top of the prompt they are part of the system text.
  const goals = readGoals(pinned || system);
  return {
    own: /\(agent id ([^\s)]+)\)/.exec(system)?.[1] ?? "",
    tools: new Set(tools.map(({ name }) => name)),
    goals,
    mails: stop
      ? shown.filter(({ at }) => at > stop.at)
      : [...goals.flatMap(({ mail }) => mail ?? []), ...shown],
    newest: shown.at(-1),
    decisions,
  };
}

/** What an abort says, and people do. */
const STOP = /^\s{0,80}stop\b/i;

/** The steps of every decision that stands after `at`. */
export function stepsSince({ decisions }: OfflineView, at: number): readonly ActionStep[] {
  return decisions.filter((decision) => decision.at > at).flatMap(({ steps }) => steps);
}

/** The id of the agent that people know by `name`: `Control`, `Agent 2`, `writer`, or the id itself. */
export function agentIdOf(name: string): AgentId {
  const id = name.trim().toLowerCase();
  return id === "control" ? CONTROL : id.replace(/^agent (?=\d+$)/, "");
}

const HEADER = /^--- MESSAGE FROM ([^\n]{1,80}) ---\n(?:Receipts: [^\n]*\n)?\n?/;

function readMail(turn: string, at: number): Received {
  const header = HEADER.exec(turn);
  const text = turn.slice(header?.[0].length ?? 0);
  return { at, from: header ? agentIdOf(header[1]!) : undefined, text, again: false };
}

function readSteps({ calls }: Turn & { role: "assistant" }, next: Turn | undefined): readonly ActionStep[] {
  const results = next?.role === "results" ? next.results : [];
  return calls.map(({ id, action, parameters }) => ({
    action,
    parameters: fieldsOf(parameters),
    result: results.findLast(({ call }) => call === id) ?? { call: id, content: "", isError: true },
  }));
}

/**
 * A goal from which `mail` can be read again: where older events were summarised, a pending goal is all that an agent
 * still knows of its work.
 */
export function writeGoal({ from = CONTROL, text, again }: Omit<Received, "at">): string {
  return `For ${displayName(from)}${again ? ", again" : ""}: ${text}`;
}

const GOAL = /^For ([^:,]{1,80})(, again)?: (.+)$/;

function readGoals(introduction: string): PendingGoal[] {
  return Array.from(introduction.matchAll(/^(\d{1,9})\) "(.*)" \[PENDING\]$/gm), ([, number, goal]) => {
    const [, from, again, text] = GOAL.exec(goal!) ?? [];
    return {
      number: Number(number),
      text: goal!,
      mail:
        from && text ? { at: FORGOTTEN, from: agentIdOf(from), text, again: again !== undefined } : undefined,
    };
  });
}

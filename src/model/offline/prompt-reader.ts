// What the offline model reads out of a request: who it is, what it can do, the mail it got and what it did about it.
// One user turn is one mail: a header further down in it is content that somebody wrote, and names no sender.

import { CONTROL, type AgentId } from "../../domain/message.ts";
import type { CallResult, ModelRequest, Turn } from "../../domain/model.ts";

export interface ReadMail {
  /** Absent: the runtime itself, or a summary of older events. */
  readonly from?: AgentId;
  readonly text: string;
}

export interface Received {
  /** Orders mails and decisions among each other. */
  readonly at: number;
  readonly mail: ReadMail;
}

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

export interface Goal {
  /** As `completeGoal` counts it. */
  readonly number: number;
  readonly text: string;
}

/** Everything that the offline model knows; all lists oldest first. */
export interface OfflineView {
  readonly own: AgentId;
  readonly tools: ReadonlySet<string>;
  readonly pendingGoals: readonly Goal[];
  /** Pending goals that stand for work still to do, also where its beginning was forgotten. */
  readonly standingGoals: readonly Goal[];
  /** Since Control last said stop: what was asked before is left as it is. */
  readonly mails: readonly Received[];
  readonly decisions: readonly Decided[];
  /** Where the newest decision stands that ended in waiting; -1 without one. What was asked before it is settled. */
  readonly idleAt: number;
}

export function readView({ system, tools, turns, pinned }: ModelRequest): OfflineView {
  const mails: Received[] = [];
  const decisions: Decided[] = [];
  turns.forEach((turn, at) => {
    if (turn.role === "user") mails.push({ at, mail: readMail(turn) });
    if (turn.role !== "assistant") return;
    decisions.push({ at, text: turn.text, steps: readSteps(turn, turns[at + 1]) });
  });
  const stop = mails.findLast(({ mail }) => mail.from === CONTROL && STOP.test(mail.text));
  // With the pinned messages at the top of the prompt they are part of the system text.
  const pendingGoals = readPendingGoals(pinned || system);
  return {
    own: /\(agent id ([^\s)]+)\)/.exec(system)?.[1] ?? "",
    tools: new Set(tools.map(({ name }) => name)),
    pendingGoals,
    standingGoals: stop ? [] : pendingGoals,
    mails: stop ? mails.filter(({ at }) => at > stop.at) : mails,
    decisions,
    idleAt: decisions.findLast(isIdle)?.at ?? -1,
  };
}

/** What an abort says, and people do. */
const STOP = /^\s{0,80}stop\b/i;

/** Did the agent wait for mail after it? */
export function isIdle({ steps }: Decided): boolean {
  return steps.every(({ action }) => action === "noop");
}

/** The steps of every decision that stands after `at`. */
export function stepsSince({ decisions }: OfflineView, at: number): readonly ActionStep[] {
  return decisions.filter((decision) => decision.at > at).flatMap(({ steps }) => steps);
}

/** The id of the agent that people know by `name`: `Control`, `Agent 2`, `writer`, or the id itself. */
export function agentIdOf(name: string): AgentId {
  const id = name.trim().toLowerCase();
  return id === "control" ? CONTROL : id.replace(/^agent (?=\d+$)/, "");
}

/** Computes a value once for every object. Turns stay the same from request to request, so their readings can too. */
export function remember<K extends object, V>(compute: (key: K) => V): (key: K) => V {
  const known = new WeakMap<K, { readonly value: V }>();
  return (key) => {
    let found = known.get(key);
    if (!found) known.set(key, (found = { value: compute(key) }));
    return found.value;
  };
}

export function groupBy<T, K>(items: readonly T[], keyOf: (item: T) => K): ReadonlyMap<K, readonly T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}

const HEADER = /^--- MESSAGE FROM ([^\n]{1,80}) ---\n\n?/;

const readMail = remember(({ text }: { readonly text: string }): ReadMail => {
  const header = HEADER.exec(text);
  return header ? { from: agentIdOf(header[1]!), text: text.slice(header[0].length) } : { text };
});

// By the results, which stand behind one decision only.
const knownSteps = new WeakMap<Turn, readonly ActionStep[]>();

function readSteps({ calls }: Turn & { role: "assistant" }, next: Turn | undefined): readonly ActionStep[] {
  const results = next?.role === "results" ? next : undefined;
  const known = results && knownSteps.get(results);
  if (known) return known;
  const byCall = new Map(results?.results.map((result) => [result.call, result]));
  const steps = calls.map(({ id, action, parameters }) => ({
    action,
    parameters: isObject(parameters) ? parameters : {},
    result: byCall.get(id) ?? { call: id, content: "", isError: true },
  }));
  if (results) knownSteps.set(results, steps);
  return steps;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function readPendingGoals(introduction: string): Goal[] {
  return Array.from(introduction.matchAll(/^(\d{1,9})\) "(.*)" \[PENDING\]$/gm), (line) => ({
    number: Number(line[1]),
    text: line[2]!,
  }));
}

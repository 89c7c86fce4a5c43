// One agent with one task, up to its end: what `legion run` and the library's `run` have in common.

import { isLegionError } from "../../base/errors.ts";
import { linkSignals } from "../../base/process/signals.ts";
import type { Agent } from "../../agent/parts/agent.ts";
import { CONTROL } from "../../domain/message/message.ts";
import { modeNotice, type Mode } from "../../domain/supervision.ts";
import { isAtRest } from "../../past/conversation.ts";
import type { RunEnd } from "../../past/run-state.ts";
import { until } from "../quiescence.ts";
import type { Supervised } from "../supervision/supervisor.ts";
import { endOf } from "./ending.ts";
import { boundOutages, type OutagePatience } from "./outage.ts";
import { workerIn, type Workshop } from "./workshop.ts";

/** Said to an agent that would rest otherwise: it was stopped, or came to rest without a word. */
export const GO_ON = "Go on with your task.";

/** How a person watches over an agent from now on. */
export interface ModeChoice {
  readonly mode: Mode;
  /** What they said of it, now or before; absent: nothing. */
  readonly said?: Mode | undefined;
}

/** What an agent is told as it begins, or goes on. */
export interface FirstWord {
  /** Absent: it goes on with what its log has left open. */
  readonly task?: string | undefined;
  /** Absent: as before. */
  readonly watch?: ModeChoice | undefined;
}

/**
 * Tells the agent. Whatever it was stopped for before, it goes on; for what it was stopped since it is here, not before the person
 * knows. Resolves when all of that is in its log or its mailbox.
 */
export async function takeUp(workshop: Workshop, { task, watch }: FirstWord): Promise<void> {
  const { legion, agent } = workshop;
  const supervised = workerIn(workshop);
  // A mode is mail, too, but nothing to do: looked at before that is there.
  const said = task ?? (isLeftResting(supervised.agent) ? GO_ON : undefined);
  if (watch) await watchOver(workshop, watch);
  if (said !== undefined) await legion.control.say([agent], said);
  const { agent: open } = supervised;
  const { halt } = open?.memory.conversation ?? {};
  if (open && halt && halt.epoch !== open.tenure.epoch) await supervised.resume();
}

/** What lets more be done unasked is no word of the person before they say it, whatever a file says: it ends with this process. */
async function watchOver(workshop: Workshop, { mode, said }: ModeChoice): Promise<void> {
  const { legion, agent } = workshop;
  const supervised = workerIn(workshop);
  if (mode === said || mode === "confirm" || mode === "human") {
    if (!isIn(mode, supervised.agent)) await legion.control.switchMode([agent], mode);
  } else if (mode !== "usual") await supervised.alone(({ memory }) => memory.commit(modeNotice({ mode })));
}

function isIn(mode: Mode, agent: Agent | undefined): boolean {
  const run = agent?.memory.conversation.run;
  return run !== undefined && run.isModeSaid && run.mode === mode;
}

/** Would it do nothing without a word of the person, though its task is not done? */
function isLeftResting(agent: Agent | undefined): boolean {
  if (!agent) return false;
  const { memory, inbox } = agent;
  const end = endOf(memory.conversation, inbox.unread);
  return end !== undefined && end.status !== "Submitted" && isAtRest(memory.conversation);
}

/** Resolves once it may be said that the task ended with `end`: somebody may give its agent more to do before. `over`: it has. */
export type HoldEnd = (end: RunEnd, over: AbortSignal) => Promise<void>;

const HELD_BY_NOBODY: HoldEnd = () => Promise.resolve();

/**
 * Resolves with the end of the task once the log says it; `undefined` if `signal` aborts before, or if somebody stopped the agent:
 * then it is open how the task ends.
 */
export async function untilOver(
  workshop: Workshop,
  signal: AbortSignal,
  patience: OutagePatience,
  hold = HELD_BY_NOBODY,
): Promise<RunEnd | undefined> {
  const close = boundOutages(workshop, patience);
  try {
    for (;;) {
      await untilStill(workshop, signal);
      await whileHeld(workshop, hold, signal);
      const supervised = workerIn(workshop);
      if (signal.aborted || supervised.standing.state === "stopped") return undefined;
      const end = await sayEnd(supervised).catch((error: unknown) => {
        if (!isLegionError(error, "STORAGE") && !isLegionError(error, "DAMAGED")) throw error;
        return brokenEnd(supervised);
      });
      if (end) return end;
    }
  } finally {
    close();
  }
}

/** Resolves when nobody holds the end any more, or has given the agent more to do, or when `signal` aborts. */
async function whileHeld(workshop: Workshop, hold: HoldEnd, signal: AbortSignal): Promise<void> {
  const end = endIn(workshop);
  if (!end || signal.aborted) return;
  const over = new AbortController();
  const linked = linkSignals(signal, over.signal);
  const unwatch = workshop.legion.inspector.watch(() => endIn(workshop) === undefined && over.abort());
  try {
    await hold(end, linked.signal);
  } finally {
    unwatch();
    linked.unlink();
  }
}

/** As far as one can see. */
function endIn(workshop: Workshop): RunEnd | undefined {
  const { agent } = workerIn(workshop);
  return agent && endOf(agent.memory.conversation, agent.inbox.unread);
}

/** Has the log say how the task is over; `undefined` if it is not. */
function sayEnd(supervised: Supervised): Promise<RunEnd | undefined> {
  return supervised.alone(async () => {
    const { memory, inbox } = supervised.agent!;
    const end = endOf(memory.conversation, inbox.unread);
    if (!end || memory.conversation.run.end) return end;
    const { status, submission, reason: content } = end;
    await memory.commit({ kind: "notice", reason: "ended", content, details: { status, submission } });
    return memory.conversation.run.end;
  });
}

/** Its log cannot take an end. */
function brokenEnd({ standing }: Supervised): RunEnd {
  return { status: "Error", submission: "", reason: standing.reason };
}

/** Resolves when the task is over, as far as one can see, when its agent cannot go on, or when `signal` aborts. */
async function untilStill(workshop: Workshop, signal: AbortSignal): Promise<void> {
  const { inspector } = workshop.legion;
  const isStill = (): boolean => {
    const { agent, standing } = workerIn(workshop);
    if (standing.state === "stopped" || standing.state === "halted") return true;
    if (!agent || endIn(workshop) === undefined) return false;
    // Whoever is told has it before the process ends.
    return agent.outbox.undelivered().every(({ to }) => to !== CONTROL);
  };
  await until(isStill, (look) => inspector.watch(({ kind }) => kind !== "live:delta" && look()), signal);
}

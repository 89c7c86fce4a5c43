// The task of a run: it is said to the agent, which may have work left from before, and is done when the agent rests.

import { setTimeout as delay } from "node:timers/promises";
import { linkSignals } from "../../../base/process/signals.ts";
import { sendsOf, type Event } from "../../../domain/event/event.ts";
import type { Inspect } from "../../../domain/inspection.ts";
import {
  CONTROL,
  displayName,
  isFromControl,
  laneOf,
  parseMessageId,
  type AgentId,
  type Message,
} from "../../../domain/message/message.ts";
import type { Legion } from "../../../legion/legion.ts";
import { until } from "../../../legion/quiescence.ts";
import { whyNotDone } from "../start/shutdown.ts";
import type { Watcher } from "../start/view.ts";
import { planWorkload, type Workload, type WorkloadOrder } from "../start/workload.ts";

export interface TaskOutcome {
  readonly end: "completed" | "aborted" | "limit" | "error";
  /** What the agent said last since it took the task in; absent: nothing. */
  readonly answer?: string;
  /** Why it is not completed, in a few words. */
  readonly reason?: string;
}

export interface Task {
  readonly see: Inspect;
  /** As `planWorkload`. */
  readonly plan: (order: WorkloadOrder, watcher: Watcher) => Promise<Workload>;
  /** As far as is known. */
  outcome(): TaskOutcome;
}

/** How long what is aborted may take before it is left as it is. */
const ABORTING_MS = 5_000;
const ABORTED = "The person stopped this run.";

/** @param run its name, for whoever wants to go on with it */
export function createTask(text: string, run: string): Task {
  let agent: AgentId = "1";
  let answer: string | undefined;
  let ending: Pick<TaskOutcome, "end" | "reason"> = { end: "error", reason: "something broke" };
  const hear = (event: Event): void => {
    // What is said before that belongs to what was left to do.
    if (event.kind === "message" && isFromPerson(event.message)) answer = undefined;
    if (event.kind === "decision" || event.kind === "result") answer = saidToPerson(event) ?? answer;
  };
  return {
    see(inspection) {
      if (inspection.kind === "event" && inspection.agent === agent) hear(inspection.event);
    },
    outcome: () => ({ ...ending, answer }),
    async plan(order, watcher) {
      const workload = await planWorkload(order, watcher);
      agent = workload.roster.roles[0]!.plan.identity.id;
      return {
        ...workload,
        farewell: `Stopped; legion run --session ${run} "<task>" goes on.`,
        begin: (legion) => give(text, agent, legion),
        async done(legion, signal) {
          await untilOver(legion, agent, signal);
          if (!signal.aborted) return;
          ending = { end: "aborted", reason: ABORTED };
          await abort(legion, agent);
        },
        obstacle(legion) {
          const reason = whyNotDone(legion) ?? whyUnanswered(agent, answer);
          const isLimit = haltOf(legion, agent) === "parked-limit";
          ending = reason === undefined ? { end: "completed" } : { end: isLimit ? "limit" : "error", reason };
          return Promise.resolve(reason && `${reason} (run ${run})`);
        },
      };
    },
  };
}

/** Whoever gives a task to an agent that was parked or paused wants it to go on, with that task. */
async function give(text: string, agent: AgentId, legion: Legion): Promise<void> {
  await legion.control.say([agent], text);
  if (haltOf(legion, agent) !== undefined) await legion.agents.get(agent)!.resume();
}

function haltOf({ agents }: Legion, agent: AgentId) {
  return agents.get(agent)?.agent?.memory.conversation.halt?.reason;
}

/** Resolves when the agent rests, when it cannot go on, or when `signal` aborts. */
async function untilOver(legion: Legion, agent: AgentId, signal: AbortSignal): Promise<void> {
  const over = new AbortController();
  const { signal: either, unlink } = linkSignals(signal, over.signal);
  const { inspector, agents } = legion;
  const isHalted = (): boolean => agents.get(agent)!.standing.state === "halted";
  const halted = until(
    isHalted,
    (look) => inspector.watch(({ kind }) => kind === "live:state" && look()),
    either,
  );
  try {
    await Promise.race([legion.untilIdle(either), halted]);
  } finally {
    over.abort();
    unlink();
  }
}

/** Its log says that what it was at is over, so that the next task is not taken for a part of it. */
async function abort(legion: Legion, agent: AgentId): Promise<void> {
  const { state } = legion.agents.get(agent)!.standing;
  if (state === "halted" || state === "parked" || state === "paused") return;
  await legion.control.say([agent], ABORTED, "abort");
  await Promise.race([
    legion.untilIdle(new AbortController().signal),
    delay(ABORTING_MS, undefined, { ref: false }),
  ]);
}

function isFromPerson(message: Message): boolean {
  return message.source.type === "agent" && isFromControl(message) && laneOf(message) === "normal";
}

/** The last of what an event says to the person. */
function saidToPerson(event: Event): string | undefined {
  return sendsOf(event).findLast(({ id }) => parseMessageId(id).to === CONTROL)?.content;
}

function whyUnanswered(agent: AgentId, answer: string | undefined): string | undefined {
  return answer === undefined ? `${displayName(agent)} rests without an answer` : undefined;
}

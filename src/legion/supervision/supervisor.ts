// Runs one actor and judges what it throws: again after a pause, parked, or halted. Between two runs it is the only one
// that writes to the agent's log, so a person's word (pause, resume) is never in the actor's way.
//
// What breaks the log, or keeps it from being opened, halts this agent alone until the cause is gone: its log is opened
// anew every ten seconds, and it goes on from what was acknowledged. One that rests may be closed, until something comes.

import { isModeWanted } from "../../agent/act/mode.ts";
import { runActor } from "../../agent/actor.ts";
import type { Agent } from "../../agent/parts/agent.ts";
import type { Identity } from "../../domain/authoring/host.ts";
import type { Standing } from "../../agent/parts/presence.ts";
import { park } from "../../agent/park.ts";
import { LegionError, isLegionError, messageOf } from "../../base/errors.ts";
import { openQuestion } from "../../past/questions.ts";
import { openCalls } from "../../past/conversation.ts";
import { type NewEvent } from "../../domain/event/event.ts";
import { restartNotice } from "../../domain/event/notice.ts";
import { firstOf, SHUTDOWN } from "../../base/process/signals.ts";
import { owning, type TakeStray } from "../../base/async-owner.ts";
import { createUpkeep, type Upkeep } from "./reopening.ts";
import { createSleep, type Rest } from "./sleep.ts";
import type { Writer } from "../../mail/log-access.ts";

export interface Supervised extends Writer {
  /** As it was opened; `undefined` while it could not be, or rests. */
  readonly agent: Agent | undefined;
  readonly standing: Standing;
  /** It is closed, for it has nothing to do. */
  readonly isAsleep: boolean;
  /** Has it nothing to do, so that it could be closed? */
  mayLieDown(): boolean;
  /** Has it closed if so. */
  lieDown(): void;
  /** Has it opened: something is about to come. */
  wake(): void;
  pause(reason: string): Promise<void>;
  resume(): Promise<void>;
  /**
   * Finishes what runs, then ends. Default `stop`: only another start runs the agent again. `handOver`: another process
   * does, and what is asked here from now on is refused with LOCKED.
   */
  stop(way?: Ending): Promise<void>;
}

export type Ending = "stop" | "handOver";

export interface Supervision extends Upkeep {
  /** Aborts, with SHUTDOWN, when what runs has to stop at once. */
  readonly now: AbortSignal;
  /** Absent: it stays open. */
  readonly rest?: Rest;
  /** From 0 to 1. Default `Math.random`. */
  readonly random?: () => number;
}

/** Thrown to end a run because something is to be done before the next one. */
export const ERRAND = new LegionError("REFUSED", "Something else is to be done first.");

const REOPEN_MS = 10_000;

export function supervise({ now, rest, random = Math.random, ...opening }: Supervision): Supervised {
  const { identity } = opening;
  const upkeep = createUpkeep(opening);
  const life: Life = { run: new AbortController(), stopping: undefined, strays: [] };
  const interrupt = (): void => life.run.abort();
  const take = (error: unknown): void => {
    life.strays.push(error);
    interrupt();
  };
  const sleep = createSleep(upkeep, rest, interrupt);
  const errands = createErrands(interrupt, take);
  const { shared } = opening;
  const { work, face, halt } = createRuns(life, { shared, now, upkeep, errands, judge: createJudge(random) });
  const loop = async (): Promise<void> => {
    while (!life.stopping && !now.aborted) {
      life.run = new AbortController();
      await sleep.over(life.run.signal);
      if (!life.run.signal.aborted) await work().catch(face).catch(halt);
      await sleep.begin(() => !life.stopping && errands.areNone()).catch(halt);
    }
    life.stopping ??= "stop";
    upkeep.presence.show("stopped");
    await errands.run(upkeep.whole);
  };
  const running = owning(take, loop);
  const alone: Writer["alone"] = async (errand) => {
    const other = sleep.isAsleep ? rest?.other() : undefined;
    if (other) return other.alone(errand);
    if (sleep.isAsleep && !life.stopping) await rest?.wake();
    return life.stopping ? Promise.reject(refusals[life.stopping](identity)) : errands.add(errand);
  };
  return {
    ...createOrders(alone),
    get agent() {
      return upkeep.agent;
    },
    get standing() {
      return upkeep.presence.standing;
    },
    get isAsleep() {
      return sleep.isAsleep;
    },
    ...{ mayLieDown: sleep.mayBegin, lieDown: sleep.want, wake: sleep.end },
    alone,
    async stop(way = "stop") {
      if (!now.aborted && upkeep.isWhole) noteEnding(upkeep.whole());
      life.stopping = way;
      interrupt();
      await running;
    },
  };
}

/** From the first run of the actor to the last. */
interface Life {
  /** Ends the run under way. */
  run: AbortController;
  stopping: Ending | undefined;
  /** Thrown by something of the agent's that the actor did not wait for. */
  readonly strays: unknown[];
}

interface RunParts extends Pick<Supervision, "now" | "shared"> {
  readonly upkeep: ReturnType<typeof createUpkeep>;
  readonly errands: ReturnType<typeof createErrands>;
  readonly judge: ReturnType<typeof createJudge>;
}

/** One run: what was to be done before it, then the actor; and what becomes of what that threw. */
function createRuns(life: Life, { now, shared, upkeep, errands, judge }: RunParts) {
  return {
    async work(): Promise<void> {
      const agent = await upkeep.mend();
      await errands.run(upkeep.whole);
      if (!life.stopping && life.strays.length === 0) await runActor(agent, life.run.signal, now);
      if (life.strays.length > 0) throw life.strays.pop();
    },
    async face(error: unknown): Promise<void> {
      const { signal } = life.run;
      const isLost = hasLost(upkeep.agent);
      if (isLost || now.aborted || error === SHUTDOWN)
        return void (life.stopping ??= isLost ? "handOver" : "stop");
      if (isBroken(error) || !upkeep.isWhole) throw error;
      // Whoever was told to stop and gave up what it waited for has not failed.
      if (error !== ERRAND && error !== signal.reason) await judge(upkeep.whole(), error, signal);
    },
    async halt(error: unknown): Promise<void> {
      upkeep.halt(error);
      await errands.run(upkeep.whole);
      await shared.clock.sleep(REOPEN_MS, life.run.signal);
    },
  };
}

/** Has the right to run it been lost? Then whatever went wrong is the business of whoever has it now. */
function hasLost(agent: Agent | undefined): boolean {
  try {
    agent?.tenure.check();
    return false;
  } catch {
    return true;
  }
}

const refusals: Readonly<Record<Ending, (who: Identity) => LegionError>> = {
  stop: ({ name }) => new LegionError("REFUSED", `${name} is stopped.`),
  handOver: ({ name }) => new LegionError("LOCKED", `${name} is being handed over to another node.`),
};

/** A person's word: it holds across restarts. */
function createOrders(alone: Writer["alone"]): Pick<Supervised, "pause" | "resume"> {
  const add = async (event: NewEvent): Promise<void> => {
    await alone(({ memory }) => memory.commit(event));
  };
  return {
    pause: (reason) => add({ kind: "notice", reason: "paused", content: reason }),
    resume: () => add({ kind: "notice", reason: "resumed", content: "" }),
  };
}

/** What is to be done between two runs of the actor; `onBroken` is told of what breaks the log. */
function createErrands(onAdded: () => void, onBroken: TakeStray) {
  const waiting: {
    readonly run: (agent: Agent) => Promise<void>;
    readonly refuse: (error: unknown) => void;
  }[] = [];
  return {
    areNone: (): boolean => waiting.length === 0,
    add<T>(errand: (agent: Agent) => Promise<T>): Promise<T> {
      return new Promise((resolve, reject) => {
        const fail = (error: unknown): void => {
          if (isBroken(error)) onBroken(error);
          reject(error as Error);
        };
        waiting.push({ run: (agent) => errand(agent).then(resolve, fail), refuse: reject });
        onAdded();
      });
    },
    /** Runs them in the order in which they came; refuses them where there is no agent to run them. */
    async run(find: () => Agent): Promise<void> {
      for (let errand = waiting.shift(); errand; errand = waiting.shift()) {
        await Promise.resolve().then(find).then(errand.run).catch(errand.refuse);
      }
    },
  };
}

function isBroken(error: unknown): boolean {
  return isLegionError(error, "STORAGE") || isLegionError(error, "DAMAGED");
}

/** No start that ends from now on ended in a call of this agent, under way or yet to be decided on: it was told to. */
function noteEnding({ memory, presence }: Agent): void {
  const { conversation, ledger } = memory;
  if (conversation.halt || memory.isDead() || ledger.start.isEnding) return;
  const [call] = openCalls(conversation);
  const doing = openQuestion(conversation.questions) ? "waited for an answer" : "ran";
  const what = call ? `${call.action} ${doing}` : presence.standing.state === "thinking" && "it thought";
  try {
    if (what) memory.note(restartNotice(`The process was told to end while ${what}.`, "ending"));
  } catch (error) {
    // What runs comes upon it as well, and ends all the same.
    if (!isBroken(error)) throw error;
  }
}

const FIRST_RESTART_MS = 1_000;
const LAST_RESTART_MS = 60_000;
/** More restarts than this within that time halt the agent; without one for as long as the last, they count anew. */
const MAX_RESTARTS = 5;
const RESTARTS_WITHIN_MS = 600_000;
const HEALTHY_MS = 300_000;

/**
 * Decides what a failure means: parks or halts the agent, or waits before its next run, until `signal` aborts. Rejects
 * with what breaks its log.
 */
function createJudge(random: () => number) {
  let restarts: number[] = [];
  let streak = 0;
  let decided = 0;
  return async (agent: Agent, error: unknown, signal: AbortSignal): Promise<void> => {
    const { memory, presence, shared } = agent;
    const reason = messageOf(error);
    if (isLegionError(error, "CONTEXT_OVERFLOW"))
      return park(agent, "parked", reason, { end: "ContextExceeded" });
    // What its model, or a template of its own, refuses will be refused again.
    if (isLegionError(error, "MODEL_REFUSED") || isLegionError(error, "CONFIG"))
      return park(agent, "parked", reason, { end: "Error" });
    const nowMs = shared.clock.now();
    const decision = memory.conversation.decision?.event.seq ?? 0;
    if (decision > decided || nowMs - (restarts.at(-1) ?? nowMs) > HEALTHY_MS) streak = 0;
    decided = decision;
    streak++;
    // A provider that is down is no fault of the agent's: it waits for as long as that lasts.
    const isWaiting = isLegionError(error, "MODEL_BUSY");
    if (!isWaiting) {
      restarts = [...restarts.filter((atMs) => nowMs - atMs < RESTARTS_WITHIN_MS), nowMs];
      if (restarts.length > MAX_RESTARTS) {
        restarts = [];
        return park(agent, "halted", `${MAX_RESTARTS} restarts within 10 minutes did not help: ${reason}`);
      }
    }
    const what = isWaiting ? "The model gave no answer, and is asked again" : "It failed, and begins anew";
    memory.note(restartNotice(`${what}: ${reason}`));
    const waitMs = Math.min(FIRST_RESTART_MS * 2 ** (streak - 1), LAST_RESTART_MS) * (0.8 + 0.4 * random());
    presence.show("retrying", `${reason} (again in ${Math.ceil(waitMs / 1_000)} s)`);
    await waitOut(agent, waitMs, signal);
  };
}

/** Waits so long, or until the person wants another mode, or what runs to be stopped. */
async function waitOut(agent: Agent, waitMs: number, signal: AbortSignal): Promise<void> {
  const { inbox, shared } = agent;
  await firstOf(signal, (over) => {
    const wanted = async (): Promise<void> => {
      while (!over.aborted && !inbox.interrupt().aborted && !isModeWanted(agent)) await inbox.heard(over);
    };
    return [shared.clock.sleep(waitMs, over), wanted()];
  });
}

// Runs one actor and judges what it throws: again after a pause, parked, or halted. Between two runs it is the only one
// that writes to the agent's log, so a person's word (pause, resume) is never in the actor's way.
//
// What breaks the log, or keeps it from being opened, halts this agent alone until the cause is gone: its log is opened
// anew every ten seconds, and it goes on from what was acknowledged.

import { runActor } from "./actor.ts";
import { show, type Agent, type Identity, type Post, type Standing } from "./agent.ts";
import { formatDuration } from "./duration.ts";
import { LegionError, isLegionError, messageOf } from "./errors.ts";
import type { NewEvent, NoticeEvent } from "./event.ts";
import { fruitlessStarts } from "./ledger.ts";
import { park } from "./park.ts";
import { SHUTDOWN } from "./signals.ts";
import { owning, type TakeStray } from "./stray.ts";
import { mend as mendLog, type Writer } from "./writer.ts";

export interface Supervised extends Writer {
  /** As it was opened; `undefined` while it could not be. */
  readonly agent: Agent | undefined;
  readonly standing: Standing;
  pause(reason: string): Promise<void>;
  resume(): Promise<void>;
  /** Finishes what runs, then ends; only another start runs the agent again. */
  stop(): Promise<void>;
}

export interface Supervision {
  readonly post: Post;
  /** Absent: it could not be opened yet. */
  readonly agent: Agent | undefined;
  /** Opens the agent, or rejects with what keeps it from being opened. Called until it resolves. */
  readonly open: () => Promise<Agent>;
  /** Aborts, with SHUTDOWN, when what runs has to stop at once. */
  readonly now: AbortSignal;
  /** From 0 to 1. Default `Math.random`. */
  readonly random?: () => number;
}

/** How often a log that is broken is tried. */
const REOPEN_MS = 10_000;
/** Starts in a row that ended in the middle of this agent's work, with nothing to show for it. */
const MAX_FRUITLESS = 3;
const POISON = `${MAX_FRUITLESS} starts in a row ended while this agent was deciding or acting, without any result`;

export function supervise({ now, random = Math.random, ...opening }: Supervision): Supervised {
  const { post } = opening;
  const upkeep = createUpkeep(opening);
  let run = new AbortController();
  /** Thrown by something of the agent's that the actor did not wait for. */
  const strays: unknown[] = [];
  const take = (error: unknown): void => {
    strays.push(error);
    run.abort();
  };
  const errands = createErrands(() => run.abort(), take);
  const judge = createJudge(random);
  let stopping = false;
  const work = async (): Promise<void> => {
    const agent = await upkeep.mend();
    await errands.run(upkeep.whole);
    if (!stopping && strays.length === 0) await runActor(agent, run.signal, now);
    if (strays.length > 0) throw strays.pop();
  };
  const face = async (error: unknown): Promise<void> => {
    if (now.aborted || error === SHUTDOWN) return void (stopping = true);
    // Whoever was told to stop and gave up what it waited for has not failed.
    if (error === run.signal.reason) return noteGivenUp(upkeep.whole());
    if (isBroken(error) || !upkeep.isWhole) throw error;
    await judge(upkeep.whole(), error, run.signal);
  };
  const halt = async (error: unknown): Promise<void> => {
    upkeep.halt(error);
    await errands.run(upkeep.whole);
    await post.shared.clock.sleep(REOPEN_MS, run.signal);
  };
  const loop = async (): Promise<void> => {
    while (!stopping && !now.aborted) {
      run = new AbortController();
      await work().catch(face).catch(halt);
    }
    stopping = true;
    show(upkeep.post, "stopped");
    await errands.run(upkeep.whole);
  };
  const running = owning(take, loop);
  const alone: Writer["alone"] = (errand) =>
    stopping ? Promise.reject(hasStopped(post.identity)) : errands.add(errand);
  return {
    ...createOrders(alone),
    get agent() {
      return upkeep.agent;
    },
    get standing() {
      return upkeep.post.standing;
    },
    alone,
    async stop() {
      stopping = true;
      run.abort();
      await running;
    },
  };
}

function hasStopped({ name }: Identity): LegionError {
  return new LegionError("REFUSED", `${name} is stopped.`);
}

/** A person's word: it holds across restarts. */
function createOrders(alone: Writer["alone"]): Pick<Supervised, "pause" | "resume"> {
  const add = (event: NewEvent): Promise<void> => alone(({ memory }) => memory.commit(event));
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

/** Keeps the agent open. */
function createUpkeep({ post, open, ...first }: Pick<Supervision, "post" | "open" | "agent">) {
  const { identity, shared } = post;
  let { agent } = first;
  let isGuarded = false;
  /** What is wrong with its log, and since when; `undefined` while it is whole. */
  let broken: { readonly reason: string; readonly trouble: string; readonly sinceMs: number } | undefined;
  return {
    get agent() {
      return agent;
    },
    get post(): Post {
      return agent ?? post;
    },
    get isWhole() {
      return agent !== undefined && !broken;
    },
    /** Throws STORAGE with the reason if the agent is halted. */
    whole(): Agent {
      if (agent && !broken) return agent;
      throw new LegionError("STORAGE", `${identity.name} is halted: ${broken?.reason ?? "it is not open"}`);
    },
    halt(error: unknown): void {
      const reason = messageOf(error);
      if (!broken) {
        broken = { reason, trouble: troubleOf(error), sinceMs: shared.clock.now() };
        const content = `${identity.name} is halted, and goes on once this is over: ${reason}`;
        shared.tellControl(identity.id, broken.trouble, content);
      }
      const { state, reason: shown } = (agent ?? post).standing;
      if (state !== "halted" || shown !== reason) show(agent ?? post, "halted", reason);
    },
    /** Opens the agent, or its log anew, and says in it what was wrong. */
    async mend(): Promise<Agent> {
      const past = broken && haltNotice(broken.reason, shared.clock.now() - broken.sinceMs);
      if (agent && past) await agent.memory.reopen(past);
      else if (!agent) {
        agent = await open();
        if (past) await agent.memory.commit(past);
      } else await mendLog(agent.memory);
      if (broken && past) {
        show(agent, "waiting");
        const content = `${identity.name} goes on. ${past.content}`;
        shared.tellControl(identity.id, `${broken.trouble}, which is over`, content);
      }
      broken = undefined;
      if (!isGuarded) await guard(agent);
      isGuarded = true;
      return agent;
    },
  };
}

function isBroken(error: unknown): boolean {
  return isLegionError(error, "STORAGE") || isLegionError(error, "DAMAGED");
}

/** What is wrong, whichever file it was noticed at: a full disk is one trouble of all agents. */
function troubleOf(error: unknown): string {
  if (error instanceof Error && error.cause !== undefined) return troubleOf(error.cause);
  const message = messageOf(error);
  return error instanceof Error && "syscall" in error ? message.replace(/, .*/s, "") : message;
}

/** Keeps an agent from taking the node down again and again. */
async function guard(agent: Agent): Promise<void> {
  const { ledger, conversation } = agent.memory;
  if (!conversation.halt && fruitlessStarts(ledger) >= MAX_FRUITLESS) await park(agent, "parked", POISON);
}

/** No start that ends now ended in that call. */
function noteGivenUp({ memory }: Agent): void {
  if (memory.ledger.promptedMs > 0) memory.note(restartNotice("It gave up a model call that it waited for."));
}

function restartNotice(content: string): NoticeEvent {
  return { kind: "notice", reason: "restarted", content };
}

function haltNotice(reason: string, forMs: number): NoticeEvent {
  const time = formatDuration(Math.round(forMs / 1_000) * 1_000);
  return restartNotice(`It was halted for ${time}: ${reason}`);
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
    const { memory, shared } = agent;
    const reason = messageOf(error);
    if (isLegionError(error, "MODEL_REFUSED") || isLegionError(error, "CONTEXT_OVERFLOW")) {
      return park(agent, "parked", reason);
    }
    const nowMs = shared.clock.now();
    const decision = memory.conversation.decision?.event.seq ?? 0;
    if (decision > decided || nowMs - (restarts.at(-1) ?? nowMs) > HEALTHY_MS) streak = 0;
    decided = decision;
    streak++;
    // A provider that is down is no fault of the agent's: it waits for as long as that lasts.
    if (!isLegionError(error, "MODEL_BUSY")) {
      restarts = [...restarts.filter((atMs) => nowMs - atMs < RESTARTS_WITHIN_MS), nowMs];
      if (restarts.length > MAX_RESTARTS) {
        restarts = [];
        return park(agent, "halted", `${MAX_RESTARTS} restarts within 10 minutes did not help: ${reason}`);
      }
    }
    memory.note(restartNotice(`It failed, and begins anew: ${reason}`));
    const waitMs = Math.min(FIRST_RESTART_MS * 2 ** (streak - 1), LAST_RESTART_MS) * (0.8 + 0.4 * random());
    show(agent, "retrying", `${reason} (again in ${Math.ceil(waitMs / 1_000)} s)`);
    await shared.clock.sleep(waitMs, signal);
  };
}

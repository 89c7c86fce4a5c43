// One agent's place at this node.
//
//   free -> taking -> running -> ending -> free
//
//   W1. An agent is begun under a right that was acquired for that, and the right is given back only when it has ended.
//   W2. What fails is tried again later and later, and never sooner because somebody else failed too.

import { isLegionError, messageOf } from "../../../base/errors.ts";
import type { AgentId } from "../../../domain/message/message.ts";
import type { Leases } from "./leases.ts";
import type { Tenure } from "../../../domain/lease.ts";

export interface Post {
  readonly agent: AgentId;
  readonly state: "free" | "taking" | "running" | "ending";
  /** Why it does not run here, where that is a failure; of its last try. */
  readonly trouble: string | undefined;
  /** False while trying would be in vain: a person stopped it, or it has just failed here. */
  readonly isAble: boolean;
  /** Is it worth asking for now? */
  readonly isDue: boolean;
  /** After so much time it will be, if nobody says anything before. */
  readonly dueMs: number;
  /** So much time has passed. */
  pass(ms: number): void;
  /** Somebody says that nobody has it. */
  noteFree(): void;
  /** Acquires and begins it. Never rejects. */
  take(): Promise<void>;
  /** Ends it if it runs, and lets others take it. Rejects with what `end` rejects with, when that is done all the same. */
  giveBack(): Promise<void>;
}

export interface SlotWork {
  readonly leases: Leases;
  begin(agent: AgentId, tenure: Tenure): Promise<void>;
  end(agent: AgentId): Promise<void>;
  /** Called after every change of state. */
  onChange(post: Post): void;
}

/** How long nobody asks again for what nobody may run. */
const DENIED_MS = 10_000;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
/** Others had better run for so long what could not be begun here. */
const UNABLE_MS = 600_000;
/** Whoever has run for so long did not fail at beginning. */
const HEALTHY_MS = 30_000;

export function createPost(agent: AgentId, work: SlotWork): Post {
  const pace = createPace();
  const duty: Duty = {
    ...work,
    agent,
    pace,
    state: "free",
    trouble: undefined,
    isDenied: false,
    underWay: Promise.resolve(),
    get isAble() {
      return duty.state === "running" || (pace.isAble && !duty.isDenied);
    },
    get isDue() {
      return duty.state === "free" && pace.isDue;
    },
    get dueMs() {
      return duty.state === "free" ? pace.dueMs : Infinity;
    },
    pass: pace.pass,
    noteFree: pace.hurry,
    take() {
      become(duty, "taking");
      return (duty.underWay = acquire(duty));
    },
    // Whoever asks while it leaves waits for that: a second leave-taking would give the right back before the end.
    giveBack: () => (duty.leaving ??= giveBack(duty).finally(() => (duty.leaving = undefined))),
  };
  return duty;
}

interface Duty extends Post, SlotWork {
  readonly pace: Pace;
  state: Post["state"];
  trouble: string | undefined;
  isDenied: boolean;
  /** The last that it ran under. */
  tenure?: Tenure;
  /** What brings it into its next state of rest. Never rejects. */
  underWay: Promise<void>;
  /** The giving back that is under way. */
  leaving?: Promise<void>;
}

function become(duty: Duty, state: Post["state"]): void {
  duty.state = state;
  duty.onChange(duty);
}

async function acquire(duty: Duty): Promise<void> {
  const { agent, leases, pace } = duty;
  try {
    const answer = await leases.acquire(agent);
    duty.trouble = undefined;
    duty.isDenied = typeof answer === "string";
    if (typeof answer === "string") pace.wait(DENIED_MS);
    else if ("waitMs" in answer) pace.wait(answer.waitMs);
    else return await start(duty, answer);
  } catch (error) {
    duty.trouble = messageOf(error);
  }
  become(duty, "free");
}

async function start(duty: Duty, tenure: Tenure): Promise<void> {
  const { agent, pace } = duty;
  try {
    await duty.begin(agent, tenure);
  } catch (error) {
    duty.trouble = messageOf(error);
    // Redis that went away for a moment says nothing about what can be begun here.
    if (isLegionError(error, "STORAGE")) pace.lose();
    else pace.fail();
    await tenure.release();
    return become(duty, "free");
  }
  pace.begin();
  duty.tenure = tenure;
  become(duty, "running");
  const lose = (): void => {
    if (duty.state === "running") duty.underWay = endLost(duty, tenure);
  };
  tenure.lost.addEventListener("abort", lose, { once: true });
  if (tenure.lost.aborted) lose();
}

async function endLost(duty: Duty, { lost }: Tenure): Promise<void> {
  become(duty, "ending");
  duty.pace.lose();
  duty.trouble = messageOf(lost.reason);
  await duty.end(duty.agent).catch((error: unknown) => (duty.trouble = messageOf(error)));
  become(duty, "free");
}

async function giveBack(duty: Duty): Promise<void> {
  await duty.underWay;
  const { agent, pace, tenure } = duty;
  // One that was lost may still bar the way in Redis.
  if (duty.state !== "running" || !tenure) return tenure?.release();
  pace.recover();
  become(duty, "ending");
  const ending = duty.end(agent);
  duty.underWay = ending
    .catch((error: unknown) => (duty.trouble = messageOf(error)))
    .then(() => tenure.release())
    .then(() => become(duty, "free"));
  await duty.underWay;
  return ending;
}

type Pace = ReturnType<typeof createPace>;

/** When it is worth asking again. Its time is what passes between two rounds, so no clock that is set matters. */
function createPace() {
  let waitMs = 0;
  let pauseMs = 0;
  let unableMs = 0;
  let ranMs = 0;
  let failures = 0;
  const pause = (): void => {
    pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** failures, LONGEST_PAUSE_MS);
    failures += 1;
  };
  const recover = (): void => {
    pauseMs = 0;
    failures = 0;
  };
  return {
    get isDue(): boolean {
      return waitMs <= 0 && pauseMs <= 0;
    },
    get dueMs(): number {
      return Math.max(waitMs, pauseMs, 0);
    },
    get isAble(): boolean {
      return unableMs <= 0;
    },
    pass(ms: number): void {
      waitMs -= ms;
      pauseMs -= ms;
      unableMs -= ms;
      ranMs += ms;
    },
    wait(ms: number): void {
      waitMs = ms;
    },
    hurry(): void {
      waitMs = 0;
    },
    begin(): void {
      ranMs = 0;
      unableMs = 0;
    },
    fail(): void {
      unableMs = UNABLE_MS;
      pause();
    },
    lose(): void {
      if (ranMs < HEALTHY_MS) pause();
      else recover();
    },
    recover,
  };
}

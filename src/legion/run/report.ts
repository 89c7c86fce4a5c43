import type { Agent } from "../../agent/parts/agent.ts";
import type { AgentId } from "../../domain/message/message.ts";
import { createBranch } from "../../past/fold.ts";
import { totalUsage, type Ledger } from "../../past/ledger.ts";
import type { RunEnd } from "../../past/run-state.ts";
import { spentOf } from "../../past/limits/spending.ts";
import type { Reader } from "../../storage/contract/reader.ts";
import { endOf } from "./ending.ts";

/** What a task came to so far, in all the processes that worked at it. */
export interface RunBill {
  readonly steps: number;
  readonly tokens: number;
  /** US dollars; 0 is free, null is unknown. */
  readonly cost: number | null;
  /** Working time. */
  readonly timeMs: number;
}

export const NO_BILL: RunBill = { steps: 0, tokens: 0, cost: 0, timeMs: 0 };

/** Of an agent that could not be opened nothing is known. */
export function billOfRun(agent: Agent | undefined): RunBill {
  return agent ? billIn(agent.memory.ledger) : NO_BILL;
}

function billIn(ledger: Ledger): RunBill {
  const { steps, tokens, timeMs } = spentOf(ledger);
  const { cost = steps === 0 ? 0 : null } = totalUsage(ledger);
  return { steps, tokens, cost, timeMs };
}

/** How far somebody is with a task whom nobody runs. */
export interface WorkerStanding extends RunBill {
  /** Has a task reached them? */
  readonly isTold: boolean;
  /** As their log says it; absent: it has none yet. */
  readonly end?: RunEnd;
  /** What they said to the person last. */
  readonly answer?: string;
}

/** Reads the log once, and writes nothing. Throws as the reader does, where it is damaged. */
export async function standingOfWorker(agent: AgentId, reader: Reader): Promise<WorkerStanding> {
  const { ledger, branch } = await reader.follow(agent, createBranch);
  const unread = (await reader.unread(agent, ledger)).length;
  const { newest, run } = branch.conversation;
  const end = run.end && endOf(branch.conversation, unread);
  return { isTold: newest !== undefined || unread > 0, end, answer: run.answer, ...billIn(ledger) };
}

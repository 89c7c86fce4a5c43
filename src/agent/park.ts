// Stops an agent, with a reason that holds across restarts, and lets Control know.

import type { Agent, Shared, Thinker } from "./parts/agent.ts";
import { judgeLoop } from "./parts/loop-guard.ts";
import { NO_ANSWER, sendUnfinished } from "./think/answer.ts";
import type { LegionError } from "../base/errors.ts";
import type { Writing } from "../mail/log-access.ts";
import { compose, writeLetter, type Composed } from "../mail/compose.ts";
import type { ParkDetails } from "../domain/event/ending.ts";
import { OUT_OF_TURNS, type NoticeEvent, type NoticeReason } from "../domain/event/notice.ts";
import { CONTROL, displayName, type AgentId, type Message } from "../domain/message/message.ts";
import type { Conversation } from "../past/conversation.ts";
import { count } from "../base/text/wording.ts";

/** Whoever can be stopped. */
interface Stoppable extends Writing {
  readonly shared: Shared;
}

/** Whoever is stopped in the middle of its work. */
type Working = Stoppable & Thinker;

/** Stops the agent until what `reason` names wakes it. */
export async function park(
  agent: Stoppable,
  reason: NoticeReason,
  content: string,
  details?: ParkDetails,
): Promise<void> {
  const { memory, outbox } = agent;
  await memory.commit({ kind: "notice", reason, content, sends: reportTo(agent, content), details });
  void outbox.deliver();
}

/** The same in the middle of its work: whoever asked gets what there is of an answer that was cut off. */
async function parkAtWork(
  agent: Working,
  reason: NoticeReason,
  content: string,
  details?: ParkDetails,
): Promise<void> {
  await stopWork(agent, { kind: "notice", reason, content, details }, []);
}

/** The same where a limit leaves no room for its next call: that error, with code LIMIT. */
export async function parkAtLimit(
  agent: Working,
  { message, limit, until, shared }: LegionError,
): Promise<void> {
  const details = limit && { limit, until, ...(shared && { shared }) };
  await stopWork(agent, { kind: "notice", reason: "parked-limit", content: `${message}.`, details }, []);
}

/** The same before a decision where it has no way on by itself. Resolves with whether it was stopped. */
export async function parkIfStuck(agent: Working & Pick<Agent, "allowance" | "patience">): Promise<boolean> {
  const { conversation } = agent.memory;
  const verdict = judgeLoop(conversation, agent.patience);
  const { turns = Infinity } = agent.allowance.held();
  if (verdict.kind === "park") await parkAtWork(agent, "parked-mail", verdict.reason, { end: verdict.end });
  else if (conversation.turns >= turns) await parkOutOfTurns(agent, turns);
  else return false;
  return true;
}

/** The same where it has made `turns` decisions for one instruction; whoever gave it is told. */
async function parkOutOfTurns(agent: Working, turns: number): Promise<void> {
  const content = `this agent may make ${count(turns, "decision")} for one instruction; a new message lets it go on.`;
  const notice = { kind: "notice", reason: "parked-mail", content, details: OUT_OF_TURNS } as const;
  await stopWork(agent, notice, askersIn(agent.memory.conversation));
}

/** Whoever wrote the newest instruction, and Control where it has no answer yet. */
function askersIn({ instruction, unanswered }: Conversation): readonly AgentId[] {
  const newest = instruction?.source.type === "agent" ? [instruction.source.id] : [];
  return [...new Set([...newest, ...(unanswered.has(CONTROL) ? [CONTROL] : [])])];
}

/** Tells `asked` in the same commit. */
async function stopWork(agent: Working, notice: NoticeEvent, asked: readonly AgentId[]): Promise<void> {
  const { memory, outbox, shared } = agent;
  const unfinished = await sendUnfinished(agent);
  const report = reportTo(agent, notice.content, { asked, staged: unfinished.sends });
  const told = await tellAgents(agent, notice.content, { asked, staged: [...unfinished.sends, ...report] });
  const sends = [...unfinished.sends, ...report, ...told.sends];
  const refused = [unfinished, told].flatMap(({ refusal }) => (refusal ? [refusal.notice] : []));
  await memory.commit(...refused, { ...notice, sends });
  void outbox.deliver();
  await shared.announceHops(memory.agent, refused);
}

interface Telling {
  readonly asked: readonly AgentId[];
  /** Of the same commit. */
  readonly staged: readonly Message[];
}

/** Tells Control, in the same commit; where it did not ask, not while it knows of the same trouble from another agent. */
function reportTo(
  { memory, shared }: Stoppable,
  reason: string,
  { asked, staged }: Telling = { asked: [], staged: [] },
): readonly Message[] {
  const isTold = shared.isNews(memory.agent, reason) || asked.includes(CONTROL);
  const to = isTold ? [CONTROL] : [];
  const report = { from: memory.agent, to, content: `I was stopped: ${reason}`, spontaneous: true } as const;
  return compose(memory, report, staged, shared.clock.now());
}

async function tellAgents(
  { memory, shared }: Working,
  reason: string,
  { asked, staged }: Telling,
): Promise<Composed> {
  const to = asked.filter((id) => id !== CONTROL);
  if (to.length === 0) return NO_ANSWER;
  const content = `${displayName(memory.agent)} was stopped: ${reason}`;
  return writeLetter(memory, { from: memory.agent, to, content, spontaneous: true }, shared, staged);
}

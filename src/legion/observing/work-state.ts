// Whether an agent works, rests, or cannot go on by itself.

import type { Agent } from "../../agent/parts/agent.ts";
import { RESTING } from "../../agent/parts/presence.ts";
import { LegionError, type ErrorCode, type SpendingLimit } from "../../base/errors.ts";
import { displayName, type AgentId } from "../../domain/message/message.ts";
import type { Legion } from "../legion.ts";
import type { Supervised } from "../supervision/supervisor.ts";
import { hasWork, openCalls } from "../../past/conversation.ts";

export interface WorkingAgent {
  readonly id: AgentId;
  readonly legion: Pick<Legion, "control" | "inspector">;
  /** As it is hosted, or was when the legion stopped; `undefined`: another node runs it. */
  readonly find: () => Supervised | undefined;
}

/** `stuck`: what it has to do waits for somebody else's word. */
export type WorkState =
  | { readonly kind: "works" | "rests" }
  | { readonly kind: "stuck"; readonly error: LegionError; readonly wakesOnMail?: true };

export function stateOf({ id, find }: WorkingAgent): WorkState {
  const supervised = find();
  if (!supervised) return stuck("LOCKED", id, "run by another node now");
  const { agent, standing } = supervised;
  if (standing.state === "stopped") return stuck("REFUSED", id, "stopped");
  if (!agent) return standing.state === "halted" ? stuck("PARKED", id, `halted: ${standing.reason}`) : WORKS;
  return workOf(id, agent);
}

/** Did it rest when it was stopped? */
export function isDone({ id, find }: WorkingAgent): boolean {
  const agent = find()?.agent;
  return agent !== undefined && workOf(id, agent).kind === "rests";
}

function workOf(id: AgentId, { memory: { conversation }, inbox }: Agent): WorkState {
  if (hasWork(conversation, inbox.unread)) return WORKS;
  const { halt } = conversation;
  if (!halt) return openCalls(conversation).length > 0 ? WORKS : { kind: "rests" };
  const code = halt.reason === "parked-limit" ? "LIMIT" : "PARKED";
  const why = stuck(code, id, `${RESTING[halt.reason]}: ${halt.content}`, halt.limit);
  return halt.reason === "parked-mail" ? { ...why, wakesOnMail: true } : why;
}

const WORKS: WorkState = { kind: "works" };

function stuck(
  code: ErrorCode,
  id: AgentId,
  how: string,
  limit?: SpendingLimit,
): Extract<WorkState, { kind: "stuck" }> {
  return { kind: "stuck", error: new LegionError(code, `${displayName(id)} is ${how}`, { limit }) };
}

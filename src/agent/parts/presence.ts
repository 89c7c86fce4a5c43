// What an agent is doing at this moment, for `ps` and for every watcher.

import type { Clock } from "../../base/clock.ts";
import type { Redactor } from "../../base/redaction/redactor.ts";
import type { AgentState, Inspect, LiveCall, ReachedLimit } from "../../domain/inspection.ts";
import type { AgentId } from "../../domain/message/message.ts";
import type { Delta } from "../../domain/model.ts";
import { isAtRest, type Conversation } from "../../past/conversation.ts";
import type { Halt, HaltReason } from "../../past/run-state.ts";

export interface Standing {
  readonly state: AgentState;
  /** Why, where that is not plain; may be empty. */
  readonly reason: string;
  /** ISO 8601: since when. */
  readonly since: string;
}

export interface Presence {
  readonly standing: Standing;
  /** Says what the agent is doing from now on. */
  show(state: AgentState, reason?: string, limit?: ReachedLimit): void;
  /** Shows a piece of the decision that is being made; it holds no secret. */
  stream(delta: Delta): void;
  /** Shows how far a call is. */
  call(call: LiveCall): void;
  /** Shows what a call tells while it runs; it holds no secret. */
  progress(call: string, text: string): void;
}

interface PresenceDeps {
  readonly clock: Clock;
  readonly inspect: Inspect;
  readonly redactor: Redactor;
}

/** @param first how it stands before anybody says more; absent: as before its first run */
export function createPresence(
  agent: AgentId,
  { clock, inspect, redactor }: PresenceDeps,
  first?: Standing,
): Presence {
  const standingAs = (state: AgentState, reason: string): Standing => {
    return { state, reason, since: new Date(clock.now()).toISOString() };
  };
  let standing = first ?? standingAs("waiting", "");
  return {
    get standing() {
      return standing;
    },
    show(state, why = "", limit) {
      const reason = redactor.text(why);
      standing = standingAs(state, reason);
      inspect({ kind: "live:state", agent, state, reason: reason || undefined, ...(limit && { limit }) });
    },
    stream(delta) {
      if (delta.kind !== "call") inspect({ kind: "live:delta", agent, delta });
      else inspect({ kind: "live:call", agent, call: delta.id, action: delta.name, phase: "written" });
    },
    call: (call) => inspect({ kind: "live:call", agent, ...redactor.value(call) }),
    progress: (call, text) => inspect({ kind: "live:progress", agent, call, text }),
  };
}

export const RESTING: Readonly<Record<HaltReason, AgentState>> = {
  paused: "paused",
  parked: "parked",
  "parked-mail": "parked",
  "parked-limit": "parked",
  halted: "halted",
};

/** What an agent waits for whose calls a person types. */
export const YOUR_ACTION = "your action";

/** The limit that it stands still at. */
export function reachedBy({ reason, limit, until, shared }: Halt): ReachedLimit | undefined {
  return reason === "parked-limit" ? { limit, until, shared } : undefined;
}

/** Says why the agent does nothing. */
export function showRest(presence: Presence, conversation: Conversation): void {
  const { halt, run } = conversation;
  if (halt) presence.show(RESTING[halt.reason], halt.content, reachedBy(halt));
  else if (run.mode === "human" && !isAtRest(conversation)) presence.show("asking", YOUR_ACTION);
  else presence.show("idle");
}

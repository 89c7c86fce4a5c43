// What the loop runs. Plain types; whoever builds an Agent is in legion/agent-plan.ts.

import type { Clock } from "../../base/clock.ts";
import type { Undeliverable } from "../../past/dead-letters.ts";
import type { Call } from "../../domain/event.ts";
import type { Inspect } from "../../domain/inspection.ts";
import type { Tenure } from "../../domain/lease.ts";
import type { AgentId } from "../../domain/message.ts";
import type { Inbox } from "../../mail/bus.ts";
import type { Outbox } from "../../mail/outbox.ts";
import type { PostalService } from "../../mail/refusal.ts";
import type { Evidence } from "./command-trace.ts";
import type { Performed } from "./performer.ts";
import type { Thinker } from "./thinker.ts";

/** What every agent of a process shares. */
export interface Shared extends PostalService {
  readonly clock: Clock;
  readonly inspect: Inspect;
  /** Tells Control of an agent's trouble, or counts it, to be told of with others. */
  readonly tellControl: (agent: AgentId, trouble: string, content: string) => void;
  /** Should the agent tell Control of its trouble itself? Otherwise it is told of with others. */
  readonly isNews: (agent: AgentId, trouble: string) => boolean;
  /** Says once for each chain of messages that it was stopped for its length, if that is why something was refused. */
  readonly announceHops: (from: AgentId, refused: readonly Undeliverable[]) => Promise<void>;
}

export interface Agent extends Thinker {
  readonly shared: Shared;
  /** The right to run it. */
  readonly tenure: Tenure;
  /** 0 is eager. */
  readonly tickMs: number;
  /** A pause after each decision. */
  readonly delayMs: number;
  readonly inbox: Inbox;
  readonly outbox: Outbox;
  /** Runs one of its calls. */
  readonly perform: (call: Call, signal: AbortSignal) => Promise<Performed>;
  /** What is known of the first open call, if the runtime died under it; ends what that left running. */
  readonly evidence: () => Promise<Evidence | undefined>;
}

import type { SpendingLimit } from "../base/errors.ts";
import type { Event, Outcome } from "./event/event.ts";
import type { AgentId } from "./message/message.ts";
import type { SpokenDelta } from "./model.ts";
import type { Touch } from "./policy/rule.ts";
import type { Question, Settlement } from "./policy/verdict.ts";
import type { AskedCall } from "./event/approval.ts";

export const AGENT_STATES = [
  "idle",
  "waiting",
  "thinking",
  "acting",
  "asking",
  "retrying",
  "paused",
  "parked",
  "halted",
  "stopped",
] as const;

/** What an agent is doing. `ps` shows it; `parked`, `paused`, `halted` come with a reason. */
export type AgentState = (typeof AGENT_STATES)[number];

/** How far a call is. */
export type CallPhase =
  /** The model has begun to write it. The answer may still come to nothing: then another try writes calls of its own. */
  | { readonly phase: "written" }
  /** It begins: nothing stands against it any more. */
  | { readonly phase: "running"; readonly touches: readonly Touch[] }
  /** It is over, with what it touched if it ran; its result follows. A call that ends with its process has no end here. */
  | { readonly phase: "ended"; readonly outcome: Outcome; readonly touches: readonly Touch[] };

/** A call of an agent: its id, as in the decision that asks for it, its action, and how far it is. */
export type LiveCall = CallPhase & { readonly call: string; readonly action: string };

/**
 * Everything a watcher can see: what is committed, and what is only live. What came of a call is seen once, as the event
 * `result` of the agent that made it; what an agent is sent, as the event that sends it, and as `message` where it is taken in.
 */
export type Inspection =
  | { readonly kind: "event"; readonly agent: AgentId; readonly event: Event }
  /**
   * A call waits for a person from now on, or, with `ended`, does so no more. One that waits on after a restart is seen again;
   * one whose node ends has no end here.
   */
  | {
      readonly kind: "question";
      readonly agent: AgentId;
      readonly question: Question;
      readonly ended?: Settlement;
    }
  /** A call would have to be asked, and is refused: nobody is there to answer. */
  | { readonly kind: "live:unasked"; readonly agent: AgentId; readonly asked: AskedCall }
  | { readonly kind: "live:delta"; readonly agent: AgentId; readonly delta: SpokenDelta }
  | ({ readonly kind: "live:call"; readonly agent: AgentId } & LiveCall)
  /** What a call that runs, or what it left in the background, tells meanwhile, such as what a command prints; cut where it is much. */
  | {
      readonly kind: "live:progress";
      readonly agent: AgentId;
      readonly call: string;
      readonly text: string;
    }
  | {
      readonly kind: "live:state";
      readonly agent: AgentId;
      readonly state: AgentState;
      readonly reason?: string;
      /** What it may not spend more of; absent: it stands still for something else, or for nothing. */
      readonly limit?: ReachedLimit;
    };

/** Of an agent that stands still at it. */
export interface ReachedLimit {
  /** Absent in what earlier versions wrote. */
  readonly limit?: SpendingLimit;
  /** ISO 8601: when it begins anew; absent: it does not by itself. */
  readonly until?: string;
  /** Others are below the same limit; absent: it is the agent's own. */
  readonly shared?: true;
}

export type Inspect = (inspection: Inspection) => void;

export interface Inspector {
  readonly inspect: Inspect;
  /** Returns how to stop watching. A watcher that throws is dropped, never the runtime. */
  watch(watcher: Inspect): () => void;
}

/** `first` watches from the start. */
export function createInspector(first?: Inspect): Inspector {
  const watchers = new Set<Inspect>(first ? [first] : []);
  return {
    inspect(inspection) {
      for (const watcher of watchers) {
        try {
          watcher(inspection);
        } catch {
          watchers.delete(watcher);
        }
      }
    },
    watch(watcher) {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
  };
}

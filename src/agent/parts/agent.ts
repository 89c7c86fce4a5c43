// What the loop runs, and what each of its stages gets of that. Plain types; whoever builds an Agent is in
// legion/hosting/agent-plan.ts.

import type { Clock } from "../../base/clock.ts";
import type { Stops } from "../../base/process/signals.ts";
import type { Redactor } from "../../base/redaction/redactor.ts";
import type { Call, ResultEvent } from "../../domain/event/event.ts";
import type { Inspect } from "../../domain/inspection.ts";
import type { Tenure } from "../../domain/lease.ts";
import type { MemorySettings } from "../../domain/memory-settings.ts";
import type { AgentId } from "../../domain/message/message.ts";
import type { ModelProfile } from "../../domain/model.ts";
import type { Touch } from "../../domain/policy/rule.ts";
import type { Action } from "../../domain/authoring/module.ts";
import type { Inbox } from "../../mail/bus.ts";
import type { Outbox } from "../../mail/outbox.ts";
import type { Sources } from "../../mail/sources.ts";
import type { PostalService } from "../../mail/compose.ts";
import type { Undeliverable } from "../../past/mail/dead-letters.ts";
import type { Blobs } from "../../past/log/blobs.ts";
import type { Allowance } from "../../past/limits/held-limits.ts";
import type { KeptFiles } from "../../past/undo/kept.ts";
import type { Memory, ReadablePast } from "../../past/past.ts";
import type { JudgeReceipts } from "../../past/receipts/judge.ts";
import type { Background } from "./background/background.ts";
import type { Evidence, Traces } from "./command-trace.ts";
import type { MeteredModel } from "./model/metered-model.ts";
import type { ModuleSet } from "./module-set.ts";
import type { Leave } from "./permits.ts";
import type { Presence } from "./presence.ts";
import type { Rulebook } from "./rulebook.ts";
import type { Speech } from "./speech.ts";
import type { Wording } from "./wording.ts";
import type { LoopPatience } from "./loop-guard.ts";
import type { TracedWorkplace, Workplace } from "./workplace.ts";
import type { Identity } from "../../domain/authoring/host.ts";

/** What an agent's next prompt is composed from, whether it runs or not. */
export interface PromptSource {
  readonly memory: ReadablePast;
  readonly model: { readonly profile: ModelProfile };
  readonly modules: ModuleSet;
  readonly speech: Speech;
  readonly settings: MemorySettings;
  /** Absent: no template words anything. */
  readonly wording?: Wording;
}

/** Whoever sends messages, which its own log numbers. */
export interface Correspondent {
  readonly memory: Memory;
  readonly shared: PostalService;
}

/** What is needed to think: to compose a prompt, and to ask the model with it. */
export interface Thinker extends PromptSource, Correspondent {
  readonly memory: Memory;
  readonly model: MeteredModel;
  readonly presence: Presence;
  readonly rulebook: Pick<Rulebook, "own">;
  /** Of what it cites. */
  readonly judge: JudgeReceipts;
  /** Has its log keep what its modules find outside by now. */
  readonly lookOutside: (signal: AbortSignal) => Promise<void>;
}

/** What a module may read of its agent at any time, whether that runs or not. */
export interface HostSource {
  readonly identity: Identity;
  readonly memory: ReadablePast;
  readonly model: { readonly profile: ModelProfile };
  readonly blobs: Blobs;
  readonly workplace: Workplace;
  readonly rulebook: Rulebook;
  readonly redactor: Redactor;
  readonly wording?: Wording;
}

/** What is needed to act: to run a call, and to answer what its module asks. */
export interface Performer extends HostSource, Correspondent {
  readonly memory: Memory;
  readonly model: MeteredModel;
  readonly workplace: TracedWorkplace;
  readonly modules: ModuleSet;
  readonly presence: Presence;
  readonly tenure: Tenure;
  readonly traces: Traces;
  readonly background: Background;
  /** Absent: nothing is kept of what its calls replace. */
  readonly kept?: Pick<KeptFiles, "keep">;
  readonly inbox: Pick<Inbox, "ahead" | "heard">;
  readonly outbox: Pick<Outbox, "deliver" | "undelivered">;
  readonly judge: JudgeReceipts;
  readonly speech: Pick<Speech, "ways">;
  readonly shared: PostalService & Pick<Shared, "clock">;
}

/** A call that can be made as it is written. */
export interface SoundCall {
  readonly call: Call;
  /** The action's own name, also where the call used another. */
  readonly name: string;
  readonly action: Action;
  readonly module: string;
  /** Has passed the action's schema, and is still its input: defaults and transformations come later. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** A call that may run. */
export interface ReadyCall extends SoundCall {
  readonly leave: Leave;
  /** All that it says that it touches, beside the action itself. */
  readonly touched: readonly Touch[];
}

/** May a call run? One that may not has its result. */
export type Clearance =
  | { readonly kind: "ready"; readonly ready: ReadyCall }
  | { readonly kind: "closed"; readonly performed: Performed };

export type AdmitCall = (performer: Performer, call: Call, stops: Stops) => Promise<Clearance>;

/** The same, but where a person has to be asked, it says only that. */
export type ClearCall = (
  performer: Performer,
  call: Call,
  stops: Stops,
) => Promise<Clearance | { readonly kind: "asks" }>;

/** Runs one call and says what came of it. */
export type Perform = (performer: Performer, ready: ReadyCall, signal: AbortSignal) => Promise<Performed>;

/** What one call came to; nothing of it is committed. */
export interface Performed {
  readonly result: ResultEvent;
  /** Messages that were not sent, to be committed with the result. */
  readonly refused: readonly Undeliverable[];
}

/** What every agent of a process shares. */
export interface Shared extends PostalService {
  readonly clock: Clock;
  readonly inspect: Inspect;
  readonly redactor: Redactor;
  /** Tells Control of an agent's trouble, or counts it, to be told of with others. */
  readonly tellControl: (agent: AgentId, trouble: string, content: string) => void;
  /** Should the agent tell Control of its trouble itself? Otherwise it is told of with others. */
  readonly isNews: (agent: AgentId, trouble: string) => boolean;
  /** Says once for each chain of messages that it was stopped for its length, if that is why something was refused. */
  readonly announceHops: (from: AgentId, refused: readonly Undeliverable[]) => Promise<void>;
}

/** How a command is run before the first step. */
export interface StartupPlan {
  readonly timeoutMs: number;
  /** Where it begins, relative to the workspace; absent: in it. */
  readonly folder?: string;
}

export interface Agent extends Thinker {
  readonly rulebook: Pick<Rulebook, "own" | "questions">;
  readonly allowance: Allowance;
  readonly patience: LoopPatience;
  /** How what is run before its first step is run; absent: nothing is. `mark` tells what a crash leaves of it. */
  readonly startup?: StartupPlan & { readonly mark: () => string };
  readonly shared: Shared;
  /** The right to run it. */
  readonly tenure: Tenure;
  /** 0 is eager. */
  readonly tickMs: number;
  /** A pause after each decision. */
  readonly delayMs: number;
  readonly workplace: Pick<TracedWorkplace, "workspace" | "memories" | "close">;
  readonly background: Pick<Background, "isRunning" | "close">;
  readonly inbox: Inbox;
  /** What it observes; absent: nothing. */
  readonly sources?: Sources;
  readonly outbox: Outbox;
  /** Judges one of its calls, and waits for what a person says where that has to be asked. */
  readonly admit: (call: Call, stops: Stops) => Promise<Clearance>;
  /** Judges one, asking nobody; absent: its calls run one after the other, whatever their effects. */
  readonly clear: ((call: Call, stops: Stops) => ReturnType<ClearCall>) | undefined;
  /** Runs one that may run. */
  readonly perform: (ready: ReadyCall, signal: AbortSignal) => Promise<Performed>;
  /** What is known of the first open call, if the runtime died under it; ends what that left running. */
  readonly evidence: () => Promise<Evidence | undefined>;
}

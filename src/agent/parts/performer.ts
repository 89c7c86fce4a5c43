// What is needed to act: to run a call, and to answer what its module asks.

import type { Clock } from "../../base/clock.ts";
import type { Undeliverable } from "../../past/dead-letters.ts";
import type { Call, ResultEvent } from "../../domain/event.ts";
import type { Tenure } from "../../domain/lease.ts";
import type { ModelProfile } from "../../domain/model.ts";
import type { Blobs } from "../../past/log/blobs.ts";
import type { PostalService } from "../../mail/refusal.ts";
import type { Memory, ReadablePast } from "../../past/past.ts";
import type { Traces } from "./command-trace.ts";
import type { Identity } from "./identity.ts";
import type { MeteredModel } from "./metered-model.ts";
import type { ModuleSet } from "./module-set.ts";
import type { Presence } from "./presence.ts";
import type { Correspondent } from "./thinker.ts";
import type { TracedWorkplace, Workplace } from "./workplace.ts";

/** What a module may read of its agent at any time, whether that runs or not. */
export interface HostSource {
  readonly identity: Identity;
  readonly memory: ReadablePast;
  readonly model: { readonly profile: ModelProfile };
  readonly blobs: Blobs;
  readonly workplace: Workplace;
}

export interface Performer extends HostSource, Correspondent {
  readonly memory: Memory;
  readonly model: MeteredModel;
  readonly workplace: TracedWorkplace;
  readonly modules: ModuleSet;
  readonly presence: Presence;
  readonly tenure: Tenure;
  readonly traces: Traces;
  readonly shared: PostalService & { readonly clock: Clock };
}

/** Runs one call and says what came of it. */
export type Perform = (performer: Performer, call: Call, signal: AbortSignal) => Promise<Performed>;

/** What one call came to; nothing of it is committed. */
export interface Performed {
  readonly result: ResultEvent;
  /** Messages that were not sent, to be committed with the result. */
  readonly refused: readonly Undeliverable[];
}

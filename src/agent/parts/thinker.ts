// What is needed to think: to compose a prompt, and to ask the model with it.

import type { MemorySettings } from "../../domain/memory-settings.ts";
import type { ModelProfile } from "../../domain/model.ts";
import type { PostalService } from "../../mail/refusal.ts";
import type { Memory, ReadablePast } from "../../past/past.ts";
import type { MeteredModel } from "./metered-model.ts";
import type { ModuleSet } from "./module-set.ts";
import type { Presence } from "./presence.ts";
import type { Speech } from "./speech.ts";

/** What an agent's next prompt is composed from, whether it runs or not. */
export interface PromptSource {
  readonly memory: ReadablePast;
  readonly model: { readonly profile: ModelProfile };
  readonly modules: ModuleSet;
  readonly speech: Speech;
  readonly settings: MemorySettings;
}

/** Whoever sends messages, which its own log numbers. */
export interface Correspondent {
  readonly memory: Memory;
  readonly shared: PostalService;
}

export interface Thinker extends PromptSource, Correspondent {
  readonly memory: Memory;
  readonly model: MeteredModel;
  readonly presence: Presence;
}

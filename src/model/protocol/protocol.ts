import type { Call, ProtocolName } from "../../domain/event/event.ts";
import type { Completion, ToolSpec, Turn } from "../../domain/model.ts";
import type { ActionSpec } from "../../domain/authoring/host.ts";

/**
 * What a completion asks for. `calls`: actions, unchecked, in order; none is a plain answer.
 * `unparsed`: no action name could be read from it; `reason` is written for the model.
 */
export type Parsed =
  | { readonly kind: "calls"; readonly calls: readonly Call[]; readonly thoughts?: string }
  | { readonly kind: "unparsed"; readonly reason: string };

/** How actions are written in a completion, and how the past is shown to the model. Pure; nothing here throws. */
export interface Protocol {
  readonly name: ProtocolName;
  /** How to answer: the part of the introduction that the core module shows. */
  instructions(actions: readonly ActionSpec[]): string;
  /** What to hand to the provider as native tools; empty where actions are text. */
  tools(actions: readonly ActionSpec[]): readonly ToolSpec[];
  parse(completion: Completion, actions: readonly ActionSpec[]): Parsed;
  /** One decision as the model sees it again. */
  decision(decision: ShownDecision): Turn;
  /** The results of one decision, in order of its calls; `call: null` says why a completion could not be parsed. */
  results(results: readonly ShownResult[]): Turn;
}

export interface ShownDecision {
  readonly text: string;
  readonly thoughts?: string;
  readonly calls: readonly Call[];
  readonly model: string;
  readonly protocol: ProtocolName;
  readonly provider?: unknown;
}

export interface ShownResult {
  readonly call: string | null;
  readonly content: string;
  readonly isError: boolean;
}

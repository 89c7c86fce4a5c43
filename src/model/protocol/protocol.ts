import type { Call, ProtocolName } from "../../domain/event/event.ts";
import type { Completion, ToolSpec, Turn } from "../../domain/model.ts";
import type { ActionSpec } from "../../domain/authoring/host.ts";

/**
 * What a completion asks for. `calls`: actions, unchecked, in order; none is a plain answer.
 * `unparsed`: no action name could be read from it; `reason` is written for the model.
 */
export type Parsed =
  | { readonly kind: "calls"; readonly calls: readonly Call[]; readonly thoughts?: string }
  | {
      readonly kind: "unparsed";
      readonly reason: string;
      /** What looked like actions, where there were too many; absent: nothing. */
      readonly found?: readonly string[];
    };

/**
 * How actions are written in a completion, and how the past is shown to the model. Pure; nothing here throws, and only what
 * somebody else wrote to find actions by may make `parse` reject, with CONFIG.
 */
export interface Protocol {
  readonly name: ProtocolName;
  /** Names what `decision` and `results` make: those of the same form make the same. */
  readonly form: string;
  /**
   * `told`: the prompt has an introduction, headers over messages and remarks of the runtime. `linear`: it is what the log holds
   * and nothing else, from the first word to the newest; it is never summarised, so a full window is an end.
   */
  readonly history: "told" | "linear";
  /** How to answer: the part of the introduction that the core module shows. */
  instructions(actions: readonly ActionSpec[]): string;
  /** What to hand to the provider as native tools; empty where actions are text. */
  tools(actions: readonly ActionSpec[]): readonly ToolSpec[];
  parse(completion: Completion, actions: readonly ActionSpec[]): Parsed | Promise<Parsed>;
  /** One decision as the model sees it again. */
  decision(decision: ShownDecision): Turn;
  /** The results of one decision, in order of its calls; `call: null` says why a completion could not be parsed. */
  results(results: readonly ShownResult[]): Turn;
}

/** One that reads a completion by itself. */
export interface PlainProtocol extends Protocol {
  parse(completion: Completion, actions: readonly ActionSpec[]): Parsed;
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

import type { Call, Stop, Usage } from "./event/event.ts";

/** US dollars per million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
}

/** What the runtime has to know of a model before it calls it. */
export interface ModelProfile {
  /** Tokens of prompt and completion together. */
  readonly window: number;
  /** The most tokens a completion may have. */
  readonly maxOutput: number;
  /** Absent: unknown. All zero: free. */
  readonly price?: Price;
  /** Can it call tools natively? Otherwise actions are written as text. */
  readonly tools: boolean;
  /** Can it summarise? Without it, compaction writes a plain digest. */
  readonly summarises: boolean;
}

/** How freely a model chooses its words; what is absent is left to it. */
export interface Sampling {
  /** From 0 up; what a provider allows at most is its own. */
  readonly temperature?: number;
  /** Above 0 and up to 1. */
  readonly topP?: number;
}

export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

export interface CallResult {
  readonly call: string;
  readonly content: string;
  readonly isError: boolean;
}

/**
 * One turn of the history, free of any provider's form. Turns are immutable and the same object from prompt to
 * prompt, so that a model may keep what it serialised. Two user turns may follow each other.
 */
export type Turn =
  | { readonly role: "user"; readonly text: string }
  | {
      readonly role: "assistant";
      readonly text: string;
      readonly calls: readonly Call[];
      /** The model that wrote it; `provider` is only of use to the same one. */
      readonly model?: string;
      readonly provider?: unknown;
    }
  | { readonly role: "results"; readonly results: readonly CallResult[] };

export interface ModelRequest {
  /** The stable part of the introduction. */
  readonly system: string;
  /** Empty where actions are written as text. */
  readonly tools: readonly ToolSpec[];
  /** Oldest first. Ends the prefix that a provider may cache. */
  readonly turns: readonly Turn[];
  /** The changing part of the introduction: the closing user turn, or merged into it; never cached. */
  readonly pinned: string;
  /** The most tokens the completion may have. */
  readonly maxOutput: number;
}

/** A native call as the model wrote it: `arguments` is JSON, or was meant to be. */
export interface RawCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

export interface Completion {
  readonly text: string;
  readonly thoughts?: string;
  readonly calls: readonly RawCall[];
  /** Without `cost`: the runtime adds it from the model's price. */
  readonly usage: Usage;
  readonly stop: Stop;
  readonly provider?: unknown;
}

/** A piece of what is said in a completion, as it streams. */
export interface SpokenDelta {
  readonly kind: "text" | "thoughts";
  readonly text: string;
}

/** A piece of a completion as it streams; `call` names the action whose arguments have begun, and the call as the completion will. */
export type Delta = SpokenDelta | { readonly kind: "call"; readonly id: string; readonly name: string };

export interface ModelRun {
  readonly signal: AbortSignal;
  readonly onDelta?: (delta: Delta) => void;
}

/**
 * Something that completes a prompt. One attempt per call: retries belong to the caller.
 * `complete` rejects with LegionError: MODEL_BUSY (429, 5xx, 529, network, a stalled or cut stream), MODEL_REFUSED
 * (400, 401, 403, 404), CONTEXT_OVERFLOW; and with the signal's reason when that aborts. `refused` says of such an error that
 * nothing of the call was served, and so costs nothing: an answer of 4xx, 503 or 529 in place of a stream, or no connection.
 */
export interface Model {
  /** `provider/id` as the person names it. */
  readonly name: string;
  /** What shares one limiter and one key: `anthropic`, `openai`, `offline`, ... */
  readonly provider: string;
  /** The host that requests go to; absent: the provider's own, or none. */
  readonly host?: string;
  /** `tools` may turn false: some servers say so only when they are asked. */
  readonly profile: ModelProfile;
  /** About how many tokens of thinking are sent again with a turn, beside its text and its calls. Absent: always none. */
  readonly thinkingTokens?: (turn: Turn) => number;
  /** It answers in this process: no request leaves it. */
  readonly isInside?: true;
  complete(request: ModelRequest, run: ModelRun): Promise<Completion>;
}

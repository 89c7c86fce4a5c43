// What stands in a trajectory, whatever the format that writes it.

import { NO_USAGE, type Call, type EventOf, type Usage } from "../../domain/event/event.ts";
import type { AgentId, Message } from "../../domain/message/message.ts";
import type { ToolSpec } from "../../domain/model.ts";
import { isOfModel } from "../../domain/supervision.ts";

/** What opened a prompt: system prompt and native tools. */
export interface PromptOpening {
  readonly system: string;
  readonly tools: readonly ToolSpec[];
}

/** One thing that the agent was shown. `at` is ISO 8601. */
export type ShownEntry =
  | { readonly kind: "system" | "summary" | "notice"; readonly at: string; readonly text: string }
  /** `text`: as the agent is shown it. */
  | { readonly kind: "message"; readonly at: string; readonly message: Message; readonly text: string };

/** One thing that the agent was shown, or did. */
export type TrajectoryEntry = ShownEntry | DecidedEntry;

/** A decision, and what came of it so far. */
export interface DecidedEntry {
  readonly kind: "decided";
  readonly decision: EventOf<"decision">;
  /** By call; `null` for what is said in place of calls. */
  readonly results: ReadonlyMap<string | null, EventOf<"result">>;
  /** How its calls were made: natively, as part of its text, or by a person. */
  readonly calls: "native" | "written" | "typed";
  /** Whose decision it was, where it is another agent's past that was copied. */
  readonly origin?: AgentId;
}

/**
 * What the decision itself cost, as its provider said; `undefined` where nobody knows, no model was asked, or another agent paid. What an
 * aborted call is charged is only estimated.
 */
export function measuredOf({ decision, origin }: Omit<DecidedEntry, "results">): Usage | undefined {
  const { usage, cost, stop } = decision;
  const isMeasured = stop !== "aborted" && isOfModel(decision) && usage.input + usage.output > 0;
  if (!isMeasured || origin !== undefined) return undefined;
  return cost === undefined ? usage : { ...usage, cost };
}

/** Each once: what came of a call is found by its id. */
export function callsOf({ calls }: EventOf<"decision">): readonly Call[] {
  return [...new Map(calls.map((call) => [call.id, call])).values()];
}

/** What `whole` has that `part` has not; never less than nothing. */
export function usageBeside(whole: Usage, part: Usage): Usage {
  const beside = (key: "input" | "output" | "cacheRead"): number =>
    Math.max(0, Math.round((whole[key] ?? 0) - (part[key] ?? 0)));
  return { ...NO_USAGE, input: beside("input"), output: beside("output"), cacheRead: beside("cacheRead") };
}

/** ISO 8601 as every reader takes it; `undefined` of what is no time. */
export function isoTime(at: string): string | undefined {
  const ms = Date.parse(at);
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString();
}

// What a program sees of one agent, by the names that such loops have everywhere.

import type { EventOf, Outcome, ResultEvent, Stop, SummaryEvent, Usage } from "../../domain/event/event.ts";
import type { NoticeReason } from "../../domain/event/notice.ts";
import type { AgentId } from "../../domain/message/message.ts";
import type { Touch } from "../../domain/policy/rule.ts";

/**
 * Why an agent does nothing more: it is done and waits for mail; a person stopped it; one of its limits is reached; something
 * is wrong, of which an `error` told before.
 */
export type AgentEnd = "completed" | "aborted" | "limit" | "error";

/**
 * One thing that happens to an agent. In order: `agent:start`, for each decision a turn (`turn:start`, what the model says and
 * the calls that it writes, each call with its result, `turn:end`), `agent:end`. Before an answer a `compaction`, anywhere a
 * `notice`. `call:progress` may also come later, of what a call left in the background.
 */
export type AgentEvent = { readonly agent: AgentId } & (
  | { readonly kind: "agent:start" | "turn:start" }
  /** The pieces of one turn make up its text; after a `notice` that it is tried again they begin anew. */
  | { readonly kind: "text:delta" | "thoughts:delta"; readonly text: string }
  /** The model writes a call. It may come to nothing: then nothing more is told of it. */
  | { readonly kind: "call:start"; readonly call: string; readonly action: string }
  | {
      readonly kind: "call:running";
      readonly call: string;
      readonly action: string;
      /** An object, or the raw text that could not be read as one; `undefined` of a call that was written before anybody watched. */
      readonly parameters: unknown;
      readonly touches: readonly Touch[];
    }
  | { readonly kind: "call:progress"; readonly call: string; readonly text: string }
  | { readonly kind: "call:end"; readonly call: string; readonly action: string; readonly outcome: Outcome }
  /** What the model will read, and `details`, which it will not. `call` is `null` where no call could be read of the answer. */
  | ({ readonly kind: "result"; readonly seq: number } & Pick<
      ResultEvent,
      "call" | "outcome" | "content" | "details"
    >)
  /** What the model said, whole, and what the turn took, calls included; without `stop` it came to no decision. */
  | { readonly kind: "turn:end"; readonly text: string; readonly usage: Usage; readonly stop?: Stop }
  /** Old events gave way to a summary. */
  | ({ readonly kind: "compaction"; readonly seq: number } & Omit<SummaryEvent, "kind">)
  /** `retrying`: the model is asked again. `question`: a call waits for a person, `settled`: no longer; `unasked`: nobody is there. */
  | {
      readonly kind: "notice";
      readonly reason: NoticeReason | "retrying" | "question" | "settled" | "unasked";
      readonly content: string;
    }
  | { readonly kind: "error"; readonly message: string }
  /** With all that was used since `agent:start`. */
  | { readonly kind: "agent:end"; readonly reason: AgentEnd; readonly usage: Usage }
);

export type AgentEventOf<K extends AgentEvent["kind"]> = Extract<AgentEvent, { readonly kind: K }>;

/** How an agent ends that is stopped by such a notice; `undefined` of one that stops nobody. */
export function endingBy({ reason, details }: EventOf<"notice">): AgentEnd | undefined {
  if (reason === "paused") return "aborted";
  if (reason === "parked-limit" || (reason === "parked-mail" && details === "turns")) return "limit";
  return reason === "parked" || reason === "parked-mail" || reason === "halted" ? "error" : undefined;
}

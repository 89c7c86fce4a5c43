// What was said, as attributes of spans: only where a person asked for it. Each text is cut, so that no span is larger than what
// takes it in.

import type { Call, DecisionEvent, Event } from "../../domain/event/event.ts";
import { speakerOf } from "../../domain/message/message.ts";
import { finishReason } from "./chats.ts";
import type { ShownMail } from "./shown.ts";
import type { SpanAttributes } from "./span.ts";

export type ContentWanted = "told" | "left out";

const MAX_TEXT = 8_000;
const MAX_PARTS = 50;

type ContentPart = Readonly<Record<string, unknown>>;

/** Follows what the next model call is shown that none before it was. */
export function createContent(wanted: ContentWanted) {
  let shown: {
    readonly role: "user" | "tool";
    readonly parts: readonly ContentPart[];
    readonly name?: string;
  }[] = [];
  const add = (one: (typeof shown)[number]): void => void (shown = [...shown, one].slice(-MAX_PARTS));
  return {
    see(event: Event, mail: readonly ShownMail[]): void {
      if (wanted === "left out") return;
      for (const { message, shown: worded } of mail)
        add({ role: "user", parts: [said(worded ?? message.content)], name: speakerOf(message) });
      if (event.kind === "decision") shown = [];
      if (event.kind !== "result") return;
      const response = { type: "tool_call_response", id: event.call ?? "", response: cut(event.content) };
      add({ role: "tool", parts: [response] });
    },
    /** Of the call that begins now. */
    input: (): SpanAttributes => (shown.length > 0 ? { "gen_ai.input.messages": JSON.stringify(shown) } : {}),
    output({ text, thoughts, calls, stop }: DecisionEvent): SpanAttributes {
      if (wanted === "left out") return {};
      const parts: readonly ContentPart[] = [
        ...(thoughts ? [{ type: "reasoning", content: cut(thoughts) }] : []),
        ...(text ? [said(text)] : []),
        ...calls.slice(0, MAX_PARTS).map(({ id, action, parameters }) => {
          return { type: "tool_call", id: cut(id), name: cut(action), arguments: smallest(parameters) };
        }),
      ];
      const message = { role: "assistant", parts, finish_reason: finishReason(stop) };
      return { "gen_ai.output.messages": JSON.stringify([message]) };
    },
    ofCall({ parameters }: Call, result: string): SpanAttributes {
      if (wanted === "left out") return {};
      return {
        "gen_ai.tool.call.arguments": cut(JSON.stringify(parameters) ?? ""),
        "gen_ai.tool.call.result": cut(result),
      };
    },
  };
}

function said(content: string): ContentPart {
  return { type: "text", content: cut(content) };
}

function cut(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)} […]` : text;
}

/** What is too long is a text that was cut. */
function smallest(parameters: unknown): unknown {
  const json = JSON.stringify(parameters) ?? "";
  return json.length > MAX_TEXT ? cut(json) : parameters;
}

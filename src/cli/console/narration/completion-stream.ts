// What one agent's model says, on the page as it streams.

import type { DecisionEvent, ProtocolName } from "../../../domain/event.ts";
import type { AgentId } from "../../../domain/message.ts";
import type { Delta } from "../../../domain/model.ts";
import type { ConsolePage, StreamedRow } from "./page.ts";
import { createTextStream, type RowLayout, type TextStream } from "./stream.ts";

export interface CompletionStream {
  hear(delta: Delta): void;
  /** The completion is whole: shows what did not stream of it. */
  conclude(decision: DecisionEvent): void;
  /** The completion came to nothing; another may begin. */
  cut(): void;
}

export interface CompletionStreamOptions {
  readonly agent: AgentId;
  readonly protocol: ProtocolName;
  readonly page: ConsolePage;
  /** Whether others may speak at the same time. */
  readonly company: "alone" | "others";
}

type StreamKind = "thoughts" | "text";

const LOOKS = {
  thoughts: { mark: "~", look: "dim", maxRows: 100, content: "prose" },
  text: { mark: "“", look: undefined, maxRows: 400, content: "prose" },
  action: { mark: "▸", look: "blue", maxRows: 12, content: "action" },
} as const;

export function createCompletionStream({
  agent,
  protocol,
  page,
  company,
}: CompletionStreamOptions): CompletionStream {
  let told: Record<StreamKind, string> = { thoughts: "", text: "" };
  let kind: StreamKind = "text";
  let stream: TextStream | undefined;
  let mark = "";

  const style = () => LOOKS[kind === "text" && protocol === "text" ? "action" : kind];
  const layout = (): RowLayout => ({
    columns: page.textColumns(),
    pace: company === "others" ? "sentences" : "rows",
  });
  const show = (rows: readonly string[]): void => {
    for (const text of rows) {
      const row: StreamedRow = { mark, text, look: style().look };
      page.go(agent, row);
      mark = "";
    }
  };
  const say = (said: StreamKind, text: string): void => {
    if (kind !== said) end();
    kind = said;
    if (!stream) {
      stream = createTextStream(style());
      ({ mark } = style());
    }
    told[said] += text;
    show(stream.write(text, layout()));
  };
  const end = (): void => {
    if (stream) show(stream.end(layout()));
    stream = undefined;
  };
  const cut = (): void => {
    end();
    told = { thoughts: "", text: "" };
  };
  return {
    hear(delta) {
      if (delta.kind === "call") end();
      else say(delta.kind, delta.text);
    },
    conclude(decision) {
      // Thoughts that are written as a part of an action were shown with it.
      const kinds = decision.protocol === "text" ? (["text"] as const) : (["thoughts", "text"] as const);
      for (const each of kinds) {
        const whole = decision[each] ?? "";
        const rest = whole.startsWith(told[each]) ? whole.slice(told[each].length) : "";
        if (rest.trim() !== "") say(each, rest);
      }
      cut();
    },
    cut,
  };
}

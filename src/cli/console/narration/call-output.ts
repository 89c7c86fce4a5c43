// What calls tell while they run, such as what a command prints: the first lines of each, under it. What they left in the background
// goes on, with another mark.

import type { AgentId } from "../../../domain/message/message.ts";
import { count } from "../../../base/text/wording.ts";
import { clip, plain } from "../../kit/terminal.ts";
import type { ConsolePage } from "./page.ts";

export interface CallOutputs {
  /** The call runs. */
  begin(call: string): void;
  hear(call: string, text: string): void;
  /** The call is over: shows what was held back, and how much there was besides. */
  end(call: string): void;
  /** Did it tell anything? Asked once, with its result. */
  wasHeard(call: string): boolean;
}

interface Output {
  readonly mark: "│" | "&";
  /** The beginning of a line. */
  pending: string;
  shown: number;
  hidden: number;
}

const MAX_ROWS = 20;
/** A line that is longer does not wait for its end. */
const MAX_PENDING = 2_000;

export function createCallOutputs(agent: AgentId, page: ConsolePage): CallOutputs {
  const outputs = new Map<string, Output>();
  const heard = new Set<string>();
  const show = ({ mark }: Output, text: string): void =>
    page.go(agent, { mark: "", text: clip(`${mark} ${text}`, page.textColumns()), look: "dim" });
  const open = (call: string, mark: Output["mark"]): Output => {
    const output = { mark, pending: "", shown: 0, hidden: 0 };
    outputs.set(call, output);
    return output;
  };
  const take = (output: Output, raw: string): void => {
    // What a command prints over, as a bar that grows, is gone.
    const line = plain(raw.replace(/\r+$/, "").split("\r").at(-1)!).trimEnd();
    if (line === "") return;
    if (output.shown < MAX_ROWS) show(output, line);
    if (output.shown < MAX_ROWS) output.shown++;
    else output.hidden++;
  };
  return {
    begin: (call) => void open(call, "│"),
    hear(call, text) {
      const output = outputs.get(call) ?? open(call, "&");
      if (output.mark === "│") heard.add(call);
      const lines = (output.pending + text).split("\n");
      const last = lines.pop()!;
      for (const line of lines) take(output, line);
      const isLong = last.length > MAX_PENDING;
      output.pending = isLong ? "" : last;
      if (isLong) take(output, last);
    },
    wasHeard: (call) => heard.delete(call),
    end(call) {
      const output = outputs.get(call);
      if (!output) return;
      outputs.delete(call);
      take(output, output.pending);
      if (output.hidden > 0) show(output, `… ${count(output.hidden, "more line")}`);
    },
  };
}

// What one agent's model says, broken into rows on the page as it streams.

import type { DecisionEvent, ProtocolName } from "../../../domain/event/event.ts";
import type { AgentId } from "../../../domain/message/message.ts";
import type { SpokenDelta } from "../../../domain/model.ts";
import { MULTILINE_DELIMITER } from "../../../model/protocol/text-syntax.ts";
import { count } from "../../../base/text/wording.ts";
import { plain, takeRow } from "../../kit/terminal.ts";
import type { ConsolePage } from "./page.ts";

export interface CompletionStream {
  hear(delta: SpokenDelta): void;
  /** What was said so far is shown to its end. */
  pause(): void;
  /** The completion is whole: shows what did not stream of it. */
  conclude(decision: DecisionEvent): void;
  /** The completion came to nothing; another may begin. */
  cut(): void;
}

export interface CompletionStreamOptions {
  readonly agent: AgentId;
  readonly protocol: ProtocolName;
  readonly page: ConsolePage;
  /** Where others may speak at the same time, rows of prose are given out only as whole sentences. */
  readonly company: "alone" | "others";
}

type StreamKind = "thoughts" | "text";

/** An action written as text comes line by line, without what only delimits its values. */
const LOOKS = {
  thoughts: { mark: "~", look: "dim", maxRows: 100, content: "prose" },
  text: { mark: "“", look: undefined, maxRows: 400, content: "prose" },
  action: { mark: "▸", look: "blue", maxRows: 12, content: "action" },
} as const;
/** A line that is longer does not wait for its end. */
const MAX_PENDING = 2_000;
const MAX_INDENT = 8;

export function createCompletionStream(options: CompletionStreamOptions): CompletionStream {
  let told: Record<StreamKind, string> = { thoughts: "", text: "" };
  let kind: StreamKind = "text";
  let passage: Passage | undefined;
  const say = (said: StreamKind, text: string): void => {
    if (kind !== said) end();
    kind = said;
    const isAction = said === "text" && options.protocol === "text";
    passage ??= createPassage(LOOKS[isAction ? "action" : said], options);
    told[said] += text;
    passage.write(text);
  };
  const end = (): void => {
    passage?.end();
    passage = undefined;
  };
  const cut = (): void => {
    end();
    told = { thoughts: "", text: "" };
  };
  return {
    hear: (delta) => say(delta.kind, delta.text),
    pause: end,
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

/** Text of one kind, from its first piece to its end. */
interface Passage {
  /** Takes in a piece, and puts the rows that are complete now on the page. */
  write(piece: string): void;
  /** Puts what is left on the page. */
  end(): void;
}

function createPassage(
  { maxRows, content, ...style }: (typeof LOOKS)[keyof typeof LOOKS],
  { agent, page, company }: CompletionStreamOptions,
): Passage {
  let pending = "";
  let mark: string = style.mark;
  /** Of the line that is being given out, for the rows after its first; `undefined` at the start of a line. */
  let indent: string | undefined;
  let isBlankOwed = false;
  let shown = 0;
  let hidden = 0;
  const show = (text: string): void => {
    page.go(agent, { mark, text, look: style.look });
    mark = "";
    shown++;
  };
  const give = (row: string): void => {
    if (shown >= maxRows) return void hidden++;
    if (isBlankOwed && shown > 0) show("");
    isBlankOwed = false;
    show(row);
  };
  const takeOff = (line: string): string => {
    const { row, rest } = takeRow((indent ?? "") + line, page.textColumns());
    indent ??= " ".repeat(Math.min(MAX_INDENT, line.length - line.trimStart().length));
    give(row);
    return rest;
  };
  const takeLine = (raw: string): void => {
    if (raw.trim() === "" && indent === undefined) isBlankOwed = true;
    let rest = plain(content === "action" ? withoutDelimiters(raw) : raw).trimEnd();
    while (rest !== "") rest = takeOff(rest);
    indent = undefined;
  };
  return {
    write(piece) {
      const mayWait = company === "others" && content === "prose" && pending.length <= MAX_PENDING;
      const { lines, rest } = takeLines(pending + piece, mayWait ? endsSentence : () => true);
      pending = rest;
      lines.forEach(takeLine);
      // A control sequence may be cut in two by the end of the piece: it waits for the rest of its line.
      const mayFlow = company === "alone" && content === "prose" && !pending.includes("\u001b");
      const limit = mayFlow ? Math.min(page.textColumns(), MAX_PENDING) : MAX_PENDING;
      while (pending.length > limit && !pending.includes("\n")) pending = takeOff(plain(pending));
    },
    end() {
      pending.split("\n").forEach(takeLine);
      if (hidden > 0) show(`… ${count(hidden, "more row")}`);
    },
  };
}

/** The lines up to the last one that is an end, and the text behind them. */
function takeLines(text: string, isEnd: (line: string) => boolean) {
  const lines = text.split("\n");
  const last = lines.pop()!;
  const ended = lines.findLastIndex(isEnd) + 1;
  return { lines: lines.slice(0, ended), rest: [...lines.slice(ended), last].join("\n") };
}

/** Or a paragraph. */
function endsSentence(line: string): boolean {
  return line.trim() === "" || /[.!?:;…。！？：][\p{Pe}\p{Pf}\p{Po}]*\s*$/u.test(line);
}

function withoutDelimiters(line: string): string {
  return line.replace(MULTILINE_DELIMITER, "").replace(/^`{3}\w*$/, "");
}

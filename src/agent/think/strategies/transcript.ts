// What was done in rounds, line by line, for whoever summarises it. What the person said is not in it.

import { elide } from "../../../base/text/wording.ts";
import type { Call } from "../../../domain/event/event.ts";
import { textOf, type Item } from "../../../past/shown/items.ts";
import { clip, ownText, tokensOf, type CompactionPlan } from "../compaction.ts";

/** Of what a tool returned, or the agent said, the summariser sees the beginning and the end. */
const TEXT_CHARS = 2_000;
const PARAMETER_CHARS = 200;

/** The rounds of `plan` in about `maxTokens`; where that is too little, the oldest lines go, but for earlier summaries. */
export function roundsTranscript({ items, round = 1 }: CompactionPlan, maxTokens: number): string {
  const share = tokensOf(items) <= maxTokens ? Infinity : Math.floor((maxTokens / items.length) * 4);
  const chars = Math.max(64, Math.min(TEXT_CHARS, share));
  const lines: string[] = [];
  const staying = new Set<string>();
  let number = round;
  let isOpen = false;
  for (const item of items) {
    const isWork = item.kind !== "message";
    if (isWork && !isOpen)
      lines.push(`${lines.length > 0 ? "\n" : ""}Round ${number++} execution process:\n`);
    isOpen = isWork;
    if (item.kind !== "summary") lines.push(...linesOf(item, chars));
    else {
      lines.push(`Earlier summary: ${onward(elide(ownText(item), Math.max(chars, share)))}`);
      staying.add(lines.at(-1)!);
    }
  }
  return clip(lines, maxTokens, staying).join("\n");
}

function linesOf(item: Item, chars: number): readonly string[] {
  if (item.exchange) return exchangeLines(item.exchange, chars);
  // What Control says is quoted beside the summary.
  if (item.quotes.shown.length > 0) return [];
  return [`Received: ${onward(elide(item.turns.map(textOf).join("\n"), chars))}`];
}

function exchangeLines(
  { decision, results }: NonNullable<Item["exchange"]>,
  chars: number,
): readonly string[] {
  const { text, calls, protocol } = decision;
  const said = text.trim() === "" ? [] : [`Assistant: ${onward(elide(text.trim(), chars))}`];
  const called = calls.map(({ action }) => action).join(", ");
  return [
    ...said,
    ...(called === "" ? [] : [`  → Called tools: ${called}`]),
    // In `text` they stand in what the agent said.
    ...(protocol === "text" ? [] : calls.flatMap(parameterLine)),
    ...[...results.values()].map(({ content }) => `  ← Tool returned: ${onward(elide(content, chars))}`),
  ];
}

function parameterLine({ action, parameters }: Call): readonly string[] {
  const text = typeof parameters === "string" ? parameters : (JSON.stringify(parameters) ?? "");
  return text === "" || text === "{}" ? [] : [`    ${action}: ${onward(elide(text, PARAMETER_CHARS))}`];
}

/** Whatever a text holds, its further lines look like none of ours. */
function onward(text: string): string {
  return text.replace(/\r?\n|\r/g, "\n      ");
}

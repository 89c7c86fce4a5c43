// How a summary is shown in place of what it covers, and what of Control's words stays readable beside it.

import { estimateTokens } from "../../model/tokens/tokens.ts";
import { CONTROL, type Message } from "../../domain/message/message.ts";
import { escapeHeaders } from "../../base/text/wording.ts";

/** What Control said in one message. */
export interface Quote {
  /** Of the message: `recall` reopens it by this number. */
  readonly seq: number;
  /** Its first `QUOTE_CHARS` characters. */
  readonly text: string;
}

/** The messages of Control that a summary stands for. */
export interface Quotes {
  /** Oldest first; may be empty. */
  readonly shown: readonly Quote[];
  /** How many, behind the first, are left out for want of room. */
  readonly left: number;
}

export const NO_QUOTES: Quotes = { shown: [], left: 0 };

const QUOTE_CHARS = 500;

/** `undefined` for what somebody else said. */
export function quoteOf(seq: number, { type, source, content }: Message): Quote | undefined {
  if (type !== "agentToAgent" || source.type !== "agent" || source.id !== CONTROL) return undefined;
  const text = content.trim();
  if (text.length <= QUOTE_CHARS) return { seq, text };
  // A cut must not part the two halves of a character.
  return { seq, text: `${text.slice(0, QUOTE_CHARS).replace(/[\uD800-\uDBFF]$/, "")}…` };
}

/** All of `parts` in about `maxTokens`: the first, which is what the work began with, and the newest stay. */
export function joinQuotes(parts: readonly Quotes[], maxTokens: number): Quotes {
  const [first, ...later] = parts.flatMap(({ shown }) => shown);
  if (!first) return NO_QUOTES;
  let room = maxTokens - sizeOf(first);
  const kept = later.findLastIndex((quote) => (room -= sizeOf(quote)) < 0) + 1;
  const left = parts.reduce((sum, part) => sum + part.left, 0) + kept;
  return { shown: [first, ...later.slice(kept)], left };
}

function sizeOf(quote: Quote): number {
  return estimateTokens(lineOf(quote)) + 1;
}

function lineOf({ seq, text }: Quote): string {
  return `- event ${seq}: ${text.replace(/\n/g, "\n  ")}`;
}

/** For the model; empty if there is nothing to quote. */
export function quotesText({ shown, left }: Quotes): string {
  const [first, ...later] = shown.map(lineOf);
  if (first === undefined) return "";
  const gap = left > 0 ? [`- (${left} more, not quoted)`] : [];
  return [QUOTES_OPENING, first, ...gap, ...later].join("\n");
}

const QUOTES_OPENING =
  "What Control said in this part, quoted (`recall` reopens a message by its event number):";

/** By strategy, what stands before a summary; those of other strategies are opened by a sentence. */
const HEADINGS: ReadonlyMap<string, string> = new Map([
  ["rounds", "[Assistant Execution Summary]\n\n"],
  ["recent", "[Previous conversation summary]\n"],
]);

export interface WrittenSummary {
  readonly strategy: string;
  readonly content: string;
}

/** A summary under its heading, with what it quotes; `undefined` for a strategy that has no heading. */
export function headedText({ strategy, content }: WrittenSummary, quotes: Quotes): string | undefined {
  const heading = HEADINGS.get(strategy);
  if (heading === undefined) return undefined;
  const quoted = quotesText(quotes);
  return `${heading}${escapeHeaders(content)}${quoted && `\n\n${quoted}`}`;
}

// A decision with its results, as one item of a view: no cut can part a call from its result.

import { resultsFor, type DecisionEvent, type ResultEvent, type Stamp } from "../../domain/event/event.ts";
import type { Model, Turn } from "../../domain/model.ts";
import type { Protocol, ShownResult } from "../../model/protocol/protocol.ts";
import { newItem, NOT_YET, tokensIn, type Exchange, type Item } from "./items.ts";
import type { KeptText } from "./kept-texts.ts";

/** In which words. */
export interface ExchangeWording {
  readonly protocol: Protocol;
  readonly thinkingTokens?: Model["thinkingTokens"];
  readonly numbers?: "shown" | undefined;
}

const NO_RESULT = "(no result yet)";

/** Not rendered yet. */
export function exchangeItem(exchange: Exchange): Item {
  const { decision, results } = exchange;
  const item = newItem("exchange", decision.seq, NOT_YET);
  for (const result of results.values()) {
    item.lastSeq = Math.max(item.lastSeq, result.seq);
    item.events++;
    if (result.keeps !== undefined) item.kept = [...item.kept, ...keptIn(result)];
  }
  item.exchange = exchange;
  return item;
}

/** Gives an item of an exchange its turns and tokens. */
export function renderExchange(item: Item, wording: ExchangeWording): void {
  item.turns = turnsOf(item.exchange!, wording);
  item.thinking = thinkingIn(item, wording.thinkingTokens);
  item.tokens = tokensIn(item.turns) + item.thinking;
}

/** A call without a result is shown with one that says so: providers refuse a history with an open call. */
export function turnsOf(
  { decision, results }: Exchange,
  { protocol, numbers }: Pick<ExchangeWording, "protocol" | "numbers">,
): readonly Turn[] {
  const show = numbers ? showNumbered : showResult;
  const shown: ShownResult[] =
    resultsFor(decision)[0] === null
      ? [...results.values()].map((result) => showResult(result))
      : decision.calls.map((call) => {
          const result = results.get(call.id);
          return result ? show(result) : { call: call.id, content: NO_RESULT, isError: false };
        });
  const isEmpty = decision.text.trim() === "" && decision.calls.length === 0;
  return [
    ...(isEmpty ? [] : [protocol.decision(decision)]),
    ...(shown.length > 0 ? [protocol.results(shown)] : []),
  ].filter((turn) => turn.role !== "user" || turn.text !== "");
}

/** Of what the model is sent again of an item, in tokens. */
export function thinkingIn({ turns }: Pick<Item, "turns">, tokensOf: Model["thinkingTokens"]): number {
  return tokensOf ? turns.reduce((sum, turn) => sum + tokensOf(turn), 0) : 0;
}

function keptIn({ keeps, content, outcome }: ResultEvent): readonly KeptText[] {
  return keeps !== undefined && outcome === "ok" ? [{ what: keeps, text: content }] : [];
}

function showResult({ call, content, outcome }: ResultEvent): ShownResult {
  return { call, content, isError: outcome === "error" || outcome === "interrupted" };
}

/** As it is cited. What is empty is not shown. */
function showNumbered(result: ResultEvent & Stamp): ShownResult {
  const shown = showResult(result);
  return shown.content === "" ? shown : { ...shown, content: `[#${result.seq}]\n${shown.content}` };
}

/** Is this a result of that decision? */
export function expects(decision: DecisionEvent, { call }: ResultEvent): boolean {
  return resultsFor(decision).includes(call);
}

export function isComplete({ decision, results }: Exchange): boolean {
  return results.size === resultsFor(decision).length;
}

export function hasFailed(exchange: Exchange): boolean {
  const { results } = exchange;
  if (results.size === 0 || !isComplete(exchange)) return false;
  return [...results.values()].every(({ outcome }) => outcome === "error");
}

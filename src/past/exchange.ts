// A decision with its results.

import type { DecisionEvent, ResultEvent, Stamp } from "../domain/event.ts";

export interface Exchange {
  readonly decision: DecisionEvent & Stamp;
  readonly results: Map<string | null, ResultEvent & Stamp>;
}

/** Is this a result of that decision? */
export function expects({ stop, calls }: DecisionEvent, { call }: ResultEvent): boolean {
  return stop === "unparsed" ? call === null : calls.some(({ id }) => id === call);
}

export function isComplete({ decision, results }: Exchange): boolean {
  return results.size === (decision.stop === "unparsed" ? 1 : decision.calls.length);
}

export function hasFailed(exchange: Exchange): boolean {
  const outcomes = [...exchange.results.values()].map(({ outcome }) => outcome);
  return outcomes.length > 0 && isComplete(exchange) && outcomes.every((outcome) => outcome === "error");
}

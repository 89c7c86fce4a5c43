import { createHash } from "node:crypto";
import type { DecisionEvent, ResultEvent, Stamp } from "../../domain/event/event.ts";
import type { Turn } from "../../domain/model.ts";
import type { KeptText } from "./kept-texts.ts";
import type { Quotes } from "./summary-text.ts";

/** A decision with its results. */
export interface Exchange {
  readonly decision: DecisionEvent & Stamp;
  readonly results: Map<string | null, ResultEvent & Stamp>;
}

export interface Item {
  readonly kind: "message" | "exchange" | "summary" | "notice";
  readonly firstSeq: number;
  lastSeq: number;
  /** How many events it stands for. */
  events: number;
  turns: readonly Turn[];
  /** Tokens of its turns: estimated, or exact once somebody counted; with those of thinking. */
  tokens: number;
  /** About how many of them are thinking that the model is sent again, which nobody can count. */
  readonly thinking: number;
  counted: boolean;
  /** Hash over this item and all before it. */
  chain: string;
  exchange?: Exchange;
  /** Control's words in it: of its message, or of those that a summary stands for. */
  readonly quotes: Quotes;
  /** What no summary of it swallows; of a summary, what stands behind it. */
  readonly kept: readonly KeptText[];
}

export type Shown = ReturnType<typeof createShown>;

/** Items and what they add up to, kept in step. */
export function createShown() {
  const items: Item[] = [];
  const turns: Turn[] = [];
  let tokens = 0;
  /** How many items have their place in the hash chain. */
  let chained = 0;
  /** How many turns stand where they stood when somebody last asked. */
  let staying = 0;
  const push = (item: Item): Item => {
    items.push(item);
    turns.push(...item.turns);
    tokens += item.tokens;
    return item;
  };
  return {
    items,
    turns,
    tokens() {
      return tokens;
    },
    chain() {
      for (; chained < items.length; chained++) {
        items[chained]!.chain = chainOf(items[chained - 1]?.chain ?? "", items[chained]!);
      }
      return items.at(-1)?.chain ?? "";
    },
    push,
    /** See `View`. */
    staying(): number {
      const stayed = staying;
      staying = turns.length;
      return stayed;
    },
    /** Replaces the items from `index` on. */
    redo(index: number, replacement: readonly Item[]): void {
      const removed = items.slice(index);
      items.length = index;
      chained = Math.min(chained, index);
      for (const item of removed) tokens -= item.tokens;
      turns.length -= removed.reduce((sum, item) => sum + item.turns.length, 0);
      staying = Math.min(staying, turns.length);
      for (const item of replacement) push(item);
    },
    setTokens(item: Item, exact: number): void {
      tokens += exact + item.thinking - item.tokens;
      item.tokens = exact + item.thinking;
      item.counted = true;
    },
  };
}

/** Everything of a turn that costs tokens, as one text. */
export function textOf(turn: Turn): string {
  if (turn.role === "user") return turn.text;
  if (turn.role === "results") return turn.results.map(({ content }) => content).join("\n");
  const calls = turn.calls.map(({ action, parameters }) => `${action} ${JSON.stringify(parameters)}`);
  return [turn.text, ...calls].join("\n");
}

export function chainOf(before: string, item: Item): string {
  const hash = createHash("sha256").update(before);
  for (const turn of item.turns) hash.update(turn.role).update(textOf(turn));
  return hash.digest("hex");
}

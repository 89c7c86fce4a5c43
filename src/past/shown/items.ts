// The items of a view, and what they add up to.

import { createHash } from "node:crypto";
import type { DecisionEvent, ResultEvent, Stamp } from "../../domain/event/event.ts";
import type { Turn } from "../../domain/model.ts";
import { estimateTokens } from "../../model/tokens/tokens.ts";
import type { KeptText } from "./kept-texts.ts";
import { NO_QUOTES, type Quotes } from "./summary-text.ts";

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
  /** Of an exchange that nobody has looked at yet: `NOT_YET`. */
  turns: readonly Turn[];
  /** Tokens of its turns: estimated, or exact once somebody counted; with those of thinking. */
  tokens: number;
  /** About how many of them are thinking that the model is sent again, which nobody can count. */
  thinking: number;
  counted: boolean;
  /** Hash over this item and all before it. */
  chain: string;
  exchange?: Exchange;
  /** Control's words in it: of its message, or of those that a summary stands for. */
  quotes: Quotes;
  /** What no summary of it swallows; of a summary, what stands behind it. */
  kept: readonly KeptText[];
}

/** Most exchanges of a long log are summarised before anybody looks at them: they are rendered when somebody does. */
export const NOT_YET: readonly Turn[] = [];

export type Shown = ReturnType<typeof createShown>;

/** What is shown, to be gone on from. */
export interface ShownBefore {
  readonly items: readonly Item[];
  /** How many of them have their place in the hash chain. */
  readonly chained: number;
}

export function newItem(kind: Item["kind"], seq: number, turns: readonly Turn[]): Item {
  return {
    ...{ kind, firstSeq: seq, lastSeq: seq, events: 1, turns },
    ...{ tokens: tokensIn(turns), thinking: 0 },
    ...{ counted: false, chain: "", quotes: NO_QUOTES, kept: [] },
  };
}

/** Estimated, without thinking. */
export function tokensIn(turns: readonly Turn[]): number {
  return turns.reduce((sum, turn) => sum + estimateTokens(textOf(turn)), 0);
}

/** Items and what they add up to, kept in step. @param render gives an exchange its turns and tokens */
export function createShown(render: (item: Item) => void, before: ShownBefore) {
  const items: Item[] = [...before.items];
  const turns: Turn[] = [];
  let tokens = 0;
  /** So many of the items are among the turns and tokens. */
  let looked = 0;
  let { chained } = before;
  /** How many turns stand where they stood when somebody last asked. */
  let staying = 0;
  const look = () => {
    for (; looked < items.length; looked++) {
      const item = items[looked]!;
      if (item.turns === NOT_YET) render(item);
      turns.push(...item.turns);
      tokens += item.tokens;
    }
    return { items, turns, tokens };
  };
  return {
    /** Rendered or not. */
    items,
    /** The same rendered, their turns, and the sum of their tokens. */
    look,
    chained: () => chained,
    chain(): string {
      look();
      for (; chained < items.length; chained++) {
        items[chained]!.chain = chainOf(items[chained - 1]?.chain ?? "", items[chained]!);
      }
      return items.at(-1)?.chain ?? "";
    },
    push(item: Item): Item {
      items.push(item);
      return item;
    },
    /** See `View`. */
    staying(): number {
      look();
      const stayed = staying;
      staying = turns.length;
      return stayed;
    },
    /** Replaces the items from `index` on. */
    redo(index: number, replacement: readonly Item[]): void {
      const removed = items.slice(index, Math.max(index, looked));
      for (const item of removed) tokens -= item.tokens;
      turns.length -= removed.reduce((sum, item) => sum + item.turns.length, 0);
      staying = Math.min(staying, turns.length);
      items.length = index;
      for (const item of replacement) items.push(item);
      looked = Math.min(looked, index);
      chained = Math.min(chained, index);
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

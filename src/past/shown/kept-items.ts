// The items of a view as one text: thousands of small things are read back many times as fast as by themselves. What the turns
// of an exchange are, the exchange tells.

import { thinkingIn, turnsOf, type ExchangeWording } from "./exchange-item.ts";
import { NOT_YET, type Exchange, type Item } from "./items.ts";
import { NO_QUOTES } from "./summary-text.ts";

type KeptExchange = readonly [
  decision: Exchange["decision"],
  results: readonly (readonly [string | null, object])[],
];

type KeptItem = readonly [
  ...(readonly [Item["kind"], firstSeq: number, lastSeq: number, events: number]),
  ...(readonly [tokens: number, thinking: number, counted: boolean, chain: string]),
  ...(readonly [KeptExchange | null, turns?: Item["turns"], kept?: Item["kept"], quotes?: Item["quotes"]]),
];

/** They hold what JSON holds: all of it stood in a log. */
export function packItems(items: readonly Item[]): string {
  return JSON.stringify(items.map(packItem));
}

function packItem(item: Item): KeptItem {
  const { kind, firstSeq, lastSeq, events, tokens, thinking, counted, chain } = item;
  const { exchange, turns, kept, quotes } = item;
  const known = [kind, firstSeq, lastSeq, events, tokens, thinking, counted, chain] as const;
  if (!exchange) return [...known, null, turns, kept, quotes];
  const packed: KeptExchange = [exchange.decision, [...exchange.results]];
  return kept.length > 0 ? [...known, packed, NOT_YET, kept] : [...known, packed];
}

/** @param text what `packItems` gave. Another model may be sent more of its thinking again, or less. */
export function unpackItems(text: string, wording: ExchangeWording): Item[] {
  return (JSON.parse(text) as readonly KeptItem[]).map((item) => unpackItem(item, wording));
}

function unpackItem(item: KeptItem, wording: ExchangeWording): Item {
  const [kind, firstSeq, lastSeq, events, tokens, thought, counted, chain, packed, ...rest] = item;
  const [told = NOT_YET, kept = [], quotes = NO_QUOTES] = rest;
  const exchange = packed && { decision: packed[0], results: new Map(packed[1]) as Exchange["results"] };
  const turns = exchange ? turnsOf(exchange, wording) : told;
  const thinking = exchange ? thinkingIn({ turns }, wording.thinkingTokens) : 0;
  const known = { kind, firstSeq, lastSeq, events, turns, thinking, counted, chain, quotes, kept };
  return { ...known, tokens: tokens - thought + thinking, ...(exchange && { exchange }) };
}

// What the model is shown of a log: mistakes forgotten, old events summarised. A fold of the log that costs each event
// once; a decision and its results are one item, so no cut can part a call from its result.
//
//   V1. Every call of a shown decision is followed by exactly one result.
//   V2. Every message but a verdict and what is held is shown, or lies in a range that a shown summary covers. What was held
//       stands where it was released.

import type { Event, EventOf, Stamp } from "../domain/event/event.ts";
import { displayName, isPersons, laneOf, type Message } from "../domain/message/message.ts";
import { citedLines } from "./receipts/lines.ts";
import { answeringLines } from "./waiting/answering.ts";
import type { Model, Turn } from "../domain/model.ts";
import type { Protocol } from "../model/protocol/protocol.ts";
import { createHeldMail, foldHeld, type HeldMail, type TakenMessage } from "./mail/held.ts";
import { fitTokens } from "../model/tokens/tokens.ts";
import { escapeHeaders } from "../base/text/wording.ts";
import { headedText, joinQuotes, quoteOf, type WrittenSummary } from "./shown/summary-text.ts";
import { keptOf, keptText } from "./shown/kept-texts.ts";
import {
  createShown,
  newItem,
  type Exchange,
  type Item,
  type Shown,
  type ShownBefore,
} from "./shown/items.ts";
import { packItems, unpackItems } from "./shown/kept-items.ts";
import { exchangeItem, expects, hasFailed, isComplete, renderExchange } from "./shown/exchange-item.ts";

export interface View {
  readonly items: readonly Item[];
  /** The turns of all items: the same array, grown in place. */
  readonly turns: readonly Turn[];
  /** Sum over all items. */
  readonly tokens: number;
  /** Hash over everything shown. */
  readonly chain: string;
  /** Takes one event into account. Events come in the order of the log. */
  see(event: Event): void;
  /** How many of the turns, from the first on, are those that there were when this was asked before; 0 the first time. */
  staying(): number;
  /** Says what an item's turns really count, but for thinking that is sent again. */
  setTokens(item: Item, tokens: number): void;
  /** What would be shown in place of `items` if they were summarised so. */
  summarised(items: readonly Item[], summary: WrittenSummary): string;
  /** As it stands, for `createView`: it shares its objects. `undefined` while its options are changed and it is not. */
  pack(): KeptView | undefined;
}

/** Plain data. */
export interface KeptView extends Pick<ShownBefore, "chained"> {
  /** As `wayOf` has it. */
  readonly way: string;
  /** As `packItems` has them: what is shown, and what failed and is not shown any more. */
  readonly items: string;
  /** How many of them are shown. */
  readonly shown: number;
  readonly open: Exchange | undefined;
  /** Which of them failed, by their places. */
  readonly failed: readonly number[];
  readonly held: HeldMail;
}

export interface ViewOptions {
  readonly protocol: Protocol;
  /** Does a success make the failed decisions before it disappear? */
  readonly errors: "forget" | "keep";
  /** Of the model, in tokens. */
  readonly window: number;
  /** What the model is sent again of its thinking with a turn, in tokens. Absent: nothing. */
  readonly thinkingTokens?: Model["thinkingTokens"];
  /** Does each result say its number, to be cited? Absent: none does. */
  readonly numbers?: "shown" | undefined;
  /** `nothing`: other words than these are shown to the model. Absent: everything. */
  readonly shows?: "nothing";
}

/** The sentence that opens a summary. */
export const SUMMARY_OPENING =
  "Several events are omitted here to free up space in your context window, summarized as follows:";

/** A longer message is shown without its middle: no compaction would make room for mail that nobody has seen. */
const MAX_MESSAGE_TOKENS = 16_384;
/** The same where the window is small: a share of it. */
const MESSAGE_SHARE = 1 / 4;
/** The same of what a summary quotes. */
const MAX_QUOTED_TOKENS = 4_096;
const QUOTED_SHARE = 1 / 16;
/** The same of what actions had it keep. */
const MAX_KEPT_TOKENS = 24_000;
const KEPT_SHARE = 1 / 8;
const SHOWN_NOTICE = "gap";

/** Names all that views of a log depend on but the log: those of the same way are the same, but for thinking. */
export function wayOf({ protocol, errors, window, shows, numbers }: ViewOptions): string {
  return shows ?? JSON.stringify([protocol.form, errors, String(window), ...(numbers ? [numbers] : [])]);
}

/** @param kept is gone on from: it is of the same way */
export function createView(options: ViewOptions, kept?: KeptView): View {
  const { errors, window } = options;
  const way = wayOf(options);
  const { waiting, held, ...known } = unpackShown(kept, options);
  const shown = createShown((item) => renderExchange(item, options), known);
  /** Exchanges in which every call failed, waiting to be forgotten. */
  let failed = waiting;
  /** The newest decision, until its last result is in or somebody looks. */
  let open = kept?.open;
  const room = summaryRoom(window);
  const add = (item: Item | undefined): void => {
    if (item?.exchange && hasFailed(item.exchange)) failed.push(item);
  };
  const showOpen = (): Shown => {
    if (open) add(shown.push(exchangeItem(open)));
    open = undefined;
    return shown;
  };
  const takeResult = (event: EventOf<"result">): void => {
    if (open && expects(open.decision, event)) {
      open.results.set(event.call, event);
      if (isComplete(open)) showOpen();
    } else add(showLate(showOpen(), event));
    if (errors === "keep" || event.outcome !== "ok") return;
    remove(showOpen(), failed);
    failed = [];
  };
  const see = (event: Event): void => {
    if (options.shows === "nothing") return;
    if (event.kind === "result") return takeResult(event);
    if (event.kind === "approval") return;
    showOpen();
    const mail = foldHeld(held, event).filter(({ message }) => laneOf(message) !== "verdict");
    if (mail.length > 0) shown.push(mailItem(event, mail, options));
    if (event.kind === "decision") open = { decision: event, results: new Map() };
    else if (event.kind === "summary") {
      failed = without(failed, cover(shown, event, room));
    } else if (event.kind === "notice" && event.reason === SHOWN_NOTICE)
      shown.push(textItem("notice", event, event.content));
  };
  return {
    get items() {
      return showOpen().look().items;
    },
    get turns() {
      return showOpen().look().turns;
    },
    get tokens() {
      return showOpen().look().tokens;
    },
    get chain() {
      return showOpen().chain();
    },
    see,
    staying: () => showOpen().staying(),
    setTokens: shown.setTokens,
    summarised: (items, summary) => summaryText(summary, stayingOf(items, showOpen().items, room)),
    pack: () => (wayOf(options) === way ? { way, ...packShown(shown, failed), open, held } : undefined),
  };
}

function unpackShown(
  kept: KeptView | undefined,
  options: ViewOptions,
): ShownBefore & { waiting: Item[]; held: HeldMail } {
  if (!kept) return { items: [], chained: 0, waiting: [], held: createHeldMail() };
  const { chained, held } = kept;
  const all = unpackItems(kept.items, options);
  const waiting = kept.failed.map((place) => all[place]!);
  return { items: all.slice(0, kept.shown), chained, held, waiting };
}

function packShown({ look, chained }: Shown, failed: readonly Item[]) {
  const { items } = look();
  const others = without(failed, items);
  const all = [...items, ...others];
  const places = new Map(all.map((item, place) => [item, place]));
  return {
    ...{ items: packItems(all), shown: items.length, chained: chained() },
    failed: failed.map((item) => places.get(item)!),
  };
}

/** Adds a result to an exchange that is shown without it; returns the item that shows both, if there is one. */
function showLate({ items, redo }: Shown, event: EventOf<"result">): Item | undefined {
  const index = items.findLastIndex((item) => item.exchange !== undefined);
  const exchange = items[index]?.exchange;
  if (!exchange || !expects(exchange.decision, event)) return undefined;
  exchange.results.set(event.call, event);
  const grown = exchangeItem(exchange);
  redo(index, [grown, ...items.slice(index + 1)]);
  return grown;
}

/** Takes `gone`, oldest first, out of what is shown. */
function remove({ items, redo }: Shown, gone: readonly Item[]): void {
  const first = gone.length === 0 ? -1 : items.lastIndexOf(gone[0]!);
  if (first === -1) return;
  redo(first, without(items.slice(first), gone));
}

function without(items: readonly Item[], gone: readonly Item[]): Item[] {
  const out = new Set(gone);
  return items.filter((item) => !out.has(item));
}

/** Puts a summary in place of what it covers, and returns what that was. */
function cover({ items, redo }: Shown, event: EventOf<"summary">, room: SummaryRoom): readonly Item[] {
  const [from, to] = event.covers;
  const first = items.findIndex((item) => item.lastSeq >= from);
  if (first === -1 || to === 0) return [];
  const covered = items.slice(first).filter((item) => item.firstSeq <= to);
  const rest = items.slice(first).filter((item) => item.firstSeq > to);
  const staying = stayingOf(covered, items, room);
  redo(first, [summaryItem(event, covered, staying), ...rest]);
  return covered;
}

/** In tokens. */
interface SummaryRoom {
  readonly quoted: number;
  readonly kept: number;
}

function summaryRoom(window: number): SummaryRoom {
  return {
    quoted: Math.min(MAX_QUOTED_TOKENS, window * QUOTED_SHARE),
    kept: Math.min(MAX_KEPT_TOKENS, window * KEPT_SHARE),
  };
}

/** What stays readable of what a summary stands for. */
type Staying = Pick<Item, "quotes" | "kept">;

/** Of `items`, some of `shown`. */
function stayingOf(items: readonly Item[], shown: readonly Item[], room: SummaryRoom): Staying {
  const others = without(shown, items);
  const quotes = joinQuotes(
    items.map(({ quotes }) => quotes),
    room.quoted,
  );
  const [parts, elsewhere] = [items, others].map((some) => some.map(({ kept }) => kept));
  return { quotes, kept: keptOf(parts!, elsewhere!, room.kept) };
}

function summaryText(summary: WrittenSummary, { quotes, kept }: Staying): string {
  const text = headedText(summary, quotes) ?? `${SUMMARY_OPENING}\n\n${summary.content}`;
  return text + keptText(kept);
}

/** A message as agents see it. */
export function renderMessage(message: Message): string {
  if (message.type === "agentToAgent" && message.source.type === "agent") {
    const { id } = message.source;
    const content = isPersons(message) ? message.content : escapeHeaders(message.content);
    const header = [
      `--- MESSAGE FROM ${displayName(id).toUpperCase()} ---`,
      ...answeringLines(message),
      ...citedLines(message),
    ];
    return `${header.join("\n")}\n\n${content}`;
  }
  // Earlier versions imported replies of the original as they were: as messages.
  const isOriginalError = (message.type as string) === "error";
  return isOriginalError ? `--- ERROR ---\n\n${message.content}` : message.content;
}

/** What was released together stands and goes together: no summary may cover half of an event. */
function mailItem({ seq }: Stamp, mail: readonly TakenMessage[], how: MailWording): Item {
  const turns = mail.map((taken): Turn => ({ role: "user", text: fittingText(taken, how) }));
  const quotes = { shown: mail.flatMap((taken) => quoteOf(taken.seq, taken.message) ?? []), left: 0 };
  return { ...newItem("message", seq, turns), events: mail.length, quotes };
}

type MailWording = Pick<ViewOptions, "protocol" | "window">;

function fittingText(taken: TakenMessage, { protocol, window }: MailWording): string {
  const { seq, message, shown } = taken;
  if (protocol.history === "linear") return shown ?? message.content;
  const text = renderMessage(message);
  const fitted = fitTokens(text, Math.min(MAX_MESSAGE_TOKENS, window * MESSAGE_SHARE));
  if (fitted === text) return text;
  return `${fitted}\n\n(Too long to be shown whole: \`recall\` reopens it as event ${seq}.)`;
}

/** Stands for all that it replaces, also where that reaches past what it says it covers. */
function summaryItem(event: EventOf<"summary">, replaced: readonly Item[], staying: Staying): Item {
  const [from, to] = event.covers;
  const item = textItem("summary", event, summaryText(event, staying));
  const firstSeq = replaced.reduce((first, { firstSeq }) => Math.min(first, firstSeq), from);
  const lastSeq = replaced.reduce((last, { lastSeq }) => Math.max(last, lastSeq), to);
  return { ...item, firstSeq, lastSeq, ...staying };
}

function textItem(kind: Item["kind"], { seq }: Stamp, text: string): Item {
  return newItem(kind, seq, [{ role: "user", text }]);
}

// What the modules of an agent found outside the legion, or outside its log, as its log keeps it.

import { fieldsOf } from "../base/text/json.ts";
import type { Event, NewEvent } from "../domain/event/event.ts";
import type { RecalledEvent } from "../domain/event/outside.ts";

/** By module, as JSON tells it, or, of what it recalled, by its keys; another map after each change. */
export type KnownOffers = ReadonlyMap<string, unknown>;

export const NO_OFFERS: KnownOffers = new Map();

/** With what `event` offers or recalls. Events come in the order of their branch. */
export function foldOffers(offers: KnownOffers, event: Event | NewEvent): KnownOffers {
  if (event.kind === "offered") return new Map(offers).set(event.module, parseOffer(event.offer));
  if (event.kind !== "recalled") return offers;
  const { module, key, content, from, taint } = event;
  const recalled: RecalledText = { content, from, taint };
  return new Map(offers).set(module, { ...fieldsOf(offers.get(module)), [key]: recalled });
}

/** What was recalled for one key. */
export type RecalledText = Pick<RecalledEvent, "content" | "from" | "taint">;

/** One that was lost is as none. */
function parseOffer(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

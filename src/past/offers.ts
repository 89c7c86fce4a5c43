// What the modules of an agent found outside the legion, as its log keeps it.

import type { Event } from "../domain/event/event.ts";

/** By module, as JSON tells it; another map after each change. */
export type KnownOffers = ReadonlyMap<string, unknown>;

export const NO_OFFERS: KnownOffers = new Map();

/** With what `event` offers. Events come in the order of their branch. */
export function foldOffers(offers: KnownOffers, event: Event): KnownOffers {
  if (event.kind !== "offered") return offers;
  return new Map(offers).set(event.module, parseOffer(event.offer));
}

/** One that was lost is as none. */
function parseOffer(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

// How an agent writes its actions and is shown its past. Whether a model can call tools, its server may say only when it is
// asked: then the agent goes on in text, with the same past.

import type { Director } from "../../domain/authoring/director.ts";
import type { ReceiptUse } from "../../domain/message/receipt.ts";
import { NO_OFFERS, type KnownOffers } from "../../past/offers.ts";
import type { Memory, ReadablePast } from "../../past/past.ts";
import type { Model, ModelProfile } from "../../domain/model.ts";
import { withOffers, type ActionIndex } from "./module-set.ts";
import type { Protocol } from "../../model/protocol/protocol.ts";
import type { ViewOptions } from "../../past/view.ts";

export interface Way {
  readonly protocol: Protocol;
  readonly actions: ActionIndex;
  /** Does a success make the failed decisions before it disappear from the view? */
  readonly errors: "forget" | "keep";
}

export interface Ways extends Way {
  /** Is it told to cite results, or has it to? Absent: neither. */
  readonly receipts?: ReceiptUse;
  /** What stands in their place where the model calls no tools. Absent: nothing may. */
  readonly withoutTools?: Way;
  /** Says what it does next, in place of introduction, view and model. Absent: its model does. */
  readonly director?: Director;
  /** Of one with a director, where its next model call does not fit into a limit: it goes on by rules, or parks. Absent: it parks. */
  readonly atLimit?: "park" | "extracts";
}

/** The way that an agent has at this moment; whoever holds it sees it change. Its actions are those of what was found outside, too. */
export interface Speech extends Way, ViewOptions {
  readonly ways: Ways;
  /** Of which `actions` are made. */
  readonly offers: KnownOffers;
}

export function createSpeech(ways: Ways, model: Model): Speech {
  const { protocol, actions, errors } = wayFor(ways, model.profile);
  const { thinkingTokens } = model;
  const shows = ways.director && "nothing";
  const { window } = model.profile;
  const numbers = ways.receipts && "shown";
  return { protocol, actions, errors, window, thinkingTokens, shows, numbers, ways, offers: NO_OFFERS };
}

/** Has the agent speak as its model can, with the actions that its log offers by now. Says whether it was shown its past differently before. */
export async function settleSpeech(
  speech: Speech,
  { profile }: { readonly profile: ModelProfile },
  memory: Memory,
): Promise<boolean> {
  const way = wayFor(speech.ways, profile);
  const isOther = way.protocol !== speech.protocol;
  if (isOther || memory.offers !== speech.offers) speakAs(speech, way, memory);
  if (isOther) await memory.showAnew();
  return isOther;
}

/** Has a speech that was just created tell the actions that were offered before. */
export function recallOffers(speech: Speech, { profile }: Pick<Model, "profile">, past: Known): void {
  speakAs(speech, wayFor(speech.ways, profile), past);
}

type Known = Pick<ReadablePast, "offers">;

function speakAs(speech: Speech, { protocol, actions, errors }: Way, { offers }: Known): void {
  Object.assign(speech, { protocol, errors, offers, actions: withOffers(actions, protocol, offers) });
}

function wayFor(ways: Ways, { tools }: ModelProfile): Way {
  return tools ? ways : (ways.withoutTools ?? ways);
}

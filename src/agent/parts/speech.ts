// How an agent writes its actions and is shown its past. Whether a model can call tools, its server may say only when it is
// asked: then the agent goes on in text, with the same past.

import type { Memory } from "../../past/past.ts";
import type { Model, ModelProfile } from "../../domain/model.ts";
import type { ActionIndex } from "./module-set.ts";
import type { Protocol } from "../../model/protocol/protocol.ts";
import type { ViewOptions } from "../../past/view.ts";

export interface Way {
  readonly protocol: Protocol;
  readonly actions: ActionIndex;
  /** Does a success make the failed decisions before it disappear from the view? */
  readonly errors: "forget" | "keep";
}

export interface Ways extends Way {
  /** What stands in their place where the model calls no tools. Absent: nothing may. */
  readonly withoutTools?: Way;
}

/** The way that an agent has at this moment; whoever holds it sees it change. */
export interface Speech extends Way, ViewOptions {
  readonly ways: Ways;
}

export function createSpeech(ways: Ways, model: Model): Speech {
  const { protocol, actions, errors } = wayFor(ways, model.profile);
  const { thinkingTokens } = model;
  return { protocol, actions, errors, window: model.profile.window, thinkingTokens, ways };
}

/** Has the agent speak as its model can. Says whether it spoke differently before. */
export async function settleSpeech(
  speech: Speech,
  { profile }: { readonly profile: ModelProfile },
  memory: Memory,
): Promise<boolean> {
  const { protocol, actions, errors } = wayFor(speech.ways, profile);
  if (protocol === speech.protocol) return false;
  Object.assign(speech, { protocol, actions, errors });
  await memory.showAnew();
  return true;
}

function wayFor(ways: Ways, { tools }: ModelProfile): Way {
  return tools ? ways : (ways.withoutTools ?? ways);
}

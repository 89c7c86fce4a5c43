// Introduction and view -> model request. Pure. What changes stands last, so that everything before it is the same, byte
// for byte, from prompt to prompt.

import type { ModelRequest, Turn } from "../../domain/model.ts";
import { estimateTokens } from "../../model/tokens/tokens.ts";
import type { View } from "../../past/view.ts";
import type { PinPosition } from "../../domain/memory-settings.ts";
import type { Introduction } from "../parts/introduction.ts";

export function buildPrompt(
  introduction: Introduction,
  view: View,
  options: { readonly pin: PinPosition; readonly maxOutput: number; readonly opening: readonly Turn[] },
): ModelRequest {
  const { instructions, pinned, tools } = introduction;
  const top = options.pin === "top" && pinned !== "";
  return {
    system: top ? `${instructions}\n\n${pinned}` : instructions,
    tools,
    turns: view.turns.length > 0 ? view.turns : options.opening,
    pinned: top ? "" : pinned,
    maxOutput: options.maxOutput,
  };
}

/** Estimated tokens of everything in a prompt but the view. */
export function introductionTokens({ instructions, pinned, tools }: Introduction): number {
  return estimateTokens(instructions) + estimateTokens(pinned) + estimateTokens(JSON.stringify(tools));
}

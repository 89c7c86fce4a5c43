// What opens a prompt. The modules' pinned messages have a room of their own in the model's window: where they take more,
// short ones stay whole, and the others share what is left in equal parts.

import { messageOf } from "../../base/errors.ts";
import type { Module } from "../../domain/authoring/module.ts";
import type { ToolSpec } from "../../domain/model.ts";
import { elide } from "../../base/text/wording.ts";
import { estimateTokens } from "../../model/tokens/tokens.ts";
import type { Host } from "../../domain/authoring/host.ts";

export interface Introduction {
  /** The modules' instructions: stable. */
  readonly instructions: string;
  /** The modules' pinned messages: they change as the agent works. */
  readonly pinned: string;
  readonly tools: readonly ToolSpec[];
}

/** Estimated tokens of everything in a prompt but the view. */
export function introductionTokens({ instructions, pinned, tools }: Introduction): number {
  return estimateTokens(instructions) + estimateTokens(pinned) + toolTokens(tools);
}

/** Asked for several times in each step, of tools that stay the same. */
const counted = new WeakMap<readonly ToolSpec[], number>();

function toolTokens(tools: readonly ToolSpec[]): number {
  let tokens = counted.get(tools);
  if (tokens === undefined) counted.set(tools, (tokens = estimateTokens(JSON.stringify(tools))));
  return tokens;
}

export function section(name: string, text: string): string {
  return `--- ${name.toUpperCase()} ---\n\n${text.trim()}`;
}

/** All pinned messages together may fill this share of the window. */
export const PINNED_SHARE = 1 / 4;

/** One module's part with its header; empty where it pins nothing. */
type PinnedPart = string;

/** The parts that are not empty, in the order of `modules`. `hostOf` says what there is for all of them. */
export async function pinnedParts(
  modules: readonly Module[],
  hostOf: (module: string) => Host,
): Promise<readonly PinnedPart[]> {
  const asked: { readonly module: Module; readonly host: Host; readonly part: PinnedPart }[] = [];
  for (const module of modules) {
    if (!module.pinnedMessage) continue;
    const host = hostOf(module.name);
    asked.push({ module, host, part: await partOf(module, host) });
  }
  const room = asked[0]?.host.maxPinnedTokens ?? 0;
  const share = shareOf(
    asked.map(({ part }) => sizeOf(part)),
    room,
  );
  const parts: PinnedPart[] = [];
  for (const { module, host, part } of asked) {
    if (sizeOf(part) <= share) parts.push(part);
    else {
      const maxPinnedTokens = Math.max(0, share - sizeOf(section(module.name, "")));
      parts.push(cut(await partOf(module, { ...host, maxPinnedTokens }), share));
    }
  }
  return parts.filter((part) => part !== "");
}

/** A module that fails here costs the agent its part, not its work. */
async function partOf(module: Module, host: Host): Promise<PinnedPart> {
  try {
    const text = (await module.pinnedMessage?.(host))?.trim();
    return text ? section(module.name, text) : "";
  } catch (error) {
    return section(module.name, `(This part could not be made: ${messageOf(error)})`);
  }
}

/** In tokens, with what stands between two of them. */
function sizeOf(part: PinnedPart): number {
  return part === "" ? 0 : estimateTokens(`${part}\n\n`);
}

/** The most that each may take so that all fit into `room`; the smaller ones leave theirs to the others. */
function shareOf(sizes: readonly number[], room: number): number {
  let left = room;
  let waiting = sizes.length;
  for (const size of sizes.toSorted((a, b) => a - b)) {
    if (size * waiting > left) return Math.floor(left / waiting);
    left -= size;
    waiting--;
  }
  return Infinity;
}

/** For a module that does not keep to its share: its part without the middle. */
function cut(part: PinnedPart, share: number): PinnedPart {
  let chars = Math.floor((part.length * share) / sizeOf(part));
  let text = elide(part, chars);
  while (sizeOf(text) > share && chars > 0) {
    chars = Math.floor(chars * 0.9);
    text = elide(part, chars);
  }
  return sizeOf(text) > share ? "" : text;
}

// A prompt in parts, as the model reads them one after the other, and how it differs from the one before.

import { diffArrays } from "diff";
import type { ModelRequest, Turn } from "../../domain/model.ts";
import { estimateTokens } from "../../model/tokens/tokens.ts";

export interface PromptPart {
  readonly title: string;
  readonly text: string;
  /** An estimate. */
  readonly tokens: number;
}

/** `was`: the text in whose place this stands. */
export type ComparedPart = PromptPart &
  ({ readonly change: "same" | "new" } | { readonly change: "changed"; readonly was: string });

export interface ComparedPrompt {
  readonly parts: readonly ComparedPart[];
  /** What was shown before, and is no more. */
  readonly gone: readonly PromptPart[];
}

export function partsOf({ system, tools, turns, pinned }: ModelRequest): readonly PromptPart[] {
  const parts = [
    { title: "System", text: system },
    ...tools.map(({ name, description, parameters }) => ({
      title: `Tool ${name}`,
      text: `${description}\n${JSON.stringify(parameters)}`,
    })),
    ...turns.map(turnPart),
    { title: "Pinned messages", text: pinned },
  ];
  return parts
    .filter(({ text }) => text !== "")
    .map((part) => ({ ...part, tokens: estimateTokens(part.text) }));
}

function turnPart(turn: Turn): { readonly title: string; readonly text: string } {
  if (turn.role === "user") return { title: "User", text: turn.text };
  if (turn.role === "results") {
    const results = turn.results.map(({ content, isError }) => (isError ? `[error] ${content}` : content));
    return { title: "Results", text: results.join("\n") };
  }
  const calls = turn.calls.map(({ action, parameters }) => `${action} ${JSON.stringify(parameters)}`);
  return { title: "Assistant", text: [turn.text, ...calls].filter((text) => text !== "").join("\n") };
}

/** A part that stands where one of the same title stood is that one, changed. */
export function compareParts(before: readonly PromptPart[], now: readonly PromptPart[]): ComparedPrompt {
  const parts: ComparedPart[] = [];
  const gone: PromptPart[] = [];
  let removed: PromptPart[] = [];
  const isEqual = (a: PromptPart, b: PromptPart): boolean => a.title === b.title && a.text === b.text;
  for (const piece of diffArrays([...before], [...now], { comparator: isEqual })) {
    if (piece.removed) {
      removed = piece.value;
      continue;
    }
    for (const part of piece.value) {
      const index = piece.added ? removed.findIndex(({ title }) => title === part.title) : -1;
      if (!piece.added) parts.push({ ...part, change: "same" });
      else if (index === -1) parts.push({ ...part, change: "new" });
      else {
        gone.push(...removed.slice(0, index));
        parts.push({ ...part, change: "changed", was: removed[index]!.text });
        removed = removed.slice(index + 1);
      }
    }
    gone.push(...removed);
    removed = [];
  }
  return { parts, gone: [...gone, ...removed] };
}

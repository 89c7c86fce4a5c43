// A prompt in parts, as the model reads them one after the other, and how it differs from the one before.

import type { ModelRequest, ToolSpec, Turn } from "../../domain/model.ts";
import { estimateTokens } from "../../model/tokens/tokens.ts";
import type { PastPrompt } from "../replay/past-prompt.ts";
import { matchesIn } from "./matches.ts";

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
  /** So many parts at the beginning, and at the end, are those of the prompt before. */
  readonly start: number;
  readonly end: number;
  /** Those between them. */
  readonly parts: readonly ComparedPart[];
  /** What was shown before, and is no more. */
  readonly gone: readonly PromptPart[];
}

export function partsOf(request: ModelRequest): readonly PromptPart[] {
  const parts = createPartsInTurn();
  parts.see({ ...request, staying: 0 });
  return parts.all;
}

/** The parts of one prompt after the other, each at the cost of what is new in it. */
export interface PartsInTurn {
  /** Of the newest prompt: the same array, changed in place. */
  readonly all: readonly PromptPart[];
  /** Takes the next prompt. From `start` on there stand other parts in the place of `removed`. */
  see(prompt: PastPrompt): { readonly start: number; readonly removed: readonly PromptPart[] };
}

export function createPartsInTurn(): PartsInTurn {
  const all: PromptPart[] = [];
  let opening:
    (Pick<ModelRequest, "system" | "tools"> & { readonly parts: readonly PromptPart[] }) | undefined;
  return {
    all,
    see({ system, tools, turns, pinned, staying }) {
      const isSame = opening?.system === system && opening.tools === tools;
      if (!isSame) opening = { system, tools, parts: [...titled("System", system), ...tools.map(toolPart)] };
      const { parts } = opening!;
      const start = isSame ? parts.length + staying : 0;
      const added = [
        ...turns.slice(isSame ? staying : 0).map(turnPart),
        ...titled("Pinned messages", pinned),
      ];
      return { start, removed: all.splice(start, Infinity, ...(isSame ? [] : parts), ...added) };
    },
  };
}

/** Nothing is no part. */
function titled(title: string, text: string): readonly PromptPart[] {
  return text === "" ? [] : [toPart(title, text)];
}

function toPart(title: string, text: string): PromptPart {
  return { title, text, tokens: estimateTokens(text) };
}

function toolPart({ name, description, parameters }: ToolSpec): PromptPart {
  return toPart(`Tool ${name}`, `${description}\n${JSON.stringify(parameters)}`);
}

function turnPart(turn: Turn): PromptPart {
  if (turn.role === "user") return toPart("User", turn.text);
  if (turn.role === "results") {
    const results = turn.results.map(({ content, isError }) => (isError ? `[error] ${content}` : content));
    return toPart("Results", results.join("\n"));
  }
  const calls = turn.calls.map(({ action, parameters }) => `${action} ${JSON.stringify(parameters)}`);
  return toPart("Assistant", [turn.text, ...calls].filter((text) => text !== "").join("\n"));
}

/**
 * A part that stands where one of the same title stood is that one, changed.
 *
 * @param kept so many stand before these in both
 */
export function compareParts(
  before: readonly PromptPart[],
  now: readonly PromptPart[],
  kept = 0,
): ComparedPrompt {
  const matches = matchesIn(before.map(asText), now.map(asText));
  const first = matches.find((match) => match.before === 0 && match.now === 0);
  const last = matches.find(
    ({ before: at, now: place, count }) => at + count === before.length && place + count === now.length,
  );
  const start = first?.count ?? 0;
  const end = last && last !== first ? last.count : 0;
  const parts: ComparedPart[] = [];
  const gone: PromptPart[] = [];
  const replace = (removed: readonly PromptPart[], added: readonly PromptPart[]): void => {
    let at = 0;
    for (const part of added) {
      const index = removed.findIndex(({ title }, place) => place >= at && title === part.title);
      if (index === -1) {
        parts.push({ ...part, change: "new" });
        continue;
      }
      gone.push(...removed.slice(at, index));
      parts.push({ ...part, change: "changed", was: removed[index]!.text });
      at = index + 1;
    }
    gone.push(...removed.slice(at));
  };
  let [i, j] = [start, start];
  const ends = { before: before.length - end, now: now.length - end, count: 0 };
  for (const match of [...matches.filter((one) => one !== first && one !== last), ends]) {
    replace(before.slice(i, match.before), now.slice(j, match.now));
    [i, j] = [match.before + match.count, match.now + match.count];
    for (const part of now.slice(match.now, j)) parts.push({ ...part, change: "same" });
  }
  return { start: kept + start, end, parts, gone };
}

function asText({ title, text }: PromptPart): string {
  return `${title}\n${text}`;
}

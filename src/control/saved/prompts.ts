// What an agent's model was shown, for a page that has the record in itself. Most of a prompt stands in that before it too, so each is told
// as what is different; what they are made of is told once, however many show it.

import { isLegionError } from "../../base/errors.ts";
import type { AgentId } from "../../domain/message/message.ts";
import type { PromptPart } from "../../legion/prompt/parts.ts";
import { sha256 } from "../../past/log/blobs.ts";
import { readStep, readSteps, type ReadStep } from "../reading/prompt.ts";
import type { WatchedLegion } from "../reading/watched.ts";
import type { ChosenRecord } from "./choice.ts";

/** Parts are named by the numbers of their lines, from 0. `keeps` is about the prompt of this agent that is told before it. */
export interface SavedPrompt extends Pick<ReadStep, "at" | "before" | "call" | "keeps"> {
  /** Those between what it keeps. */
  readonly parts: readonly number[];
  /**
   * Against the prompt `before`: the place of each part that is not the same, and if it stands for another one, which. Without one all
   * are new.
   */
  readonly changes: readonly (readonly [place: number, was?: number])[];
  readonly gone: readonly number[];
}

export type SavedPromptLine =
  /** The next part. */
  | { readonly part: PromptPart }
  /** The next of an agent: of decision `at`, or what would be shown now. */
  | { readonly prompt: AgentId; readonly shows: SavedPrompt }
  | { readonly path: string; readonly refused: string };

export type TellPrompt = (agent: AgentId, step: ReadStep) => Iterable<SavedPromptLine>;

interface PromptTelling {
  readonly tellPrompt: TellPrompt;
  readonly nextPrompt: WatchedLegion["nextPrompt"];
}

/** What the model was shown for each decision that was chosen, and would be shown now. */
export async function* promptLines(
  agent: AgentId,
  { reader, whole }: ChosenRecord,
  { tellPrompt, nextPrompt }: PromptTelling,
): AsyncGenerator<SavedPromptLine> {
  const chosen = new Set<number>();
  for await (const { kind, seq } of reader.events(agent)) if (kind === "decision") chosen.add(seq);
  for await (const step of readSteps(whole, agent, chosen)) yield* tellPrompt(agent, step);
  try {
    yield* tellPrompt(agent, await readStep(whole, agent, () => nextPrompt(agent)));
  } catch (error) {
    if (!isLegionError(error)) throw error;
    yield { path: `/agents/${encodeURIComponent(agent)}/prompt`, refused: error.message };
  }
}

export function createPromptLines(): TellPrompt {
  const numbers = new Map<string, number>();
  return function* (agent, { parts, compared, ...rest }) {
    const lines: SavedPromptLine[] = [];
    const numberOf = (part: PromptPart): number => {
      const key = sha256(JSON.stringify([part.title, part.text]));
      const before = numbers.get(key);
      if (before !== undefined) return before;
      lines.push({ part });
      numbers.set(key, numbers.size);
      return numbers.size - 1;
    };
    const [start, end] = rest.keeps;
    const between = parts.slice(start, parts.length - end).map(numberOf);
    const changes = (compared?.parts ?? []).flatMap((part, index): [number, number?][] => {
      const place = compared!.start + index;
      if (part.change === "changed") return [[place, numberOf({ ...part, text: part.was })]];
      return part.change === "new" ? [[place]] : [];
    });
    const shows = { ...rest, parts: between, changes, gone: (compared?.gone ?? []).map(numberOf) };
    yield* lines;
    yield { prompt: agent, shows };
  };
}

// What an agent's model was shown, or would be shown now: by part, against the prompt before it, with what the call came to.

import { isLegionError } from "../../base/errors.ts";
import type { AgentId } from "../../domain/message/message.ts";
import type { ModelRequest } from "../../domain/model.ts";
import { compareParts, partsOf, type ComparedPrompt } from "../../legion/prompt/parts.ts";
import { shownAt, type ShownFor } from "../../legion/prompt/shown.ts";
import { promptAt } from "../../legion/replay/past-prompt.ts";
import type { Reader } from "../../storage/contract/reader.ts";
import type { ReadingAnswer } from "../api/readings.ts";

type PromptReading = ReadingAnswer<"prompt">;

/** Composes what would be shown now; rejects where that cannot be told. */
type ComposeNext = () => Promise<ModelRequest>;

/**
 * Rejects as `shownAt`, `promptAt` and the composing do.
 *
 * @param of an event, for what was shown newest by then; or what would be shown now
 */
export async function readPrompt(
  reader: Reader,
  agent: AgentId,
  of: number | ComposeNext,
): Promise<PromptReading> {
  const shown = await shownAt(reader, agent, typeof of === "number" ? of : undefined);
  const now = partsOf(await (typeof of === "number" ? promptAt(reader, agent, shown.at ?? of) : of()));
  const before = await partsBefore(reader, agent, shown.before);
  const { parts, gone }: ComparedPrompt = before
    ? compareParts(before, now)
    : { parts: now.map(asFirst), gone: [] };
  return {
    at: shown.at ?? null,
    before: before ? shown.before!.seq : null,
    parts: [...parts],
    gone: [...gone],
    call: shown.call ? callOf(shown.call) : null,
  };
}

/** `undefined`: there is none, or it is not kept. */
async function partsBefore(reader: Reader, agent: AgentId, before: ShownFor | undefined) {
  if (!before) return undefined;
  try {
    return partsOf(await promptAt(reader, agent, before.seq));
  } catch (error) {
    if (isLegionError(error, "REFUSED")) return undefined;
    throw error;
  }
}

function asFirst<P>(part: P): P & { readonly change: "new" } {
  return { ...part, change: "new" };
}

function callOf({ model, usage, cost }: ShownFor): PromptReading["call"] {
  const { input, output, cacheRead = 0, cacheWrite = 0 } = usage;
  return { model, input, output, cacheRead, cacheWrite, cost: cost ?? null };
}

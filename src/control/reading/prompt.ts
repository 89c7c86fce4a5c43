// What an agent's model was shown, or would be shown now: by part, against the prompt before it, with what the call came to.

import { isLegionError } from "../../base/errors.ts";
import type { AgentId } from "../../domain/message/message.ts";
import type { ModelRequest } from "../../domain/model.ts";
import {
  compareParts,
  createPartsInTurn,
  partsOf,
  type ComparedPrompt,
  type PromptPart,
} from "../../legion/prompt/parts.ts";
import { shownAt, type PromptTrail, type ShownFor } from "../../legion/prompt/shown.ts";
import { followPrompts, promptAt } from "../../legion/replay/past-prompt.ts";
import type { Reader } from "../../storage/contract/reader.ts";
import type { ReadingAnswer } from "../api/readings.ts";

type PromptReading = ReadingAnswer<"prompt">;

/** Composes what would be shown now; rejects where that cannot be told. */
type ComposeNext = () => Promise<ModelRequest>;

/** A prompt, and against the one before it. */
export interface ReadStep extends Pick<PromptReading, "at" | "before" | "call"> {
  /** Of several that are read one after the other they hold until the next is read. */
  readonly parts: readonly PromptPart[];
  /** So many of them, from the first and from the last on, are those of the one that was read before it. */
  readonly keeps: readonly [start: number, end: number];
  /** Absent: there is none before it that is kept. */
  readonly compared?: ComparedPrompt;
}

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
  const { parts, compared, keeps: _, ...step } = await readStep(reader, agent, of);
  if (!compared) return { ...step, parts: parts.map((part) => ({ ...part, change: "new" })), gone: [] };
  const kept = (from: number, to: number) =>
    parts.slice(from, to).map((part) => ({ ...part, change: "same" as const }));
  const { start, end, gone } = compared;
  const all = [...kept(0, start), ...compared.parts, ...kept(parts.length - end, parts.length)];
  return { ...step, parts: all, gone: [...gone] };
}

/** Rejects as `readPrompt`. */
export async function readStep(reader: Reader, agent: AgentId, of: number | ComposeNext): Promise<ReadStep> {
  const shown = await shownAt(reader, agent, typeof of === "number" ? of : undefined);
  const now = partsOf(await (typeof of === "number" ? promptAt(reader, agent, shown.at ?? of) : of()));
  const before = await partsBefore(reader, agent, shown.before);
  return toStep(shown, now, before && compareParts(before, now));
}

/** What was shown for each of some decisions, as far as that is kept, oldest first: in about one reading of the log. */
export async function* readSteps(
  reader: Reader,
  agent: AgentId,
  decisions: ReadonlySet<number>,
): AsyncGenerator<ReadStep> {
  const prompts = followPrompts(reader, agent);
  const parts = createPartsInTurn();
  let newest: { readonly seq: number; readonly isKept: boolean } | undefined;
  let keeps: ReadStep["keeps"] = [0, 0];
  for await (const event of reader.events(agent)) {
    prompts.see(event);
    if (event.kind !== "decision") continue;
    const [call, before] = (await prompts.asked()).slice(-2).reverse();
    if (call?.seq !== event.seq) continue;
    const shown = await unlessRefused(() => prompts.shown());
    const last = newest;
    newest = { seq: call.seq, isKept: shown !== undefined };
    if (!shown) continue;
    const { start, removed } = parts.see(shown);
    const change = compareParts(removed, parts.all.slice(start), start);
    keeps = [Math.min(keeps[0], change.start), Math.min(keeps[1], change.end)];
    if (!decisions.has(call.seq)) continue;
    // On another branch it is another one than was read last.
    const isNext = last?.seq === before?.seq;
    const earlier = isNext ? undefined : await partsBefore(reader, agent, before);
    const compared = isNext && last?.isKept ? change : earlier && compareParts(earlier, parts.all);
    yield { ...toStep({ at: call.seq, call, before }, parts.all, compared), keeps };
    keeps = [Infinity, Infinity];
  }
}

function toStep(
  { at, call, before }: PromptTrail,
  parts: readonly PromptPart[],
  compared: ComparedPrompt | undefined,
): ReadStep {
  const step = {
    at: at ?? null,
    before: null,
    parts,
    keeps: [0, 0],
    call: call ? callOf(call) : null,
  } as const;
  return before && compared ? { ...step, before: before.seq, compared } : step;
}

/** `undefined`: there is none, or it is not kept. */
async function partsBefore(reader: Reader, agent: AgentId, before: ShownFor | undefined) {
  if (before) return unlessRefused(async () => partsOf(await promptAt(reader, agent, before.seq)));
}

async function unlessRefused<T>(make: () => Promise<T>): Promise<T | undefined> {
  try {
    return await make();
  } catch (error) {
    if (isLegionError(error, "REFUSED")) return undefined;
    throw error;
  }
}

function callOf({ model, usage, cost }: ShownFor): PromptReading["call"] {
  const { input, output, cacheRead = 0, cacheWrite = 0 } = usage;
  return { model, input, output, cacheRead, cacheWrite, cost: cost ?? null };
}

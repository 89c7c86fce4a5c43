// Prompt -> model -> decision.

import type { PromptSource, Thinker } from "../parts/agent.ts";
import { FRAMING_TOKENS, type Prompt } from "../parts/model/metered-model.ts";
import type { Undeliverable } from "../../past/mail/dead-letters.ts";
import { NO_USAGE, type Call, type DecisionEvent } from "../../domain/event/event.ts";
import { holdingReceipts } from "../../domain/message/receipt.ts";
import { isLegionError, LegionError } from "../../base/errors.ts";
import { ownCall } from "../../past/ledger.ts";
import { judgeLoop } from "../parts/loop-guard.ts";
import type { Parsed } from "../../model/protocol/protocol.ts";
import type { ActionSpec } from "../../domain/authoring/host.ts";
import type { Completion, Delta, ModelRequest } from "../../domain/model.ts";
import { SHUTDOWN, type Stops } from "../../base/process/signals.ts";
import { settleSpeech } from "../parts/speech.ts";
import { count } from "../../base/text/wording.ts";
import { isEndOfAnswer, NO_ANSWER, plainAnswer } from "./answer.ts";
import { compact, compactIfLong, withCrowding } from "./summarise.ts";
import { introductionTokens, type Introduction } from "../parts/introduction.ts";

/** A decision ready for the log, and why it holds no action if it does not. */
export interface Asked {
  readonly decision: DecisionEvent;
  /** Written for the model; only with `stop: "unparsed"`. */
  readonly unparsed: string | undefined;
  /** The plain answer, if it could not be sent: to be committed before the decision. */
  readonly refused: readonly Undeliverable[];
  /** A setting that the reply was read by, or is answered by, is wrong: to be thrown when all of this is in the log. */
  readonly fault?: LegionError;
}

/** A completion may fill this share of the window. */
const OUTPUT_SHARE = 4;
/** And this much, in tokens, however full the window is. */
const LEAST_OUTPUT = 256;

/**
 * Asks the model once; compacts the view first where it is too long, and once more where the provider says that it is. Where
 * the provider says that the model calls no tools, it is asked again in text.
 * An abort gives a decision without calls. Rejects with LIMIT, as the model does, and with the reason of a shutdown or
 * of lost patience.
 */
export async function ask(thinker: Thinker, stops: Stops): Promise<Asked> {
  const { speech, model, memory } = thinker;
  await settleSpeech(speech, model, memory);
  try {
    const settled = await warnedIntroduction(thinker);
    const introduction = (await compactIfLong(thinker, settled, stops))
      ? await introductionAnew(thinker, stops)
      : withCrowding(thinker, settled);
    try {
      return await decide(thinker, introduction, stops);
    } catch (error) {
      if (!isLegionError(error, "CONTEXT_OVERFLOW") || !(await compact(thinker, introduction, stops)))
        throw error;
      return await decide(thinker, await introductionAnew(thinker, stops), stops);
    }
  } catch (error) {
    const isOtherwise = isLegionError(error, "MODEL_REFUSED") && (await settleSpeech(speech, model, memory));
    if (isOtherwise) return ask(thinker, stops);
    const { signal } = stops;
    if (signal.aborted && signal.reason !== SHUTDOWN)
      return { decision: abortedDecision(thinker), refused: [], unparsed: undefined };
    throw error;
  }
}

/** What opens the agent's next prompt, with all that the runtime adds to it. */
export async function introductionOf(source: PromptSource): Promise<Introduction> {
  return withCrowding(source, await warnedIntroduction(source));
}

/** Behind a summary: what its modules recall, they recall by now. */
async function introductionAnew(thinker: Thinker, { signal }: Stops): Promise<Introduction> {
  await thinker.lookOutside(signal);
  return introductionOf(thinker);
}

async function warnedIntroduction({ memory, modules, speech }: PromptSource): Promise<Introduction> {
  const introduction = await modules.introduction();
  if (speech.protocol.history === "linear") return introduction;
  const verdict = judgeLoop(memory.conversation);
  if (verdict.kind !== "warn") return introduction;
  return { ...introduction, pinned: `${introduction.pinned}\n\n${verdict.text}`.trim() };
}

/**
 * The request that the agent's next decision would be asked with. What changes stands last, so that everything before it is the
 * same, byte for byte, from prompt to prompt.
 */
export function requestOf(
  { memory, model, speech, settings }: PromptSource,
  introduction: Introduction,
): ModelRequest {
  const { maxOutput, window } = model.profile;
  const { turns, tokens } = memory.view;
  const { instructions, pinned, tools } = introduction;
  const room = window - introductionTokens(introduction) - tokens - FRAMING_TOKENS;
  const isOnTop = settings.pin === "top" && pinned !== "";
  const opening = speech.protocol.name === "text" ? NOOP_OPENING : [];
  return {
    system: isOnTop ? `${instructions}\n\n${pinned}` : instructions,
    tools,
    turns: turns.length > 0 ? turns : opening,
    pinned: isOnTop ? "" : pinned,
    maxOutput: Math.min(maxOutput, Math.floor(window / OUTPUT_SHARE), Math.max(LEAST_OUTPUT, room)),
  };
}

/** An empty log counts as the decision `noop`. */
export const NOOP_OPENING = [{ role: "assistant", text: "noop", calls: [] }] as const;

function promptOf(thinker: Thinker, introduction: Introduction): Prompt {
  const { view } = thinker.memory;
  return {
    request: requestOf(thinker, introduction),
    tokens: view.tokens + introductionTokens(introduction),
    chain: view.chain,
    purpose: thinker.speech.protocol.history === "linear" ? "step" : "decision",
  };
}

/** Would its next question be admitted? */
export async function wouldAskFit(thinker: Thinker): Promise<boolean> {
  return thinker.model.fits(promptOf(thinker, await introductionOf(thinker)));
}

/** What cannot be summarised ends where a completion has no room left. Throws CONTEXT_OVERFLOW. */
function refuseFull({ speech, memory, model }: Thinker, introduction: Introduction): void {
  const { window } = model.profile;
  const taken = introductionTokens(introduction) + memory.view.tokens + FRAMING_TOKENS;
  if (speech.protocol.history === "told" || window - taken >= LEAST_OUTPUT) return;
  throw new LegionError(
    "CONTEXT_OVERFLOW",
    `the conversation fills the window of ${model.name}, ${count(window, "token")}`,
  );
}

async function decide(thinker: Thinker, introduction: Introduction, stops: Stops): Promise<Asked> {
  const { model, presence, speech } = thinker;
  refuseFull(thinker, introduction);
  const streamed = new Set<string>();
  const answer = holdingReceipts((text) => presence.stream({ kind: "text", text }));
  const onDelta = (delta: Delta): void => {
    if (delta.kind === "text" && speech.ways.receipts) return answer.add(delta.text);
    if (delta.kind === "call") {
      streamed.add(delta.id);
      answer.release();
    }
    presence.stream(delta);
  };
  const { completion } = await model.complete(promptOf(thinker, introduction), { ...stops, onDelta });
  answer.end();
  const asked = await toDecision(thinker, completion);
  // Those that were written as text, or under an id that tells no calls apart, are known only now.
  for (const { id, action } of asked.decision.calls)
    if (!streamed.has(id)) presence.call({ call: id, action, phase: "written" });
  return asked;
}

async function toDecision(thinker: Thinker, completion: Completion): Promise<Asked> {
  const { model, memory } = thinker;
  const { protocol } = thinker.speech;
  const { parsed, fault } = await readCompletion(thinker, completion, thinker.modules.specs);
  const { cost, ...usage } = completion.usage;
  const thoughts = (parsed.kind === "calls" ? parsed.thoughts : undefined) ?? completion.thoughts;
  const calls = parsed.kind === "calls" ? uniqueCalls(thinker, parsed.calls, completion) : [];
  const isEnd = isEndOfAnswer(memory.conversation, completion);
  const isAnswer = isEnd || (parsed.kind === "calls" && calls.length === 0);
  const { sends, refusal, unproven } = isAnswer ? await plainAnswer(thinker, completion) : NO_ANSWER;
  const unparsed = parsed.kind === "unparsed" && !isEnd ? parsed.reason : unproven;
  const decision: DecisionEvent = {
    kind: "decision",
    text: completion.text,
    thoughts,
    calls,
    sends: sends.length > 0 ? sends : undefined,
    protocol: protocol.name,
    model: model.name,
    usage,
    cost,
    stop: unparsed === undefined ? completion.stop : "unparsed",
    // Calls that are in there and not made would stay without results.
    provider: unparsed !== undefined && completion.calls.length > 0 ? undefined : completion.provider,
  };
  const refused = refusal ? [refusal.notice] : [];
  return { decision, refused, unparsed, fault };
}

/** Why nothing could be read is worded for the model. The reply is paid for: what is wrong with a setting does not lose it. */
export async function readCompletion(
  { speech, wording }: Thinker,
  completion: Completion,
  specs: readonly ActionSpec[],
): Promise<{ readonly parsed: Parsed; readonly fault?: LegionError }> {
  try {
    const parsed = await speech.protocol.parse(completion, specs);
    if (parsed.kind === "calls" || !wording) return { parsed };
    const { reason, found = [] } = parsed;
    return { parsed: { ...parsed, reason: await wording.formatError(reason, found, completion) } };
  } catch (fault) {
    if (!isLegionError(fault, "CONFIG")) throw fault;
    return { parsed: { kind: "unparsed", reason: fault.message }, fault };
  }
}

/** Ids that the protocol made up tell calls apart only within one completion; providers want them unique in a history. */
export function uniqueCalls(
  { memory }: Thinker,
  calls: readonly Call[],
  completion: Completion,
): readonly Call[] {
  const native = new Set(completion.calls.map(({ id }) => id));
  return calls.map((call) =>
    native.has(call.id) ? call : { ...call, id: `${memory.ledger.prompts}-${call.id}` },
  );
}

/** The provider has read a prompt that was sent and not refused: its input is charged. */
export function abortedDecision({ speech, model, memory }: Thinker): DecisionEvent {
  const { cost, ...usage } = ownCall(memory.ledger)?.reserved ?? NO_USAGE;
  return {
    kind: "decision",
    text: "",
    calls: [],
    protocol: speech.protocol.name,
    model: model.name,
    usage,
    cost,
    stop: "aborted",
  };
}

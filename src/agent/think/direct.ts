// Director -> decision: what rules say is decided without a model; where they want a text, the model is asked for one call, by
// the director's words and nothing else.

import type { Direction, DirectorFacts, Invocation } from "../../domain/authoring/director.ts";
import { NO_USAGE, type Call, type DecisionEvent } from "../../domain/event/event.ts";
import type { ActionSpec } from "../../domain/authoring/host.ts";
import type { Completion, ModelRequest } from "../../domain/model.ts";
import { RULES } from "../../domain/supervision.ts";
import { isLegionError, type LegionError } from "../../base/errors.ts";
import { SHUTDOWN, type Stops } from "../../base/process/signals.ts";
import { MULTILINE_DELIMITER } from "../../model/protocol/text-syntax.ts";
import { estimateTokens } from "../../model/tokens/tokens.ts";
import type { Agent, PromptSource, Thinker } from "../parts/agent.ts";
import type { Prompt } from "../parts/model/metered-model.ts";
import type { Workplace } from "../parts/workplace.ts";
import { settleSpeech } from "../parts/speech.ts";
import { abortedDecision, ask, readCompletion, uniqueCalls, wouldAskFit, type Asked } from "./ask.ts";

type Directed = Thinker & Pick<Agent, "workplace">;
/** What its next question is composed from, whether it runs or not. */
export type DirectedSource = PromptSource & { readonly workplace: Pick<Workplace, "memories"> };
type ModelQuestion = Extract<Direction, { kind: "ask" }>;

/**
 * Decides: as the agent's director says, or else its model. Rejects as `ask`, but for a question that is refused for what it is, and
 * with LIMIT not where rules go on in place of the model, and with what the director throws.
 */
export async function think(thinker: Directed, stops: Stops): Promise<Asked> {
  if (!thinker.speech.ways.director) return ask(thinker, stops);
  const { memory, model, speech } = thinker;
  await settleSpeech(speech, model, memory);
  const direction = directionFor(thinker);
  if (direction.kind !== "ask") return { decision: byRules(thinker, direction), ...AS_IT_IS };
  const unasked = atLimit(thinker);
  try {
    return await askFor(thinker, direction, stops);
  } catch (error) {
    if (unasked && isLegionError(error, "LIMIT"))
      return { decision: { ...byRules(thinker, unasked), text: error.message }, ...AS_IT_IS };
    const isOtherwise = isLegionError(error, "MODEL_REFUSED") && (await settleSpeech(speech, model, memory));
    if (isOtherwise) return think(thinker, stops);
    const { signal } = stops;
    if (signal.aborted && signal.reason !== SHUTDOWN)
      return { decision: abortedDecision(thinker), ...AS_IT_IS };
    if (!isOfQuestion(error)) throw error;
    // It would be refused whenever it is asked: whoever has to do without an answer is the director.
    const decision: DecisionEvent = { ...abortedDecision(thinker), stop: "unparsed" };
    return { decision, refused: [], unparsed: error.message };
  }
}

const AS_IT_IS = { refused: [], unparsed: undefined } as const;

/** Of HTTP, where it is what was asked that is wrong, and nothing about whoever asks. */
const OF_QUESTION: readonly (number | undefined)[] = [400, 413, 422];

function isOfQuestion(error: unknown): error is LegionError {
  if (isLegionError(error, "CONTEXT_OVERFLOW")) return true;
  return isLegionError(error, "MODEL_REFUSED") && OF_QUESTION.includes(error.refused?.status);
}

/** Would the next model call be admitted? */
export async function wouldFit(thinker: Directed): Promise<boolean> {
  if (!thinker.speech.ways.director) return wouldAskFit(thinker);
  const direction = directionFor(thinker);
  if (direction.kind === "ask" && atLimit(thinker)) return true;
  return direction.kind !== "ask" || thinker.model.fits(promptFor(thinker, direction));
}

/** What is done in place of a question that no limit has room for; `undefined`: nothing is. */
function atLimit(thinker: Directed): Exclude<Direction, { kind: "ask" }> | undefined {
  if (thinker.speech.ways.atLimit !== "extracts") return undefined;
  const direction = directionFor(thinker, { summarises: false });
  return direction.kind === "ask" ? undefined : direction;
}

/** For people: what every question to the model of an agent with a director holds, as far as it is known. */
export function standingRequest(source: DirectedSource): ModelRequest {
  const system = source.speech.ways.director!.standing?.(factsFor(source)) ?? "";
  return { system, tools: [], pinned: "", turns: [], maxOutput: maxOutputOf(source) };
}

/** Where nothing observed is open, somebody wrote to it: it hears that, and says nothing. */
function directionFor(source: DirectedSource, other: Partial<DirectorFacts> = {}): Direction {
  const { open } = source.memory.conversation.invocations;
  return open ? directionOf(source, open, other) : { kind: "end", text: "" };
}

/** What the director says of a thing to do; the agent has one. */
export function directionOf(
  source: DirectedSource,
  open: Invocation,
  other: Partial<DirectorFacts> = {},
): Direction {
  return source.speech.ways.director!.direct(open, { ...factsFor(source), ...other });
}

function factsFor({ memory, model, workplace, speech }: DirectedSource): DirectorFacts {
  const { window, summarises } = model.profile;
  const offer = memory.offers.get(speech.ways.director!.name);
  return { memory: workplace.memories[0]?.id ?? "", summarises, window, offer };
}

/** What is decided without a model. */
export function byRules(
  { memory, speech }: Pick<PromptSource, "memory" | "speech">,
  direction: Exclude<Direction, { kind: "ask" }>,
): DecisionEvent {
  const { open } = memory.conversation.invocations;
  const id = `rules-${open?.index}-${open?.steps.length}`;
  const calls: readonly Call[] =
    direction.kind === "call" ? [{ id, action: direction.action, parameters: direction.parameters }] : [];
  return {
    kind: "decision",
    text: direction.kind === "end" ? direction.text : "",
    calls,
    protocol: speech.protocol.name,
    model: RULES,
    usage: NO_USAGE,
    stop: calls.length > 0 ? "calls" : "end",
  };
}

async function askFor(thinker: Directed, question: ModelQuestion, stops: Stops): Promise<Asked> {
  const { model, presence } = thinker;
  const onDelta = presence.stream;
  const { completion } = await model.complete(promptFor(thinker, question), { ...stops, onDelta });
  return toDecision(thinker, question, completion);
}

/** A completion may fill this share of the window. */
const OUTPUT_SHARE = 4;

function promptFor(thinker: Directed, question: ModelQuestion): Prompt {
  const request = requestFor(thinker, question);
  const { system, tools, pinned } = request;
  const tokens = estimateTokens(`${system}${JSON.stringify(tools)}${pinned}`);
  return { request, tokens, chain: thinker.memory.view.chain, purpose: "step" };
}

/** How the model is asked it. */
export function requestFor(
  source: Pick<PromptSource, "model" | "speech" | "modules">,
  question: ModelQuestion,
): ModelRequest {
  const { speech } = source;
  const specs = specsFor(source, question);
  const tools = speech.protocol.tools(specs);
  const { user: pinned } = question;
  const system = tools.length > 0 ? question.system : [question.system, ...specs.map(inText)].join("\n\n");
  return { system, tools, turns: [], pinned, maxOutput: maxOutputOf(source) };
}

function maxOutputOf({ model }: Pick<PromptSource, "model">): number {
  const { window, maxOutput } = model.profile;
  return Math.min(maxOutput, Math.floor(window / OUTPUT_SHARE));
}

function inText({ usage }: ActionSpec): string {
  return (
    `Write this action and nothing else. A value of more than one line begins and ends with \`${MULTILINE_DELIMITER}\`, the ` +
    `second one on a line of its own.\n\n${usage}`
  );
}

function specsFor({ modules }: Pick<PromptSource, "modules">, { tool }: ModelQuestion) {
  return modules.specs.filter(({ name }) => name === tool);
}

/** Anything but one call of the tool that was asked for is a failure, which the log keeps and the director judges. */
async function toDecision(
  thinker: Directed,
  question: ModelQuestion,
  completion: Completion,
): Promise<Asked> {
  const { tool } = question;
  const { parsed, fault } = await readCompletion(thinker, completion, specsFor(thinker, question));
  const called = parsed.kind === "calls" ? uniqueCalls(thinker, parsed.calls, completion) : [];
  const [first] = called;
  const isCalled = first?.action === tool;
  const { cost, ...usage } = completion.usage;
  const decision: DecisionEvent = {
    kind: "decision",
    text: completion.text,
    thoughts: (parsed.kind === "calls" ? parsed.thoughts : undefined) ?? completion.thoughts,
    calls: isCalled ? [first] : [],
    protocol: thinker.speech.protocol.name,
    model: thinker.model.name,
    usage,
    cost,
    stop: isCalled ? completion.stop : "unparsed",
  };
  if (isCalled) return { decision, refused: [], unparsed: undefined, fault };
  const reason = parsed.kind === "unparsed" ? `${parsed.reason} ` : "";
  return { decision, refused: [], unparsed: `${reason}Call ${tool}, once, and nothing else.`, fault };
}

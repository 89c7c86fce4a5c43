// Prompt -> model -> decision.

import type { Agent } from "./agent.ts";
import { complete } from "./complete.ts";
import { compose } from "./compose.ts";
import { NO_USAGE, type DecisionEvent } from "./event.ts";
import { isLegionError } from "./errors.ts";
import { judgeLoop } from "./gate.ts";
import { CONTROL, type Message } from "./message.ts";
import type { Completion, ModelRequest } from "./model/model.ts";
import { buildPrompt, introductionTokens, type Introduction } from "./prompt.ts";
import { compact, compactIfLong } from "./summarise.ts";

/** A decision ready for the log, and why it holds no action if it does not. */
export interface Asked {
  readonly decision: DecisionEvent;
  /** Written for the model; only with `stop: "unparsed"`. */
  readonly unparsed?: string;
  /** Call it when the decision is in the log. */
  readonly settle: () => void;
}

/** A completion may fill this share of the window. */
const OUTPUT_SHARE = 4;

/**
 * Asks the model once; compacts the view first where it is too long, and once more where the provider says that it is.
 * An abort gives a decision without calls. Rejects with LIMIT, or as the model does.
 */
export async function ask(agent: Agent, signal: AbortSignal): Promise<Asked> {
  try {
    const introduction = await introductionOf(agent);
    await compactIfLong(agent, introduction, signal);
    try {
      return await decide(agent, introduction, signal);
    } catch (error) {
      if (!isLegionError(error, "CONTEXT_OVERFLOW") || !(await compact(agent, introduction, signal))) throw error;
      return await decide(agent, introduction, signal);
    }
  } catch (error) {
    if (signal.aborted) return { decision: abortedDecision(agent), settle: () => undefined };
    throw error;
  }
}

/** What opens the agent's next prompt, the loop guard's warning included. */
export async function introductionOf({ memory, modules }: Agent): Promise<Introduction> {
  const introduction = await modules.introduction();
  const verdict = judgeLoop(memory.ledger);
  if (verdict.kind !== "warn") return introduction;
  return { ...introduction, pinned: `${introduction.pinned}\n\n${verdict.text}`.trim() };
}

/** The request that the agent's next decision would be asked with. */
export function requestOf({ memory, model, protocol, settings }: Agent, introduction: Introduction): ModelRequest {
  const { maxOutput, window } = model.profile;
  return buildPrompt(introduction, memory.view, {
    pin: settings.pin,
    maxOutput: Math.min(maxOutput, Math.floor(window / OUTPUT_SHARE)),
    opening: protocol.name === "text" ? NOOP_OPENING : [],
  });
}

/** An empty log counts as the decision `noop`. */
const NOOP_OPENING = [{ role: "assistant", text: "noop", calls: [] }] as const;

async function decide(agent: Agent, introduction: Introduction, signal: AbortSignal): Promise<Asked> {
  const { memory, identity, shared } = agent;
  const prompt = {
    request: requestOf(agent, introduction),
    tokens: memory.view.tokens + introductionTokens(introduction),
    chain: memory.view.chain,
  };
  const { completion, settle } = await complete(agent, prompt, {
    signal,
    onDelta: (delta) => shared.inspect({ kind: "live:delta", agent: identity.id, delta }),
  });
  return { ...toDecision(agent, completion), settle };
}

function toDecision(agent: Agent, completion: Completion): Omit<Asked, "settle"> {
  const { protocol, model, modules } = agent;
  const parsed = protocol.parse(completion, modules.specs);
  const { cost, ...usage } = completion.usage;
  const thoughts = (parsed.kind === "calls" ? parsed.thoughts : undefined) ?? completion.thoughts;
  const calls = parsed.kind === "calls" ? parsed.calls : [];
  const isAnswer = parsed.kind === "calls" && calls.length === 0;
  const sends = isAnswer ? plainAnswer(agent, completion.text) : [];
  const decision: DecisionEvent = {
    kind: "decision",
    text: completion.text,
    ...(thoughts !== undefined && { thoughts }),
    calls,
    ...(sends.length > 0 && { sends }),
    protocol: protocol.name,
    model: model.name,
    usage,
    ...(cost !== undefined && { cost }),
    stop: parsed.kind === "unparsed" ? "unparsed" : completion.stop,
    ...(completion.provider !== undefined && { provider: completion.provider }),
  };
  return parsed.kind === "unparsed" ? { decision, unparsed: parsed.reason } : { decision };
}

/**
 * A plain answer goes to whoever asked last. One agent's plain answer to another's is not sent: two polite agents would
 * thank each other all night.
 */
function plainAnswer({ memory, identity, shared }: Agent, content: string): readonly Message[] {
  const { ledger } = memory;
  const asked = ledger.newest;
  if (asked?.source.type !== "agent" || content.trim() === "") return [];
  const to = asked.source.id;
  const isPlain = typeof asked.details === "object" && asked.details !== null && "plain" in asked.details;
  if (to !== CONTROL && isPlain) return [];
  return compose(ledger, { from: identity.id, to: [to], content, details: { plain: true } }, [], shared.clock.now());
}

function abortedDecision({ protocol, model }: Agent): DecisionEvent {
  return {
    kind: "decision",
    text: "",
    calls: [],
    protocol: protocol.name,
    model: model.name,
    usage: NO_USAGE,
    stop: "aborted",
  };
}

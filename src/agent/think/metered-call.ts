// One metered model call: admitted by the budget, noted in the log before it is made, limited and retried together with
// every other call to the same provider.

import type { Agent } from "../parts/agent.ts";
import { NO_USAGE, type Usage } from "../../domain/event.ts";
import { LegionError, isLegionError, type Refusal } from "../../base/errors.ts";
import type { Admission, Estimate } from "../parts/budget.ts";
import { sha256 } from "../../past/blobs.ts";
import type { Completion, ModelRequest, ModelRun } from "../../domain/model.ts";
import type { Wait } from "../../model/limiter.ts";
import type { Stops } from "../../base/signals.ts";
import { costOf, mostOf, type Spender } from "../../past/usage.ts";
import { estimateTokens } from "../../model/tokens.ts";

export interface Prompt {
  readonly request: ModelRequest;
  /** Tokens of the whole request, as well as they are known. */
  readonly tokens: number;
  /** Hash over the history in it. */
  readonly chain: string;
  /** Only a decision is asked to wrap up, so nothing else may be the last call. */
  readonly purpose: "decision" | "summary" | "action";
}

export interface Completed {
  readonly completion: Completion;
  /** What was reserved for the attempt that was answered. */
  readonly reserved: Usage;
  /** Call it once the log holds what the call came to. */
  readonly settle: () => void;
}

/** Added to the pinned part when no further call will fit. */
export const WRAP_UP =
  "This is the last call that your limits allow. Finish what you can in one step, or tell whoever waits for you what is " +
  "done and what is not.";

/** A few more tokens than counted: provider framing, and room for the sentence above. */
export const FRAMING_TOKENS = 64;

/** Makes the call. Rejects with LIMIT if it does not fit, else as the model does, after the limiter's tries. */
export async function complete(agent: Agent, prompt: Prompt, run: ModelRun & Stops): Promise<Completed> {
  const { model, presence, shared } = agent;
  const { state } = presence.standing;
  let admission: Admission | undefined;
  let reserved: Usage = NO_USAGE;
  const attempt = async (): Promise<Completion> => {
    admission?.settle();
    const admitted = await admit(agent, prompt);
    admission = admitted.admission;
    reserved = admitted.reserved;
    if (presence.standing.state === "retrying") presence.show(state);
    agent.tenure.check();
    return model.complete(admitted.request, run).catch((error: unknown) => {
      if (isLegionError(error) && error.refused) giveBack(agent, admitted, error.refused);
      throw error;
    });
  };
  try {
    const onWait = ({ reason, waitMs }: Wait): void => {
      presence.show("retrying", `${reason} (again in ${Math.ceil(waitMs / 1_000)} s)`);
    };
    const { signal, patience } = run;
    const completion = await shared.limiter.run(
      { provider: model.provider, signal, patience, onWait },
      attempt,
    );
    const { price } = model.profile;
    const usage = price ? { ...completion.usage, cost: costOf(completion.usage, price) } : completion.usage;
    return { completion: { ...completion, usage }, reserved, settle: () => admission?.settle() };
  } catch (error) {
    admission?.settle();
    throw error;
  }
}

/** Nothing of the call was served: the log says so, and what was reserved for it is free. */
function giveBack({ memory }: Agent, { seq, admission }: Admitted, { status }: Refusal): void {
  // Where its number is not known yet, it stays charged.
  if (seq === undefined) return;
  memory.note({ kind: "refused", prompted: seq, ...(status !== undefined && { status }) });
  admission.settle();
}

interface Admitted extends Pick<Completed, "reserved"> {
  readonly admission: Admission;
  /** Of the event that began the call. */
  readonly seq: number | undefined;
  readonly request: ModelRequest;
}

async function admit(agent: Agent, { request, tokens, chain, purpose }: Prompt): Promise<Admitted> {
  const { memory, model, shared } = agent;
  const { price } = model.profile;
  const introduction = await introductionHash(agent, request);
  const estimate = estimateOf(agent, { request, tokens });
  const { input } = estimate;
  const admission = await shared.budget.admit(spenderOf(agent), estimate);
  if (admission.last && purpose !== "decision") {
    admission.settle();
    throw new LegionError("LIMIT", "the last call is kept for a decision");
  }
  const isToWrapUp = admission.last && purpose === "decision";
  const pinned = isToWrapUp ? `${request.pinned}\n\n${WRAP_UP}`.trim() : request.pinned;
  const reserved = {
    input,
    output: request.maxOutput,
    ...(price && { cost: mostOf({ input, output: 0 }, price) }),
  };
  const seq = memory.note({
    kind: "prompted",
    model: model.name,
    prompt: chain,
    introduction,
    ...(pinned !== memory.conversation.pinned && { pinned }),
    reserved,
  });
  admission.begin();
  return { admission, seq, reserved, request: { ...request, pinned } };
}

/** As whom the agent makes its calls. */
export function spenderOf({ identity, tenure, memory, limits }: Agent): Spender {
  return { agent: identity.id, epoch: tenure.epoch, ledger: memory.ledger, limits };
}

/** What the call would take at most. */
export function estimateOf(
  { model }: Agent,
  { request, tokens }: Pick<Prompt, "request" | "tokens">,
): Estimate {
  return { input: tokens + FRAMING_TOKENS, output: request.maxOutput, price: model.profile.price };
}

interface KeptIntroduction extends Pick<ModelRequest, "system" | "tools"> {
  readonly hash: string;
}

const introductions = new WeakMap<Agent, KeptIntroduction>();

/** Keeps system prompt and tools beside the log, once for as long as they stay the same. */
async function introductionHash(agent: Agent, { system, tools }: ModelRequest): Promise<string> {
  const kept = introductions.get(agent);
  if (kept?.system === system && kept.tools === tools) return kept.hash;
  const hash = await agent.blobs.keep(JSON.stringify({ system, tools }));
  introductions.set(agent, { system, tools, hash });
  return hash;
}

/** What an action asks: one user turn, outside any conversation. */
export function plainPrompt(text: string, maxOutput: number): Prompt {
  return {
    request: { system: "", tools: [], turns: [{ role: "user", text }], pinned: "", maxOutput },
    tokens: estimateTokens(text),
    chain: sha256(text),
    purpose: "action",
  };
}

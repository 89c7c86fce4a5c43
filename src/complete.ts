// One metered model call: admitted by the budget, noted in the log before it is made, limited and retried together with
// every other call to the same provider.

import { show, type Agent } from "./agent.ts";
import { costOf, type Admission } from "./gate.ts";
import { sha256 } from "./log/blobs.ts";
import type { Completion, ModelRequest, ModelRun } from "./model/model.ts";
import type { Retry } from "./model/limiter.ts";
import { estimateTokens } from "./tokens.ts";

export interface Prompt {
  readonly request: ModelRequest;
  /** Tokens of the whole request, as well as they are known. */
  readonly tokens: number;
  /** Hash over the history in it. */
  readonly chain: string;
}

/** Added to the pinned part when no further call will fit. */
export const WRAP_UP =
  "This is the last call that your limits allow. Finish what you can in one step, or tell whoever waits for you what is " +
  "done and what is not.";

/** A few more tokens than counted: provider framing, and room for the sentence above. */
const FRAMING_TOKENS = 64;

/**
 * Makes the call. Rejects with LIMIT if it does not fit, else as the model does, after the limiter's tries. Call
 * `settle` once the log holds what it came to.
 */
export async function complete(
  agent: Agent,
  prompt: Prompt,
  run: ModelRun,
): Promise<{ readonly completion: Completion; readonly settle: () => void }> {
  const { model, shared } = agent;
  let admission: Admission | undefined;
  const attempt = async (): Promise<Completion> => {
    admission?.settle();
    const admitted = await admit(agent, prompt);
    admission = admitted.admission;
    return model.complete(admitted.request, run);
  };
  try {
    const { provider } = model;
    const onRetry = ({ reason, waitMs }: Retry): void => {
      show(agent, "retrying", `${reason} (again in ${Math.ceil(waitMs / 1_000)} s)`);
    };
    const completion = await shared.limiter.run({ provider, signal: run.signal, onRetry }, attempt);
    const { price } = model.profile;
    const usage = price ? { ...completion.usage, cost: costOf(completion.usage, price) } : completion.usage;
    return { completion: { ...completion, usage }, settle: () => admission?.settle() };
  } catch (error) {
    admission?.settle();
    throw error;
  }
}

async function admit(
  agent: Agent,
  { request, tokens, chain }: Prompt,
): Promise<{ readonly admission: Admission; readonly request: ModelRequest }> {
  const { memory, model, shared } = agent;
  const { price } = model.profile;
  const input = tokens + FRAMING_TOKENS;
  const introduction = await introductionHash(agent, request);
  const admission = shared.budget.admit(memory.ledger, agent.limits, { input, output: request.maxOutput, price });
  const pinned = admission.last ? `${request.pinned}\n\n${WRAP_UP}`.trim() : request.pinned;
  memory.note({
    kind: "prompted",
    model: model.name,
    prompt: chain,
    introduction,
    ...(pinned !== memory.ledger.pinned && { pinned }),
    reserved: { input, output: request.maxOutput, ...(price && { cost: costOf({ input, output: 0 }, price) }) },
  });
  return { admission, request: { ...request, pinned } };
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

/** A request of one user turn, outside any conversation. */
export function plainPrompt(text: string, maxOutput: number): Prompt {
  return {
    request: { system: "", tools: [], turns: [{ role: "user", text }], pinned: "", maxOutput },
    tokens: estimateTokens(text),
    chain: sha256(text),
  };
}

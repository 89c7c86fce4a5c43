// A model as an agent may call it: each call is admitted by the budget, noted in the log before it is made, limited and
// retried together with every other call to the same provider.

import type { PromptedEvent } from "../../../domain/event/event.ts";
import { LegionError, isLegionError } from "../../../base/errors.ts";
import type { Stops } from "../../../base/process/signals.ts";
import type { Tenure } from "../../../domain/lease.ts";
import type { Limits } from "../../../domain/limits.ts";
import type { Completion, Model, ModelRequest, ModelRun } from "../../../domain/model.ts";
import type { Limiter, ProviderWait } from "../../../model/limiter/limiter.ts";
import { estimateTokens, type TokenCounter } from "../../../model/tokens/tokens.ts";
import { sha256, type Blobs } from "../../../past/log/blobs.ts";
import type { Memory } from "../../../past/past.ts";
import { costOf, mostOf, type Spender } from "../../../past/limits/spending.ts";
import type { Admission, CallBudget, Estimate } from "../budget.ts";
import type { Presence } from "../presence.ts";

export interface Prompt {
  readonly request: ModelRequest;
  /** Tokens of the whole request, as well as they are known. */
  readonly tokens: number;
  /** Hash over the history in it. */
  readonly chain: string;
  /** Only a decision is asked to wrap up, so nothing else may be the last call; a `step` is a decision that is told nothing. */
  readonly purpose: "decision" | "step" | "summary" | "action";
  /** The call whose action asks. */
  readonly call?: string;
}

export interface ModelAnswer {
  readonly completion: Completion;
  /** The event that began the call; `undefined` where its number was not known when it was made. */
  readonly prompted: number | undefined;
}

export interface MeteredModel extends Pick<Model, "name" | "profile"> {
  /**
   * Makes a call. Rejects with LIMIT if it does not fit, else as the model does, after the limiter's tries. What an answered
   * call reserved stays so until `settle`.
   */
  complete(prompt: Prompt, run: ModelRun & Stops): Promise<ModelAnswer>;
  /** Keeps ahead of its first call what the log will name of it; nothing once there was a call. */
  prepare(of: () => OpeningOfRequest): Promise<void>;
  /** Would the call be admitted now? */
  fits(prompt: Prompt): Promise<boolean>;
  /** How long each text is, in tokens. */
  count(texts: readonly string[]): Promise<readonly number[]>;
  /**
   * Frees what answered calls reserved: the log has what they came to, or will never have it.
   *
   * @param call only those that the action of this call asked for
   */
  settle(call?: string): void;
}

export interface Metering {
  readonly budget: CallBudget;
  readonly limiter: Limiter;
  readonly tokens: TokenCounter;
  readonly memory: Memory;
  readonly blobs: Blobs;
  readonly tenure: Tenure;
  /** By now. */
  readonly limits: () => Limits;
  readonly presence: Presence;
}

/** Added to the pinned part when no further call will fit. */
export const WRAP_UP =
  "This is the last call that your limits allow. Finish what you can in one step, or tell whoever waits for you what is " +
  "done and what is not.";

/** A few more tokens than counted: provider framing, and room for the sentence above. */
export const FRAMING_TOKENS = 64;

export function meterModel(model: Model, metering: Metering): MeteredModel {
  const { memory, blobs, budget, limiter, presence, tenure, limits } = metering;
  const { agent, ledger } = memory;
  const spender = (): Spender => ({ agent, epoch: tenure.epoch, ledger, limits: limits() });
  const introductions = createIntroductions(blobs);
  /** Of calls whose answers are not in the log yet, with the call whose action asked. */
  const answered = new Map<Admission, string | undefined>();
  const attempt = async (prompt: Prompt, run: ModelRun, onAdmitted: () => void): Promise<ModelAnswer> => {
    const introduction = await introductions.keep(prompt.request);
    const admission = await budget.admit(spender(), estimateOf(model, prompt));
    try {
      const request = lastOrNot(prompt, { last: admission.last || isLastTurn(prompt, memory, limits()) });
      const { purse } = admission;
      const beginning = toPrompted(memory, model, { ...prompt, request, introduction, purse });
      // During a commit it would have no number, and nobody could tell whether the ledger has it.
      const prompted = await memory.noteBetween(beginning, admission.begin);
      onAdmitted();
      // Whoever is asked elsewhere sees what the log says so far (L4).
      if (!model.isInside) await memory.settled();
      tenure.check();
      const completion = await model.complete(request, run).catch(async (error: unknown) => {
        // Nothing of it was served, so it costs nothing.
        if (isLegionError(error) && error.refused && prompted !== undefined)
          await memory.noteBetween({ kind: "refused", prompted, status: error.refused.status });
        throw error;
      });
      // What an action asked may be answered after its result.
      if (memory.ledger.open.some(({ seq }) => seq === prompted)) answered.set(admission, prompt.call);
      return { completion: priced(completion, model), prompted };
    } finally {
      if (!answered.has(admission)) admission.settle();
    }
  };
  return {
    name: model.name,
    get profile() {
      return model.profile;
    },
    complete(prompt, run) {
      const { signal, patience } = run;
      const { onWait, onAdmitted } = showWaits(presence);
      const call = { provider: model.provider, signal, patience, onWait };
      return limiter.run(call, () => attempt(prompt, run, onAdmitted));
    },
    prepare: introductions.prepare,
    fits: (prompt) => budget.fits(spender(), estimateOf(model, prompt)),
    count: (texts) => metering.tokens.count(texts),
    settle(call) {
      for (const [admission, by] of answered) {
        if (call !== undefined && by !== call) continue;
        admission.settle();
        answered.delete(admission);
      }
    },
  };
}

type OpeningOfRequest = Pick<ModelRequest, "system" | "tools">;

function createIntroductions(blobs: Blobs) {
  /** What was kept for the newest call: hashing it anew would cost more than all else that is kept of a call. */
  let kept: (OpeningOfRequest & { readonly hash: string }) | undefined;
  /** Gives the hash of system prompt and tools. */
  const keep = async ({ system, tools }: OpeningOfRequest): Promise<string> => {
    if (kept?.system === system && kept.tools === tools) return kept.hash;
    const hash = await blobs.keep(JSON.stringify({ system, tools }));
    kept = { system, tools, hash };
    return hash;
  };
  return {
    keep,
    prepare: async (of: () => OpeningOfRequest): Promise<void> => void (kept ?? (await keep(of()))),
  };
}

/** Shows that a call waits for its provider, and what it is part of again when that is over. */
function showWaits(presence: Presence) {
  const { state } = presence.standing;
  return {
    onWait({ reason, waitMs }: ProviderWait): void {
      presence.show("retrying", `${reason} (again in ${Math.ceil(waitMs / 1_000)} s)`);
    },
    onAdmitted(): void {
      // One that began while another waited was part of an action.
      if (presence.standing.state === "retrying") presence.show(state === "retrying" ? "acting" : state);
    },
  };
}

/** What the call would take at most. */
function estimateOf({ profile: { price } }: Model, { request, tokens }: Prompt): Estimate {
  return { input: tokens + FRAMING_TOKENS, output: request.maxOutput, price };
}

/** Will the agent have to wait for new mail after this decision? */
function isLastTurn({ purpose }: Prompt, { conversation }: Memory, { turns = Infinity }: Limits): boolean {
  return purpose === "decision" && conversation.turns + 1 >= turns;
}

/** The request, which asks to wrap up where no other call fits. Throws LIMIT if that one is not this one's. */
function lastOrNot({ request, purpose }: Prompt, { last }: Pick<Admission, "last">): ModelRequest {
  if (!last || purpose === "step") return request;
  if (purpose !== "decision") throw new LegionError("LIMIT", "the last call is kept for a decision");
  return { ...request, pinned: `${request.pinned}\n\n${WRAP_UP}`.trim() };
}

/** What the log says of a call that is about to be made; its introduction is kept under that hash. */
function toPrompted(
  { conversation }: Memory,
  model: Model,
  prompt: Prompt & Pick<PromptedEvent, "introduction" | "purse">,
): PromptedEvent {
  const { request, chain, introduction, purse } = prompt;
  const { pinned } = request;
  const { input, output, price } = estimateOf(model, prompt);
  return {
    kind: "prompted",
    model: model.name,
    prompt: chain,
    introduction,
    pinned: pinned === conversation.pinned ? undefined : pinned,
    reserved: { input, output, cost: price && mostOf({ input, output: 0 }, price) },
    purse,
    call: prompt.call,
  };
}

function priced(completion: Completion, { profile: { price } }: Model): Completion {
  const { usage } = completion;
  return price ? { ...completion, usage: { ...usage, cost: costOf(usage, price) } } : completion;
}

/** What the action of `call` asks: one user turn, outside any conversation. */
export function plainPrompt(text: string, maxOutput: number, call: string): Prompt {
  return {
    request: { system: "", tools: [], turns: [{ role: "user", text }], pinned: "", maxOutput },
    tokens: estimateTokens(text),
    chain: sha256(text),
    purpose: "action",
    call,
  };
}

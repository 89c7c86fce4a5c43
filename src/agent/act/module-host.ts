// What a module may ask of the runtime, answered for one agent: reading at any time, changing only while an action runs.

import { plainPrompt } from "../parts/metered-model.ts";
import type { Agent } from "../parts/agent.ts";
import { LegionError } from "../../base/errors.ts";
import type { Call } from "../../domain/event.ts";
import { callKey } from "../parts/evidence.ts";
import { createHistory } from "./history.ts";
import type { Host } from "../../domain/module.ts";
import { objectiveOf } from "../parts/module-set.ts";
import { PINNED_SHARE } from "../parts/pinned.ts";
import { estimateTokens } from "../../model/tokens.ts";
import { beginWork, type Work } from "./unit-of-work.ts";

/** A running action's unit of work and the signal that ends it. */
export interface Running {
  readonly work: Work;
  readonly signal: AbortSignal;
  readonly call: Call;
}

const COMPLETION_SHARE = 4;
/** One result may fill this share of the model's window, and all results of a decision together the next. */
const RESULT_SHARE = 1 / 4;
const DECISION_SHARE = 1 / 2;
/** Outside an action there is nothing to stop. */
const NEVER = new AbortController().signal;

export function createHost(agent: Agent, module: string, running?: Running): Host {
  const { identity, modules, blobs, shared } = agent;
  const history = createHistory(agent.memory);
  const active = (): Running => {
    if (!running || running.work.isOver)
      throw new LegionError("REFUSED", "Only a running action may do this.");
    return running;
  };
  const state = (running?.work ?? beginWork(agent)).state(module);
  return {
    agent: identity,
    actions: modules.specs,
    howToAct: modules.howToAct,
    state: {
      ...state,
      set: (key, value) => active().work.state(module).set(key, value),
      delete: (key) => active().work.state(module).delete(key),
    },
    history,
    workspace: {
      root: shared.workspace.root,
      async execute(command, options) {
        const trace = running && (await agent.traces.begin(callKey(agent, running.call)));
        agent.tenure.check();
        return shared.workspace.execute(command, { ...options, ...(trace && { trace }) });
      },
    },
    node: shared.node,
    settings: shared.settings(module),
    signal: running?.signal ?? NEVER,
    send: (targets, content) => active().work.send(targets, content),
    peers: shared.peers,
    async complete(prompt, options) {
      const { work, signal } = active();
      const { window, maxOutput, summarises } = agent.model.profile;
      if (!summarises)
        throw new LegionError("REFUSED", `The model ${agent.model.name} follows rules and writes no texts.`);
      const cap = Math.min(options?.maxOutput ?? maxOutput, maxOutput, Math.floor(window / COMPLETION_SHARE));
      const answer = await agent.model.complete(plainPrompt(prompt, cap), { signal });
      work.spend(answer);
      return answer.completion.text;
    },
    tokens: estimateTokens,
    maxTokens: maxResultTokens(agent),
    maxPinnedTokens: Math.floor(agent.model.profile.window * PINNED_SHARE),
    objective: () => objectiveOf(modules) ?? history.latestInstruction(),
    keep: async (content) => `.ai-legion/agents/${identity.id}/blobs/${await blobs.keep(content)}`,
    onClose: (close) => modules.onClose(close),
  };
}

/** How long each result of the newest decision may be, in tokens. */
export function maxResultTokens({ memory, model }: Pick<Agent, "memory" | "model">): number {
  const calls = memory.conversation.decision?.event.calls.length ?? 1;
  return Math.floor(model.profile.window * Math.min(RESULT_SHARE, DECISION_SHARE / calls));
}

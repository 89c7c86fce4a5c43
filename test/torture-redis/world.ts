// The agents of a torture test and the world that they act in. Only their models are scripted.

import { UNBOUND } from "../unbound.ts";
import { AsyncLocalStorage } from "node:async_hooks";
import { appendFileSync } from "node:fs";
import { core } from "../../modules/core.ts";
import { goals } from "../../modules/goals.ts";
import { notes } from "../../modules/notes.ts";
import type { AgentPlan } from "../../src/legion/hosting/agent-plan.ts";
import type { LegionOptions } from "../../src/legion/legion.ts";
import type { Environment } from "../../src/environment/environment.ts";
import { createLocalEnvironment } from "../../src/environment/local.ts";
import type { Inspect } from "../../src/domain/inspection.ts";
import { displayName } from "../../src/domain/message/message.ts";
import type { Model } from "../../src/domain/model.ts";
import { defineAction, defineModule, ok, type Module } from "../../src/domain/authoring/module.ts";
import { indexActions } from "../../src/agent/parts/module-set.ts";
import { toolsProtocol } from "../../src/model/protocol/tools.ts";
import { gateOf, QUESTIONS, tellOfQuestions } from "../torture/answers.ts";
import { ASKING, createCarrier, createDuties, type Effect } from "../torture/carrier.ts";
import { reachOf, SCRIBE, scribePlan } from "../torture/scribe.ts";
import {
  OBSERVED,
  type Acknowledged,
  type Parcels,
  type Ticking,
  type TimedEffect,
  type Work,
} from "./order.ts";
import type { Host } from "../../src/domain/authoring/host.ts";

export interface World extends Pick<LegionOptions, "questions" | "gate"> {
  readonly plan: (id: string) => AgentPlan;
  readonly environment: Environment;
  readonly watch?: Inspect;
}

export function worldOf(work: Work): World {
  return work.kind === "ticking" ? clockworks(work) : carriers(work);
}

const LONGEST_PAUSE_MS = 300;
/** Most pauses are short, some as long as it takes another node to begin. */
const pauseMs = (): number => LONGEST_PAUSE_MS * Math.random() ** 12;

/** The right under which something is done. */
const rights = new AsyncLocalStorage<number>();

function carriers({ effects, acknowledged, asked, revoked }: Parcels): World {
  const tell = tellOfQuestions(asked);
  const duties = createDuties({ leave, pauseMs });
  const add = (file: string, line: TimedEffect | Acknowledged): void =>
    appendFileSync(file, `${JSON.stringify(line)}\n`);
  return {
    plan(id) {
      if (id === SCRIBE) return scribePlan(OBSERVED);
      const { memories, modules } = reachOf(id);
      const actions = indexActions([core, goals, notes, ...modules, duties], toolsProtocol);
      return { ...planOf(id, { model: createCarrier(), actions, tickMs: 0 }), memories };
    },
    environment: {
      ...emptyWorld,
      execute(command) {
        const effect = JSON.parse(command) as Effect;
        add(effects, { ...effect, at: Date.now(), epoch: rights.getStore()! });
        return Promise.resolve({ output: "", exitCode: 0 });
      },
    },
    questions: QUESTIONS,
    gate: gateOf(revoked),
    watch(inspection) {
      tell(inspection);
      if (inspection.kind !== "event" || inspection.agent === "0") return;
      const { agent, event } = inspection;
      const { seq, epoch, kind } = event;
      // Anything else may be a note, which nobody is told about.
      if (!["message", "observed", "decision", "approval", "result"].includes(kind)) return;
      add(acknowledged, { agent, seq, epoch, kind });
    },
  };
}

/** As an action runs a command: what stands before that is part of what is tested. */
function leave(effect: Effect, { workspace, signal }: Host): Promise<unknown> {
  return workspace.execute(JSON.stringify(effect), { timeoutMs: 10_000, signal });
}

function clockworks({ everyMs }: Ticking): World {
  const actions = indexActions([core, clockwork], toolsProtocol);
  return {
    plan: (id) => planOf(id, { model: ticking, actions, tickMs: everyMs }),
    environment: emptyWorld,
  };
}

const clockwork: Module = defineModule({
  name: "clockwork",
  actions: {
    tick: defineAction({
      description: "Go on",
      parameters: {},
      effects: "none",
      execute: (_, { state }) => {
        const count = Number(state.get("count") ?? 0) + 1;
        state.set("count", count);
        return ok(`Tick ${count}.`);
      },
    }),
  },
});

const ticking: Model = {
  name: "ticking",
  provider: "ticking",
  profile: { window: 100_000_000, maxOutput: 1_000, tools: true, summarises: false },
  complete({ turns }) {
    const calls = [{ id: `t${turns.length}`, name: "tick", arguments: "{}" }];
    return Promise.resolve({ text: "", calls, usage: { input: 1, output: 1 }, stop: "calls" });
  },
};

const emptyWorld: Environment = {
  ...createLocalEnvironment({}),
  execute: () => Promise.resolve({ output: "", exitCode: 0 }),
  endLeft: () => Promise.resolve(false),
  variables: () => ({}),
};

function planOf(
  id: string,
  { model, actions, tickMs }: Pick<AgentPlan, "model" | "actions" | "tickMs">,
): AgentPlan {
  return {
    identity: { id, name: displayName(id), description: "", brief: "" },
    model,
    protocol: toolsProtocol,
    actions,
    limits: {},
    policy: [...UNBOUND, ASKING],
    memory: { strategy: "legion", threshold: 0.75, pin: "newest" },
    errors: "keep",
    tickMs,
    replay: (place) => ({
      ...place,
      perform: (agent, ...call) => rights.run(agent.tenure.epoch, () => place.perform(agent, ...call)),
    }),
  };
}

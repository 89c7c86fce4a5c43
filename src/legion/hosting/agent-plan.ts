// An agent from its plan and its files: memory, mailbox, outbox and modules.

import type {
  AdmitCall,
  Agent,
  ClearCall,
  Shared,
  Perform,
  Performer,
  StartupPlan,
} from "../../agent/parts/agent.ts";
import type { KeptSource } from "../../config/mini/kept.ts";
import type { KeptFiles } from "../../past/undo/kept.ts";
import type { Background, BackgroundPlace } from "../../agent/parts/background/background.ts";
import { gatherEvidence, markOf, type Traces } from "../../agent/parts/command-trace.ts";
import type { Identity } from "../../domain/authoring/host.ts";
import { whileHeld, type TracedWorkplace } from "../../agent/parts/workplace.ts";
import { openModules } from "../../agent/act/module-host.ts";
import { createAllowance } from "../../past/limits/held-limits.ts";
import type { Memory } from "../../past/past.ts";
import type { Tenure } from "../../domain/lease.ts";
import type { Limits } from "../../domain/limits.ts";
import type { Redactor } from "../../base/redaction/redactor.ts";
import type { Lodging, Premises } from "./shared-host.ts";
import type { Model } from "../../domain/model.ts";
import { redactedBlobs } from "../../past/log/blobs.ts";
import { redactedModel } from "../../agent/parts/model/redacted-model.ts";
import type { AgentId } from "../../domain/message/message.ts";
import { meterModel } from "../../agent/parts/model/metered-model.ts";
import { DIRECTED_PATIENCE, USUAL_PATIENCE, type LoopPatience } from "../../agent/parts/loop-guard.ts";
import type { OpenWording, WordingSource } from "../../agent/parts/wording.ts";
import { createPresence } from "../../agent/parts/presence.ts";
import { createClosing } from "../../base/process/closing.ts";
import type { Bus } from "../../mail/bus.ts";
import type { Sources } from "../../mail/sources.ts";
import { createJudge, type JudgeReceipts } from "../../past/receipts/judge.ts";
import { createOutbox } from "../../mail/outbox.ts";
import { createSpeech, recallOffers, type Ways } from "../../agent/parts/speech.ts";
import type { Hostable } from "../../storage/contract/node.ts";
import type { Budget, CallBudget } from "../../agent/parts/budget.ts";
import type { Limiter } from "../../model/limiter/limiter.ts";
import type { Lookout, LookOutside } from "../../agent/think/look-outside.ts";
import type { TokenCounter } from "../../model/tokens/tokens.ts";
import type { Store } from "../../storage/contract/store.ts";
import type { PolicyLayer } from "../../domain/policy/policy.ts";
import type { Rulebook } from "../../agent/parts/rulebook.ts";
import type { RuledAgent } from "../rulebook.ts";
import type { MemorySettings } from "../../domain/memory-settings.ts";

/** What an agent was made from: enough to make it again. */
export interface Origin {
  /** Name or path of its definition. */
  readonly definition: string;
  /** What stood in place of the definition's. */
  readonly brief?: string;
  readonly modules?: readonly string[];
  /** Which of the definition's actions it was left with. */
  readonly actions?: readonly string[];
  /** What stood in place of the definition's. */
  readonly skills?: "all" | readonly string[];
  readonly mcp?: "all" | readonly string[];
  readonly workspace?: "worktree";
  /** What a configuration of mini-SWE-agent came to. */
  readonly configuration?: Readonly<Record<"agent" | "environment" | "model", object>>;
  /** From what it is read again. */
  readonly sources?: readonly KeptSource[];
}

/** Every agent, or these. */
export type Observe = "all" | readonly AgentId[];
export type ObservedFrom = "start";

export interface AgentPlan extends Ways, Lodging {
  readonly identity: Identity;
  /** Absent: a program made it. Goes into `agent.json`. */
  readonly origin?: Origin;
  readonly model: Model;
  readonly limits: Limits;
  /** Of all who spoke, in the order of their weight. */
  readonly policy: readonly PolicyLayer[];
  readonly memory: MemorySettings;
  /** Which of its calls mode `confirm` leaves unasked; absent: none. */
  readonly isListed?: Rulebook["isListed"];
  /** Whose logs it observes; absent: nobody's. */
  readonly observe?: Observe;
  /** `start`: also what was said before it came. Absent: what it first finds is observed from now on. */
  readonly observesFrom?: ObservedFrom;
  /** Absent: no template words its prompts. */
  readonly wording?: OpenWording;
  /** How the template `startup` is run before its first step; absent: nothing is. */
  readonly startup?: StartupPlan;
  /** Absent: the usual. */
  readonly patience?: LoopPatience;
  readonly tickMs: number;
  /** For its modules, by their names, beside their sections of config.yaml; absent: nothing. */
  readonly settings?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Puts something else in the place of its log, its mailbox...: for an agent that is replayed. */
  readonly replay?: (place: AgentPlace) => AgentPlace;
}

/** What one agent needs of the store that it is kept in. */
export interface AgentStore extends Pick<Store, "tenure" | "projector" | "openAgent" | "blobs"> {
  readonly bus: Pick<Bus, "open" | "send">;
}

export interface AgentPlace {
  readonly store: AgentStore;
  readonly shared: Shared;
  readonly premises: Pick<Premises, "open">;
  readonly budget: CallBudget;
  readonly limiter: Limiter;
  readonly tokens: TokenCounter;
  readonly traces: (agent: AgentId) => Traces;
  /** Absent: nothing is kept of what calls replace. */
  readonly kept?: (agent: AgentId) => KeptFiles;
  readonly background: (
    agent: AgentId,
    where: Pick<BackgroundPlace, "workspace" | "mark" | "lost">,
  ) => Background;
  readonly lookout: (lookout: Lookout) => LookOutside;
  readonly admit: AdmitCall;
  /** Absent: calls run one after the other. */
  readonly clear: ClearCall | undefined;
  readonly perform: Perform;
  readonly rulebook: (agent: RuledAgent) => Rulebook;
  /** Absent: from its log, and what is written where it works. */
  readonly judge?: JudgeReceipts;
  /** Absent: nothing can be observed. */
  readonly sources?: (memory: Memory, observe: Observe, from?: ObservedFrom) => Promise<Sources>;
  readonly delayMs: number;
}

/** Where all those of a process are. */
export interface Place extends AgentPlace {
  readonly store: Store;
  /** Resolves when whoever was opened may begin calls; never rejects. */
  readonly mayRun: () => Promise<unknown>;
  readonly budget: Budget;
}

/** Opens an agent that is enrolled and that nobody else may have open. Rejects with STORAGE or DAMAGED if its past cannot be used. */
export async function openAgent(plan: AgentPlan, where: AgentPlace): Promise<Agent> {
  const place = plan.replay?.(where) ?? where;
  const { store, shared, budget, limiter, tokens, clear } = place;
  const { redactor } = shared;
  const { identity, actions } = plan;
  const { id } = plan.identity;
  const speech = createSpeech(plan, plan.model);
  // Before anything is waited for: where it is lost meanwhile, what was opened is closed like that of any other agent.
  const tenure = store.tenure(id);
  const memory = await store.openAgent(id, { view: speech, projector: store.projector(id, actions.modules) });
  const opening = createClosing();
  opening.add(memory.close);
  const undo = async (error: unknown): Promise<never> => {
    await opening.run();
    throw error;
  };
  const inbox = await store.bus.open(id).catch(undo);
  opening.add(inbox.close);
  const { workplace, background } = await moveIn(plan, place, { tenure, memory }).catch(undo);
  opening.add(workplace.close);
  const sources =
    plan.observe && (await place.sources?.(memory, plan.observe, plan.observesFrom).catch(undo));
  const presence = createPresence(id, { ...shared, inspect: memory.tell });
  const blobs = redactedBlobs(store.blobs(id), redactor);
  const allowance = createAllowance(plan.limits, memory.ledger);
  const metering = { budget, limiter, tokens, memory, blobs, tenure, limits: allowance.held, presence };
  // What was recorded was redacted then, and is compared as it is.
  const model = meterModel(plan.replay ? plan.model : redactedModel(plan.model, redactor), metering);
  const outbox = createOutbox(memory, store.bus, shared.clock);
  const [traces, rulebook] = [place.traces(id), place.rulebook({ ...plan, workplace })];
  recallOffers(speech, model, memory);
  const wording = wordingOf(plan, { memory, model, workplace });
  const source = { identity, memory, model, blobs, workplace, rulebook, redactor, wording };
  const modules = openModules(speech, source);
  const acting = { modules, presence, tenure, traces, background, kept: place.kept?.(id) };
  const judge = place.judge ?? createJudge({ memory, writes: workplace.writes });
  const performer: Performer = { ...source, ...acting, shared, inbox, outbox, speech, judge };
  return {
    memory,
    model,
    modules,
    speech,
    settings: plan.memory,
    presence,
    rulebook,
    allowance,
    patience: plan.patience ?? (plan.director ? DIRECTED_PATIENCE : USUAL_PATIENCE),
    startup: plan.startup && { ...plan.startup, mark: () => markOfLeft(memory) },
    ...{ wording, shared, tenure },
    ...{ tickMs: plan.tickMs, delayMs: place.delayMs },
    ...{ workplace, background, inbox, sources, outbox, judge },
    lookOutside: place.lookout({ memory, modules, redactor, clock: shared.clock }),
    admit: (call, stops) => place.admit(performer, call, stops),
    clear: clear && ((call, stops) => clear(performer, call, stops)),
    perform: (ready, signal) => place.perform(performer, ready, signal),
    evidence: () =>
      gatherEvidence({ memory, traces, workspace: workplace.workspace, effectsOf: modules.effectsOf }),
  };
}

/** What its templates may name of where it works are the variables that its commands see. */
function wordingOf(
  { wording }: AgentPlan,
  {
    workplace,
    ...source
  }: Omit<WordingSource, "folder" | "variables"> & { readonly workplace: TracedWorkplace },
) {
  const { workspace, environment } = workplace;
  return wording?.({ ...source, folder: workspace.root, variables: environment.variables("") });
}

/** Of what runs beside its calls. */
function markOfLeft({ ledger }: Pick<Memory, "ledger">): string {
  return markOf(`${ledger.log} background`);
}

/** Where it works, rid of what a process before this one left running there. */
async function moveIn(
  plan: AgentPlan,
  place: AgentPlace,
  { tenure, memory }: { readonly tenure: Tenure; readonly memory: Memory },
) {
  const held = whileHeld(await place.premises.open(plan), tenure);
  const workplace = {
    ...held,
    settings: (module: string) => ({ ...held.settings(module), ...plan.settings?.[module] }),
  };
  const background = place.background(plan.identity.id, {
    workspace: workplace.workspace,
    // Whoever goes on with its log ends what was started under it.
    mark: () => markOfLeft(memory),
    lost: tenure.lost,
  });
  await background.endLeft().catch(async (error: unknown) => {
    await workplace.close();
    throw error;
  });
  return { workplace, background };
}

/** What is kept of a plan, for whoever wants to know what the agent is, or to start it again as it was. */
export function recordOf(plan: AgentPlan, redactor: Redactor): string {
  const { identity, origin, model, limits, policy } = plan;
  const { id, name, description } = identity;
  // What commands are given is read again from there.
  const { sources, ...shown } = origin ?? {};
  const { memories, director, observe } = plan;
  const directed = director && { director: director.name, observe };
  const record = redactor.value({ description, ...shown, model: model.name, ...directed, memories });
  return `${JSON.stringify({ id, name, ...record, limits, policy, sources }, null, 2)}\n`;
}

/** What the place in which a legion is kept has to know of a plan. */
export function toHostable(plan: AgentPlan, redactor: Redactor): Hostable {
  const isBound =
    plan.workspace !== undefined || plan.actions.modules.some(({ place }) => place === "workspace");
  return {
    id: plan.identity.id,
    // Of very many agents, only of those that are written anew.
    get record() {
      return recordOf(plan, redactor);
    },
    place: isBound ? "workspace" : "anywhere",
  };
}

/** Closes all of it; rejects if a module closes badly. */
export async function closeAgent(agent: Agent): Promise<void> {
  const { modules, background, workplace, outbox, inbox, sources, memory } = agent;
  try {
    await modules.close();
  } finally {
    sources?.close();
    await background.close();
    await workplace.close();
    await outbox.close();
    await inbox.close();
    await memory.close();
  }
}

// A real legion in a temporary folder: real log, bus, mailboxes and modules. Only the model is scripted.

import { UNBOUND } from "./unbound.ts";
import type { PolicyLayer } from "../src/domain/policy/policy.ts";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { core } from "../modules/core.ts";
import { bash } from "../modules/bash/index.ts";
import { openTemplates } from "../src/base/template/templates.ts";
import type { TemplateEngine } from "../src/agent/parts/wording.ts";
import type { BashSettings } from "../src/domain/task-templates.ts";
import { inBash } from "../src/legion/hosting/in-bash.ts";
import { startTemplateWorker } from "./base/template/start-worker.ts";
import { goals } from "../modules/goals.ts";
import { messaging } from "../modules/messaging.ts";
import { notes } from "../modules/notes.ts";
import { createLocalEnvironment } from "../src/environment/local.ts";
import type { Agent } from "../src/agent/parts/agent.ts";
import type { Presence } from "../src/agent/parts/presence.ts";
import type { Event, EventOf } from "../src/domain/event/event.ts";
import type { Inspection } from "../src/domain/inspection.ts";
import type { Director } from "../src/domain/authoring/director.ts";
import type { AgentPlan, Observe } from "../src/legion/hosting/agent-plan.ts";
import { startLegion, type Legion, type LegionOptions } from "../src/legion/legion.ts";
import type { Limits } from "../src/domain/limits.ts";
import type { Reader } from "../src/storage/contract/reader.ts";
import { createFileReader } from "../src/storage/files/reader/reader.ts";
import { createMemoryBackend } from "../src/storage/memory/backend.ts";
import { displayName, type AgentId } from "../src/domain/message/message.ts";
import type { Model } from "../src/domain/model.ts";
import { createScriptedModel, type Script, type ScriptedOptions } from "../src/model/scripted/scripted.ts";
import type { Module } from "../src/domain/authoring/module.ts";
import { indexActions } from "../src/agent/parts/module-set.ts";
import type { PinPosition, StrategyName } from "../src/domain/memory-settings.ts";
import type { Protocol } from "../src/model/protocol/protocol.ts";
import { textProtocol } from "../src/model/protocol/text.ts";
import { toolsProtocol } from "../src/model/protocol/tools.ts";

export interface WorldAgent {
  readonly script?: Script;
  readonly model?: Model;
  readonly profile?: ScriptedOptions;
  readonly protocol?: "text" | "tools";
  readonly modules?: readonly Module[];
  /** Long-term memories that it reaches. */
  readonly memories?: readonly string[];
  /** Says what it does. */
  readonly director?: Director;
  /** What it does where a limit leaves no room for a model call. */
  readonly atLimit?: AgentPlan["atLimit"];
  /** Whose logs it observes. */
  readonly observe?: Observe;
  readonly observesFrom?: AgentPlan["observesFrom"];
  readonly limits?: Limits;
  readonly strategy?: StrategyName;
  readonly threshold?: number;
  readonly errors?: "forget" | "keep";
  readonly pin?: PinPosition;
  readonly tickMs?: number;
  readonly receipts?: AgentPlan["receipts"];
  readonly policy?: readonly PolicyLayer[];
  /** It acts in bash alone. */
  readonly bash?: BashSettings;
  /** Renders its templates. Default: one worker for all tests of a file. */
  readonly engine?: TemplateEngine;
}

export type WorldOptions = Partial<Omit<LegionOptions, "plans" | "project">>;

export interface World {
  readonly project: string;
  readonly legion: Legion;
  /** Everything that watchers saw. */
  readonly seen: readonly Inspection[];
  agent(id: AgentId): Agent & Presence;
  /** Says something as Control. */
  say(to: AgentId | readonly AgentId[], content: string): Promise<readonly string[]>;
  /** Resolves when nobody has anything to do. */
  idle(): Promise<void>;
  /** Resolves when `holds` is true of what watchers saw; at once if it is already. */
  until(holds: (inspection: Inspection) => boolean): Promise<void>;
  events(agent: AgentId): Promise<Event[]>;
  kinds<K extends Event["kind"]>(agent: AgentId, kind: K): Promise<EventOf<K>[]>;
  stop(): Promise<void>;
  /** Stops and starts again on the same folder. */
  restart(agents?: Readonly<Record<AgentId, WorldAgent>>): Promise<World>;
}

const templates = openTemplates({ start: startTemplateWorker });
const MODULES = [core, goals, notes, messaging];
const PROTOCOLS: Readonly<Record<"text" | "tools", Protocol>> = { text: textProtocol, tools: toolsProtocol };

export async function temporaryFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "legion-")));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

export async function createWorld(
  agents: Readonly<Record<AgentId, WorldAgent>>,
  options: WorldOptions = {},
): Promise<World> {
  return openWorld(await temporaryFolder(), agents, options);
}

/** The same in the memory of this process, for whom it is all the same where a legion is kept. */
export async function createWorldInMemory(
  agents: Readonly<Record<AgentId, WorldAgent>>,
  options: WorldOptions = {},
): Promise<World> {
  return createWorld(agents, { backend: createMemoryBackend(), ...options });
}

export async function openWorld(
  project: string,
  agents: Readonly<Record<AgentId, WorldAgent>>,
  options: WorldOptions = {},
): Promise<World> {
  const legion = await startLegion({
    project,
    plans: Object.entries(agents).map(([id, agent]) => toPlan(id, agent)),
    limits: {},
    durability: "process",
    delayMs: 0,
    heartbeatMs: "off",
    environment: createLocalEnvironment(process.env),
    settings: () => ({}),
    ...options,
  });
  const seen: Inspection[] = [];
  legion.inspector.watch((inspection) => seen.push(inspection));
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => (stopped ??= legion.stop());
  onTestFinished(async () => {
    legion.interrupt();
    // Whoever wants to know how it ends has called `stop` before.
    await stop().catch(() => undefined);
  });
  const events = (agent: AgentId): Promise<Event[]> => readEvents(project, agent, options.backend?.reader);
  return {
    project,
    legion,
    seen,
    events,
    stop,
    agent(id) {
      const agent = legion.agents.get(id)!.agent!;
      return { ...agent, ...agent.presence };
    },
    say: (to, content) => legion.control.say(typeof to === "string" && to !== "all" ? [to] : to, content),
    idle: () => legion.untilIdle(new AbortController().signal),
    until: (holds) =>
      new Promise((resolve) => {
        if (seen.some(holds)) return resolve();
        const unwatch = legion.inspector.watch((inspection) => {
          if (!holds(inspection)) return;
          unwatch();
          resolve();
        });
      }),
    async kinds<K extends Event["kind"]>(agent: AgentId, kind: K) {
      return (await events(agent)).filter((event): event is EventOf<K> => event.kind === kind);
    },
    async restart(again = agents) {
      await stop();
      return openWorld(project, again, options);
    },
  };
}

export async function readEvents(
  project: string,
  agent: AgentId,
  reader: Reader = createFileReader(project),
): Promise<Event[]> {
  const events: Event[] = [];
  for await (const event of reader.events(agent)) events.push(event);
  return events;
}

export function toPlan(id: AgentId, agent: WorldAgent): AgentPlan {
  const protocol = PROTOCOLS[agent.protocol ?? "tools"];
  const model = agent.model ?? createScriptedModel(agent.script ?? [], agent.profile);
  return {
    identity: { id, name: displayName(id), description: "", brief: "" },
    model,
    protocol,
    actions: indexActions(agent.modules ?? MODULES, protocol),
    limits: agent.limits ?? {},
    policy: agent.policy ?? UNBOUND,
    memory: {
      strategy: agent.strategy ?? "legion",
      threshold: agent.threshold ?? 0.75,
      pin: agent.pin ?? "newest",
    },
    errors: agent.errors ?? "keep",
    tickMs: agent.tickMs ?? 0,
    memories: agent.memories,
    director: agent.director,
    atLimit: agent.atLimit,
    observe: agent.observe,
    observesFrom: agent.observesFrom,
    receipts: agent.receipts,
    ...(agent.bash && inBash(agent.bash, { modules: [bash], model, engine: agent.engine ?? templates })),
  };
}

/** A promise to be settled by hand. */
export function byHand<T = void>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((settle) => (resolve = settle));
  return { promise, resolve };
}

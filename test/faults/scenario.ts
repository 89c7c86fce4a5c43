// A small legion that does a little of everything: two agents that send each other numbered messages, keep goals and
// notes, one of them too long for a line of the log, and do things outside that must not happen twice. What an agent
// does next follows from what it is shown, so that it goes on after any crash.

import { UNBOUND } from "../unbound.ts";
import { z } from "zod";
import { createLocalEnvironment } from "../../src/environment/local.ts";
import { core } from "../../modules/core.ts";
import { goals } from "../../modules/goals.ts";
import { messaging } from "../../modules/messaging.ts";
import { notes } from "../../modules/notes.ts";
import type { Clock } from "../../src/base/clock.ts";
import type { Event } from "../../src/domain/event/event.ts";
import type { Inspection } from "../../src/domain/inspection.ts";
import type { AgentPlan } from "../../src/legion/hosting/agent-plan.ts";
import { startLegion, type Legion } from "../../src/legion/legion.ts";
import type { Disk } from "../../src/base/files/disk.ts";
import { displayName, type AgentId } from "../../src/domain/message/message.ts";
import type { ModelRequest } from "../../src/domain/model.ts";
import {
  createScriptedModel,
  type ScriptedAnswer,
  type ScriptedCall,
} from "../../src/model/scripted/scripted.ts";
import {
  defineAction,
  defineModule,
  ok,
  type Effects,
  type Module,
} from "../../src/domain/authoring/module.ts";
import { indexActions } from "../../src/agent/parts/module-set.ts";
import { toolsProtocol } from "../../src/model/protocol/tools.ts";

export const PROJECT = "/project";
export const AGENTS: readonly AgentId[] = ["1", "2"];

/** What no crash of the legion can undo. */
export interface Outside {
  /** What agents did to the world, in order. */
  readonly strikes: string[];
  /** Events whose commit was acknowledged, by agent. */
  readonly acknowledged: Map<AgentId, Event[]>;
  /** Ids of the messages that `say` has returned. */
  readonly said: string[];
  /** What Control still has to say. */
  readonly orders: { readonly to: AgentId; readonly text: string }[];
}

export function createOutside(): Outside {
  const orders = AGENTS.map((to) => ({ to, text: `order for ${to}` }));
  return { strikes: [], acknowledged: new Map(), said: [], orders };
}

/** The messages that agent 1 sends to agent 2, one after the other. */
const LETTERS = ["letter 1", "letter 2", "letter 3"];
const LONG = "long ".repeat(13_200);

/** What an agent has to do, in this order, after what it has heard. */
function stepsOf(agent: AgentId, heard: readonly string[]): readonly ScriptedCall[] {
  const answers = heard.flatMap((text) => {
    if (!LETTERS.includes(text)) return [];
    return [strike(`${agent} has ${text}`), send("1", `heard ${text}`)];
  });
  if (agent === "2")
    return [{ action: "addGoal", parameters: { goal: "listen" } }, strike("2 began"), ...answers];
  const heardAll = LETTERS.every((text) => heard.includes(`heard ${text}`));
  return [
    { action: "addGoal", parameters: { goal: "write" } },
    { action: "writeNote", parameters: { title: "long", content: LONG } },
    strike("1 began"),
    ...LETTERS.map((text) => send("2", text)),
    { action: "writeNote", parameters: { title: "short", content: "sent" } },
    ...(heardAll ? [{ action: "completeGoal", parameters: { goalNumber: 1 } }, send("0", "all done")] : []),
  ];
}

function strike(mark: string): ScriptedCall {
  return { action: "strike", parameters: { mark } };
}

function send(targetAgentId: AgentId, message: string): ScriptedCall {
  return { action: "sendMessage", parameters: { targetAgentId, message } };
}

const CALLS_AT_ONCE = 2;

/** The next calls of `agent`, as far as it can know what it did: a call that was skipped is made again. */
function decide(agent: AgentId, { turns }: ModelRequest): ScriptedAnswer {
  const heard: string[] = [];
  const asked = new Map<string, string>();
  const made = new Set<string>();
  for (const turn of turns) {
    if (turn.role === "user") heard.push(...turn.text.split("\n"));
    else if (turn.role === "assistant")
      for (const { id, action, parameters } of turn.calls)
        asked.set(id, nameOf(action, parameters as object));
    else
      for (const { call, content } of turn.results)
        if (!content.startsWith("Not run")) made.add(asked.get(call)!);
  }
  if (!heard.includes(`order for ${agent}`)) return { calls: [{ action: "noop" }] };
  const left = stepsOf(agent, heard).filter(
    ({ action, parameters }) => !made.has(nameOf(action, parameters!)),
  );
  return { calls: left.length > 0 ? left.slice(0, CALLS_AT_ONCE) : [{ action: "noop" }] };
}

/** What tells one of its calls from all others. */
function nameOf(action: string, parameters: object): string {
  return [action, ...Object.values(parameters)].join(" ").slice(0, 100);
}

export interface ScenarioOptions {
  /** What the strikes of agents are said to be; the truth if absent. */
  readonly effects?: Effects;
}

/** When the machine has stopped, so has whatever still seems to run. */
function strikes({ outside, disk }: Machine, effects: Effects = "once"): Module {
  return defineModule({
    name: "strikes",
    actions: {
      strike: defineAction({
        description: "Do something that must not happen twice",
        parameters: { mark: z.string() },
        effects,
        async execute({ mark }) {
          await new Promise((resolve) => setImmediate(resolve));
          if (!disk.crashed) outside.strikes.push(mark);
          await new Promise((resolve) => setImmediate(resolve));
          return ok(`${mark} is done.`);
        },
      }),
    },
  });
}

/** On which nobody waits longer than the others need for some turns; and for good once the machine has stopped. */
function createSwiftClock({ disk }: Machine): Clock {
  let nowMs = Date.parse("2026-01-01T00:00:00.000Z");
  const sleep = async (ms: number, signal: AbortSignal): Promise<void> => {
    for (let turns = 0; turns < 20 && !signal.aborted; turns++)
      await new Promise((resolve) => setImmediate(resolve));
    if (disk.crashed) return new Promise(() => undefined);
    nowMs += ms;
  };
  return { now: () => nowMs, sleep, beat: sleep };
}

export interface Machine {
  readonly disk: Disk & { readonly crashed?: boolean };
  readonly outside: Outside;
}

/** Starts the legion; `acknowledged` of `outside` grows with it. */
export async function start({ disk, outside }: Machine, options: ScenarioOptions = {}): Promise<Legion> {
  return startLegion({
    project: PROJECT,
    plans: AGENTS.map((id) => planOf(id, { disk, outside }, options)),
    limits: {},
    durability: "disk",
    delayMs: 0,
    heartbeatMs: "off",
    environment: {
      ...createLocalEnvironment({}),
      execute: () => Promise.reject(new Error("no commands")),
      endLeft: () => Promise.resolve(false),
      variables: () => ({}),
    },
    settings: () => ({}),
    clock: createSwiftClock({ disk, outside }),
    disk,
    watch: (inspection) => acknowledge(outside, inspection),
  });
}

/** Says what is left to say, lets everybody finish, and stops. */
export async function play(machine: Machine, options: ScenarioOptions = {}): Promise<void> {
  const legion = await start(machine, options);
  await sayAll(legion, machine.outside);
  await legion.untilIdle(new AbortController().signal);
  await legion.stop();
}

/** Says what is left to say. What an agent cannot be told stays for later; rejects with the last reason. */
export async function sayAll({ control }: Legion, { orders, said }: Outside): Promise<void> {
  let failure: unknown;
  for (const order of [...orders]) {
    try {
      said.push(...(await control.say([order.to], order.text)));
      orders.splice(orders.indexOf(order), 1);
    } catch (error) {
      failure = error;
    }
  }
  if (failure !== undefined) throw failure;
}

/** A watcher sees an event when its commit is acknowledged; notes are seen before. */
function acknowledge({ acknowledged }: Outside, inspection: Inspection): void {
  if (inspection.kind !== "event" || isNote(inspection.event)) return;
  const { agent, event } = inspection;
  acknowledged.set(agent, [...(acknowledged.get(agent) ?? []), event]);
}

/** Nothing depends on them, and they may be lost until the next commit. */
function isNote(event: Event): boolean {
  if (event.kind === "notice") return event.reason === "undeliverable" || event.reason === "restarted";
  return event.kind === "prompted" || event.kind === "sent";
}

function planOf(id: AgentId, machine: Machine, { effects }: ScenarioOptions): AgentPlan {
  const modules = [core, goals, notes, messaging, strikes(machine, effects)];
  return {
    identity: { id, name: displayName(id), description: "", brief: "" },
    model: createScriptedModel((request) => decide(id, request)),
    protocol: toolsProtocol,
    actions: indexActions(modules, toolsProtocol),
    limits: {},
    policy: UNBOUND,
    memory: { strategy: "legion", threshold: 0.75, pin: "newest" },
    errors: "keep",
    tickMs: 0,
  };
}

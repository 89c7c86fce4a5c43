// Long-term memory in a torture test: an agent that listens to all carriers and keeps what is said, and how carriers keep
// something there themselves. Only its model is scripted.

import { memory } from "../../modules/memory/index.ts";
import { scribe } from "../../modules/memory/scribe/direct.ts";
import { scribeActions } from "../../modules/memory/scribe/index.ts";
import { indexActions } from "../../src/agent/parts/module-set.ts";
import { displayName, type AgentId } from "../../src/domain/message/message.ts";
import type { Completion, Model, ModelRequest } from "../../src/domain/model.ts";
import type { Module } from "../../src/domain/authoring/module.ts";
import type { AgentPlan, Observe } from "../../src/legion/hosting/agent-plan.ts";
import { toolsProtocol } from "../../src/model/protocol/tools.ts";
import type { Backend } from "../../src/storage/contract/backend.ts";
import { UNBOUND } from "../unbound.ts";

export const SCRIBE = "scribe";
export const MEMORY = "main/legion";
/** What a person says to it to have its sessions end, and at every how manieth parcel. */
export const FLUSH = "flush";
export const FLUSHED_AT = 25;

const REMEMBERING: readonly AgentId[] = ["1", "2"];

/** What carrier `id` reaches, and with which modules. */
export function reachOf(id: AgentId): {
  readonly memories: readonly string[];
  readonly modules: readonly Module[];
} {
  return REMEMBERING.includes(id) ? { memories: [MEMORY], modules: [memory] } : { memories: [], modules: [] };
}

export function scribePlan(observe: Observe): AgentPlan {
  return {
    identity: { id: SCRIBE, name: displayName(SCRIBE), description: "", brief: "" },
    model: createWriter(),
    protocol: toolsProtocol,
    actions: indexActions([scribeActions], toolsProtocol),
    limits: {},
    policy: UNBOUND,
    memory: { strategy: "legion", threshold: 0.75, pin: "newest" },
    errors: "keep",
    tickMs: 0,
    director: scribe,
    observe,
    memories: [MEMORY],
  };
}

/** Hands the memory over, as a person does: carriers send contexts, too. */
export async function keepForScribe({ memories, close }: Pick<Backend, "memories" | "close">): Promise<void> {
  await memories.change(MEMORY, () => Promise.resolve([{ kind: "kept", by: SCRIBE }]));
  await close();
}

/** Does what it is asked for at once. */
function createWriter(): Model {
  return {
    name: "writer",
    provider: "writer",
    profile: { window: 200_000, maxOutput: 1_000, tools: true, summarises: true },
    complete: (request) => Promise.resolve(write(request)),
  };
}

let asked = 0;

function write({ tools: [tool] }: ModelRequest): Completion {
  const name = tool?.name ?? "";
  const text = `${name} ${process.pid} ${++asked}`;
  const given = name === "put_context" ? { content: `# Facts\n${text}` } : { summary: text };
  const calls = [{ id: `w${process.pid}-${asked}`, name, arguments: JSON.stringify(given) }];
  return { text: "", calls, usage: { input: 1, output: 1 }, stop: "calls" };
}

// One agent that a person speaks to at a certain point of its work, in a process that is killed, and its next life.

import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { core } from "../../../../modules/core.ts";
import { indexActions } from "../../../../src/agent/parts/module-set.ts";
import { defineAction, defineModule, ok } from "../../../../src/domain/authoring/module.ts";
import { createLocalEnvironment } from "../../../../src/environment/local.ts";
import { startLegion, type Legion } from "../../../../src/legion/legion.ts";
import { toolsProtocol } from "../../../../src/model/protocol/tools.ts";
import { createScriptedModel, type ScriptedAnswer } from "../../../../src/model/scripted/scripted.ts";
import type { Backend } from "../../../../src/storage/contract/backend.ts";
import { createFileBackend } from "../../../../src/storage/files/backend.ts";
import { createRedisBackend } from "../../../../src/storage/redis/backend.ts";
import type { Link } from "../../../../src/storage/redis/connection/link.ts";

export const MOMENTS = [
  "before",
  "in the model call",
  "in the first call",
  "in the last call",
  "in a parallel group",
  "at a question",
  "idle",
  "parked",
] as const;
export const LANES = ["steer", "follow-up", "abort"] as const;

export type Moment = (typeof MOMENTS)[number];

export interface Cell {
  readonly moment: Moment;
  readonly lane: (typeof LANES)[number];
  /** Its folder; what its calls did is in `effects.txt` there. */
  readonly project: string;
  /** Its name in Redis. */
  readonly name: string;
}

/** What the parent has the process do that is killed. */
export interface KilledOrder {
  readonly cells: readonly Cell[];
  readonly redis?: string;
  /** How long after the last word it dies. */
  readonly afterMs: number;
}

export function backendOf({ project, name }: Cell, link: Link | undefined): Backend {
  if (!link) return createFileBackend(project);
  return createRedisBackend({
    link,
    legion: name,
    durability: "always",
    leaseMs: 600,
    onTrouble: () => undefined,
  });
}

/** Other steps are work. */
const OWN_ACTION = /^(?:deploy|look)/;
const NOOP: ScriptedAnswer = { calls: [{ action: "noop" }] };
const works = (...steps: readonly string[]): ScriptedAnswer => ({
  calls: steps.map((step) => ({ action: OWN_ACTION.exec(step)?.[0] ?? "work", parameters: { step } })),
});
const never = new Promise<never>(() => undefined);

/** What the model says in the first life, decision by decision. */
const SCRIPTS: Readonly<Record<Moment, readonly ScriptedAnswer[]>> = {
  before: [],
  "in the model call": [],
  "in the first call": [works("a", "b")],
  "in the last call": [works("a", "b")],
  "in a parallel group": [works("look-1", "look-2", "look-3", "b")],
  "at a question": [works("deploy", "b")],
  idle: [],
  parked: Array.from({ length: 5 }, () => works("same")),
};
/** The last of them is the moment. */
const HANGING: Partial<Record<Moment, readonly string[]>> = {
  "in the first call": ["a"],
  "in the last call": ["b"],
  "in a parallel group": ["look-2", "look-3"],
};

export interface Life {
  readonly legion: Legion;
  /** Resolves when the agent is at the moment; in the next life never. */
  readonly reached: Promise<unknown>;
}

export async function openLife(cell: Cell, which: "first" | "next", link?: Link): Promise<Life> {
  const { moment, project } = cell;
  let arrive = (): void => undefined;
  const arrived = new Promise<void>((resolve) => (arrive = resolve));
  const execute = async ({ step }: { readonly step: string }) => {
    appendFileSync(join(project, "effects.txt"), `${which} ${step}\n`);
    if (which === "first" && HANGING[moment]?.includes(step)) {
      if (step === HANGING[moment].at(-1)) arrive();
      await never;
    }
    return ok("done");
  };
  const parameters = { step: z.string() };
  const work = defineAction({ description: "Work", parameters, touches: [], execute });
  const look = defineAction({ description: "Look", parameters, touches: [], effects: "reads", execute });
  const deploy = defineAction({ description: "Deploy", parameters, execute });
  const actions = indexActions(
    [core, defineModule({ name: "shop", actions: { work, look, deploy } })],
    toolsProtocol,
  );
  const model = createScriptedModel((_, index) => {
    if (which === "next") return NOOP;
    if (moment !== "in the model call") return SCRIPTS[moment][index] ?? NOOP;
    arrive();
    return never;
  });
  const legion = await startLegion({
    project,
    plans: [
      {
        identity: { id: "1", name: "Agent 1", description: "", brief: "" },
        model,
        protocol: toolsProtocol,
        actions,
        limits: {},
        policy: [],
        memory: { strategy: "legion", threshold: 0.75, pin: "newest" },
        errors: "keep",
        tickMs: 0,
      },
    ],
    limits: {},
    delayMs: 0,
    durability: "disk",
    heartbeatMs: "off",
    environment: createLocalEnvironment({}),
    settings: () => ({}),
    backend: backendOf(cell, link),
    watch: (seen) => {
      if (seen.kind === "question" && !seen.ended && moment === "at a question") arrive();
    },
  });
  if (which === "next") return { legion, reached: never };
  if (moment === "idle") return { legion, reached: Promise.resolve() };
  if (moment === "before") await legion.agents.get("1")!.pause("by a test");
  await legion.control.say(["1"], "Go.");
  if (moment === "before") return { legion, reached: Promise.resolve() };
  if (moment === "parked") return { legion, reached: legion.untilIdle(new AbortController().signal) };
  return { legion, reached: arrived };
}

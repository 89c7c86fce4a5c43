// A process that hosts agents without anything to do, and says what that costs it.

import { UNBOUND } from "../unbound.ts";
import { readFileSync, readdirSync, readlinkSync } from "node:fs";
import { core } from "../../modules/core.ts";
import { createLocalEnvironment } from "../../src/environment/local.ts";
import type { AgentPlan } from "../../src/legion/hosting/agent-plan.ts";
import { startLegion } from "../../src/legion/legion.ts";
import { displayName } from "../../src/domain/message/message.ts";
import { createScriptedModel } from "../../src/model/scripted/scripted.ts";
import { indexActions } from "../../src/agent/parts/module-set.ts";
import { textProtocol } from "../../src/model/protocol/text.ts";

export interface IdleCost {
  /** Open files of the project. */
  readonly files: number;
  readonly timers: number;
  /** Reads of any kind in a thousand turns of the event loop. */
  readonly reads: number;
}

const TURNS = 1_000;

async function measure(project: string): Promise<IdleCost> {
  await turns();
  // A garbage collection that goes on piece by piece wakes the event loop at each turn.
  gc!();
  const readsPerLook = readCalls(readCalls());
  const before = readCalls();
  await turns();
  const reads = readCalls(before) - readsPerLook;
  return { files: openFiles(project), timers: activeTimers(), reads };
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** How many system calls have read something since there were `before`. */
function readCalls(before = 0): number {
  return Number(/^syscr: (\d+)$/m.exec(readFileSync("/proc/self/io", "utf8"))![1]) - before;
}

function openFiles(project: string): number {
  const paths = readdirSync("/proc/self/fd").map((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      return "";
    }
  });
  return paths.filter((path) => path.startsWith(project)).length;
}

function activeTimers(): number {
  return process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
}

function plan(id: string): AgentPlan {
  return {
    identity: { id, name: displayName(id), description: "", brief: "" },
    model: createScriptedModel(() => "noop"),
    protocol: textProtocol,
    actions: indexActions([core], textProtocol),
    limits: {},
    policy: UNBOUND,
    memory: { strategy: "legion", threshold: 0.75, pin: "newest" },
    errors: "forget",
    tickMs: 10,
  };
}

process.on("message", (project: string) => {
  void (async () => {
    const plans = Array.from({ length: 200 }, (_, n) => plan(String(n + 1)));
    const environment = createLocalEnvironment({});
    const options = { project, plans, environment, limits: {}, delayMs: 0, settings: () => ({}) };
    const legion = await startLegion({ ...options, durability: "process", heartbeatMs: "off" });
    const untouched = await measure(project);
    await legion.control.say("all", "Anything to do?");
    await legion.untilIdle(new AbortController().signal);
    process.send?.([untouched, await measure(project)]);
    await legion.stop();
    process.disconnect();
  })();
});

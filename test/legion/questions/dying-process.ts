// A process with an agent whose second call of three is asked about, and a person who says something else instead of an
// answer. It is killed as soon as a given event is in a log.

import { createLocalEnvironment } from "../../../src/environment/local.ts";
import { indexActions } from "../../../src/agent/parts/module-set.ts";
import type { Inspection } from "../../../src/domain/inspection.ts";
import { startLegion } from "../../../src/legion/legion.ts";
import { toolsProtocol } from "../../../src/model/protocol/tools.ts";
import { createScriptedModel } from "../../../src/model/scripted/scripted.ts";
import { yardIn } from "./yard.ts";

export interface Death {
  readonly project: string;
  /** The last event, as JSON holds it. */
  readonly after: string;
  /** In the log of this agent. */
  readonly of: string;
  /** The how many-th such event, from 1. */
  readonly nth: number;
}

const DECISION = {
  calls: [{ action: "look" }, { action: "deploy", parameters: { to: "prod" } }, { action: "look" }],
};

process.on("message", ({ project, after, of, nth }: Death) => {
  let seen = 0;
  const dieAfter = (inspection: Inspection): void => {
    if (inspection.kind !== "event" || inspection.agent !== of) return;
    if (JSON.stringify(inspection.event).includes(after) && ++seen === nth)
      process.kill(process.pid, "SIGKILL");
  };
  void (async () => {
    const plan = {
      identity: { id: "1", name: "Agent 1", description: "", brief: "" },
      model: createScriptedModel([DECISION]),
      protocol: toolsProtocol,
      actions: indexActions(yardIn(project), toolsProtocol),
      limits: {},
      policy: [],
      memory: { strategy: "legion", threshold: 0.75, pin: "newest" },
      errors: "keep",
      tickMs: 0,
    } as const;
    const environment = createLocalEnvironment({});
    const options = { project, plans: [plan], environment, limits: {}, delayMs: 0, settings: () => ({}) };
    const legion = await startLegion({ ...options, durability: "disk", heartbeatMs: "off", watch: dieAfter });
    legion.inspector.watch((inspection) => {
      if (inspection.kind === "live:state" && inspection.state === "asking")
        void legion.control.say(["1"], "Leave that.");
    });
    await legion.control.say(["1"], "Go.");
  })();
});

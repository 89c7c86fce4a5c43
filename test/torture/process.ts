// The process that is killed: a node with its carriers, or a `send` while no node runs.

import { UNBOUND } from "../unbound.ts";
import { appendFileSync } from "node:fs";
import { core } from "../../modules/core.ts";
import { goals } from "../../modules/goals.ts";
import { notes } from "../../modules/notes.ts";
import { createLocalEnvironment } from "../../src/environment/local.ts";
import type { AgentPlan } from "../../src/legion/hosting/agent-plan.ts";
import { startLegion, type Legion } from "../../src/legion/legion.ts";
import { createDisk } from "../../src/base/files/disk.ts";
import { displayName } from "../../src/domain/message/message.ts";
import type { Module } from "../../src/domain/authoring/module.ts";
import { indexActions } from "../../src/agent/parts/module-set.ts";
import { legionPaths } from "../../src/storage/folder/paths.ts";
import { toolsProtocol } from "../../src/model/protocol/tools.ts";
import { createFileBackend } from "../../src/storage/files/backend.ts";
import { withLegion } from "../../src/control/open.ts";
import { createService } from "../../src/control/service.ts";
import { serveOverSocket } from "../../src/control/socket/server.ts";
import { gateOf, QUESTIONS, tellOfQuestions } from "./answers.ts";
import { ASKING, createCarrier, createDuties, type Effect } from "./carrier.ts";
import { CARRIERS, type Fed, type Order, type Word } from "./order.ts";
import { GO_ON, write } from "./parcel.ts";
import { countingRests } from "./rests.ts";
import { FLUSH, FLUSHED_AT, reachOf, SCRIBE, scribePlan } from "./scribe.ts";
import { lightFuse } from "./sharp-disk.ts";

const LOOK_MS = 50;

function plan(id: string, duties: Module): AgentPlan {
  const { memories, modules } = reachOf(id);
  return {
    identity: { id, name: displayName(id), description: "", brief: "" },
    model: createCarrier(),
    protocol: toolsProtocol,
    actions: indexActions([core, goals, notes, ...modules, duties], toolsProtocol),
    memories,
    limits: {},
    policy: [...UNBOUND, ASKING],
    memory: { strategy: "legion", threshold: 0.75, pin: "newest" },
    errors: "keep",
    tickMs: 0,
  };
}

async function start({ project, effects, rests, sharp, asked, revoked }: Order): Promise<Legion> {
  const { disk, afterEffect } = lightFuse(createDisk(legionPaths(project).tmp), sharp);
  const leave = (effect: Effect): void => {
    appendFileSync(effects, `${JSON.stringify(effect)}\n`);
    afterEffect();
  };
  const duties = createDuties({ leave, pauseMs: () => Math.random() * 4 });
  return startLegion({
    project,
    plans: [...CARRIERS.map((id) => plan(id, duties)), scribePlan("all")],
    limits: {},
    durability: "disk",
    delayMs: 0,
    heartbeatMs: "off",
    closesIdle: true,
    backend: countingRests(createFileBackend(project), rests),
    environment: createLocalEnvironment({}),
    settings: () => ({}),
    disk,
    questions: QUESTIONS,
    gate: gateOf(revoked),
    watch: tellOfQuestions(asked),
  });
}

/** Whoever was parked because it died too often at its work goes on, as by a person's word. Was there anybody? */
async function resumeParked({ agents }: Legion): Promise<boolean> {
  const parked = [...agents.values()].filter(({ standing }) => standing.state === "parked");
  // One that is being stopped refuses.
  for (const supervised of parked) await supervised.resume().catch(() => undefined);
  return parked.length > 0;
}

type Say = (to: string, text: string, lane: Word["lane"]) => Promise<unknown>;

async function feed({ fed, parcels }: Order, say: Say): Promise<void> {
  for (const { number, ...parcel } of parcels) {
    const record = (line: Omit<Fed, "at">): void =>
      appendFileSync(fed, `${JSON.stringify({ ...line, at: Date.now() })}\n`);
    record({ ...parcel, said: false });
    if (number % FLUSHED_AT === 0) await say(SCRIBE, FLUSH, "normal");
    await say(parcel.route[0]!, write({ ...parcel, stop: 0, number, from: "0" }), parcel.lane);
    record({ ...parcel, said: true });
  }
}

async function host(order: Order): Promise<void> {
  const legion = await start(order);
  const service = createService({ legion, onStop: () => undefined });
  const server = await serveOverSocket(
    { service, inspector: legion.inspector },
    legionPaths(order.project).socket,
  );
  process.stdout.write("ready\n");
  const looking = setInterval(() => void resumeParked(legion), LOOK_MS);
  await feed(order, (to, text, lane) => legion.control.say([to], text, lane));
  if (order.until === "killed") return;
  if (order.until === "rest") await legion.control.say("all", GO_ON);
  if (order.until !== "said") {
    do await legion.untilIdle(new AbortController().signal);
    while (await resumeParked(legion));
  }
  clearInterval(looking);
  await legion.stop();
  await server.close();
}

async function send(order: Order): Promise<void> {
  const { project } = order;
  const options = { project, backend: createFileBackend(project), config: { durability: "disk" } } as const;
  // Where nobody works there is nothing to abort.
  const parcels = order.parcels.filter(({ lane }) => lane !== "abort");
  await feed({ ...order, parcels }, (to, content, delivery) =>
    withLegion(options, (legion) => legion.say({ targets: [to], content, delivery })),
  );
}

// Nobody kills it any more whose parent is gone.
process.stdin.resume().on("end", () => process.exit(1));
process.stdin.unref();
const order = JSON.parse(process.argv[2]!) as Order;
await (order.mode === "host" ? host(order) : send(order));

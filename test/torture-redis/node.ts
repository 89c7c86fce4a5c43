// The process that the nemesis is after: a node of the legion. It reads words on its standard input, and is gone with it.

import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { isLegionError } from "../../src/base/errors.ts";
import { awaited } from "../../src/agent/take-in.ts";
import { startLegion, type Legion } from "../../src/legion/legion.ts";
import { createRedisBackend } from "../../src/storage/redis/backend.ts";
import { parseRedisAddress } from "../../src/storage/redis/connection/address.ts";
import { openLink, type Link } from "../../src/storage/redis/connection/link.ts";
import { startAnswering } from "../torture/answers.ts";
import { sumOf } from "../torture/carrier.ts";
import { countingRests } from "../torture/rests.ts";
import { startSpeaking, type Speaker } from "./speaker.ts";
import { hostedFor, type Order, type Parcels, type Report, type Standing, type Word } from "./order.ts";
import { worldOf } from "./world.ts";

const COMMAND_TIMEOUT_MS = 1_000;
const RETRY_MS = 100;
const LOOK_MS = 100;

interface Running {
  readonly link: Link;
  readonly legion: Legion;
}

/** Tries until Redis lets it. */
async function insist<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isLegionError(error, "STORAGE")) throw error;
      await delay(RETRY_MS);
    }
  }
}

async function join(order: Order): Promise<Running> {
  const { project, url, legion: name, durability, leaseMs, agents, steps, work } = order;
  const link = await openLink(parseRedisAddress(url), { commandTimeoutMs: COMMAND_TIMEOUT_MS });
  const { plan, ...world } = worldOf(work);
  const backend = createRedisBackend({ link, legion: name, durability, leaseMs });
  try {
    const legion = await startLegion({
      project,
      plans: hostedFor(work, agents).map(plan),
      limits: { steps },
      durability: "disk",
      delayMs: 0,
      heartbeatMs: "off",
      settings: () => ({}),
      closesIdle: true,
      backend: work.kind === "parcels" ? countingRests(backend, work.rests) : backend,
      ...world,
    });
    return { link, legion };
  } catch (error) {
    await link.close();
    throw error;
  }
}

/** Whoever was parked because it died too often at its work goes on, as by a person's word. */
function resumeParked({ agents }: Legion): void {
  for (const supervised of agents.values())
    if (supervised.standing.state === "parked") supervised.resume().catch(() => undefined);
}

function standingOf({ agents }: Legion, speaker?: Speaker): Standing {
  return {
    isSilent: speaker?.isSilent ?? true,
    agents: [...agents].map(([id, { agent, standing }]) => ({
      id,
      state: standing.state,
      unread: agent ? awaited(agent) : 0,
      undelivered: agent?.outbox.undelivered().length ?? 0,
    })),
  };
}

function tell(report: Report): void {
  process.stdout.write(`${JSON.stringify(report)}\n`);
}

/** A person at this node: hands out parcels, and answers what is asked, here or at another node. */
function startPerson({ agents, node, nodes }: Order, work: Parcels, { control }: Legion): Speaker {
  const speaker = startSpeaking(work, agents, control);
  const isMine = (question: string, nth: number): boolean => (sumOf(question) + nth) % nodes === node;
  const answering = startAnswering({ places: work, temper: "any", say: control.answer, isMine });
  return {
    get isSilent() {
      return speaker.isSilent;
    },
    close() {
      speaker.close();
      answering.calm();
    },
  };
}

async function run(order: Order, words: AsyncIterator<string>): Promise<void> {
  const { link, legion } = await insist(() => join(order));
  tell({ kind: "ready" });
  const speaker = order.work.kind === "parcels" ? startPerson(order, order.work, legion) : undefined;
  // Without any mail nobody ever decides.
  if (!speaker) await insist(() => legion.control.say("all", "Begin."));
  let isCalm = false;
  const looking = setInterval(() => {
    if (speaker) resumeParked(legion);
    if (isCalm) tell({ kind: "standing", ...standingOf(legion, speaker) });
  }, LOOK_MS);
  for (let word = await next(words); word !== "stop"; word = await next(words)) {
    isCalm = true;
    speaker?.close();
  }
  clearInterval(looking);
  speaker?.close();
  await legion.stop().catch(unlessAway);
  await link.close();
}

/** A node that leaves while Redis is away leaves its agents as one that was killed does. */
function unlessAway(error: unknown): void {
  if (!isLegionError(error, "STORAGE")) throw error;
}

/** Nobody stops it any more whose parent is gone. */
async function next(words: AsyncIterator<string>): Promise<Word> {
  const { value, done } = await words.next();
  return done ? process.exit(1) : (value as Word);
}

const lines = createInterface(process.stdin);
lines.once("close", () => process.exit(1));
await run(JSON.parse(process.argv[2]!) as Order, lines[Symbol.asyncIterator]());
process.exit(0);

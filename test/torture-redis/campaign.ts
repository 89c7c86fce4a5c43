// A torture test from its seed to its figures.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseRedisAddress } from "../../src/storage/redis/connection/address.ts";
import { openLink } from "../../src/storage/redis/connection/link.ts";
import { createRedisMemories } from "../../src/storage/redis/memories/memories.ts";
import { questionPlaces } from "../torture/answers.ts";
import type { Change } from "../torture/program.ts";
import { CLOSED_AT_ONCE } from "../torture/rests.ts";
import { keepForScribe } from "../torture/scribe.ts";
import { seeded } from "../torture/seeded.ts";
import { check, type Verdict } from "./checker.ts";
import { gather } from "./evidence.ts";
import type { Violation } from "./fault.ts";
import { haunt, type Counts, type Weights } from "./nemesis.ts";
import { hostedFor, type Files, type Order } from "./order.ts";
import { comeToRest } from "./rest.ts";
import { losingTail } from "./tail.ts";
import { AGENTS, LEGION, openStage, type Stage } from "./stage.ts";

export interface TortureOptions {
  readonly seed: number;
  readonly forMs: number;
  readonly leaseMs: number;
  readonly weights: Weights;
  /** Between two troubles. */
  readonly everyMs: number;
  /** Between two parcels of each node. */
  readonly parcelMs: number;
  /** `weak`: whenever Redis is killed, it loses the end of what it acknowledged. */
  readonly durability: Order["durability"];
  /** How long it may take to come to rest at the end. */
  readonly settleMs: number;
  /** None for the runtime as it is. */
  readonly changes?: readonly Change[];
  /** `failed`: what was found is kept then, for whoever looks for the reason. */
  readonly keep: "failed" | "nothing";
}

export interface Torture extends Verdict {
  readonly seed: number;
  readonly counts: Counts;
  /** Where the evidence is, if it was kept. */
  readonly folder: string | undefined;
}

/** Never reached, and counted all the same. */
const STEPS = 1_000_000;
/**
 * What is as long as it is because a lease is ten seconds is shorter in proportion: else most of the time would go by with
 * nobody at work.
 */
const SHORTER: readonly Change[] = [
  {
    file: "src/storage/redis/cluster/slot.ts",
    line: "const LONGEST_PAUSE_MS = 30_000;",
    instead: "const LONGEST_PAUSE_MS = 1_800;",
  },
  {
    file: "src/storage/redis/cluster/slot.ts",
    line: "const HEALTHY_MS = 30_000;",
    instead: "const HEALTHY_MS = 1_800;",
  },
  {
    file: "src/legion/legion.ts",
    line: "const LOOK_MS = 2_000;",
    instead: "const LOOK_MS = 200;",
  },
];
/** Also carriers: nothing is replayed here, the rights are only looked at. */
const CLOSED: readonly Change[] = [
  ...CLOSED_AT_ONCE,
  {
    file: "src/legion/hosting/rest/rests.ts",
    line: "return !observe && !director && !startup && !replay;",
    instead: "return !observe && !director && !startup;",
  },
];

export async function torture(options: TortureOptions): Promise<Torture> {
  const { seed, leaseMs, parcelMs, durability, changes = [], keep } = options;
  const crashes: Violation[] = [];
  const stage = await openStage({
    leaseMs,
    steps: STEPS,
    durability,
    changes: [...SHORTER, ...CLOSED, ...changes],
    workFor: (life, folder) => ({
      kind: "parcels",
      ...filesIn(folder),
      name: `n${life}`,
      seed: seed + life,
      everyMs: parcelMs,
    }),
    onCrash: (text) => crashes.push({ fault: "crashed", text }),
  });
  let isKept = false;
  try {
    const { violations, ...rest } = await wage(options, stage);
    const all = [...crashes, ...violations];
    isKept = keep === "failed" && all.length > 0;
    return { ...rest, violations: all, seed, folder: isKept ? stage.folder : undefined };
  } finally {
    await stage.close(isKept ? "keep" : "remove");
  }
}

async function wage(
  { seed, forMs, leaseMs, weights, everyMs, durability, settleMs }: TortureOptions,
  { folder, server, members }: Stage,
): Promise<Verdict & Pick<Torture, "counts">> {
  const random = seeded(seed);
  const victim = durability === "weak" ? losingTail(server, seeded(seed)) : server;
  await keepInRedis(server.port);
  const counts = await haunt({ members, server: victim, leaseMs, weights, everyMs, random }, forMs);
  await Promise.all(members.map((member) => member.ready()));
  for (const member of members) member.calm();
  const place = { port: server.port, legion: LEGION, agents: hostedFor({ kind: "parcels" }, AGENTS) };
  const unrest = await comeToRest({ members, ...place }, settleMs);
  await Promise.all(members.map((member) => member.stop()));
  const evidence = await gather({ ...place, files: filesIn(folder) });
  // For whoever looks for the reason: Redis takes what it has along.
  const logs = [...evidence.agents].map(([id, { log }]) => [id, log.records] as const);
  writeFileSync(join(folder, "logs.json"), JSON.stringify(Object.fromEntries(logs), null, 1));
  const { violations, figures } = check(evidence, { steps: STEPS, durability });
  const unsettled: readonly Violation[] = unrest ? [{ fault: "unsettled", text: unrest }] : [];
  return { violations: [...unsettled, ...violations], figures, counts };
}

async function keepInRedis(port: number): Promise<void> {
  const link = await openLink(parseRedisAddress(`redis://127.0.0.1:${port}`));
  const memories = createRedisMemories({ link, legion: LEGION });
  await keepForScribe({ memories, close: memories.close });
  await link.close();
}

function filesIn(folder: string): Files {
  return {
    effects: join(folder, "effects"),
    fed: join(folder, "fed"),
    acknowledged: join(folder, "acknowledged"),
    rests: join(folder, "rests"),
    ...questionPlaces(folder),
  };
}

// Which agents a legion in Redis has, what is known of each, and which of them run.

import type { Clock } from "../../base/clock.ts";
import type { AgentId } from "../../domain/message/message.ts";
import { createBranch } from "../../past/fold.ts";
import { eventsOf } from "../contract/seed.ts";
import { agentKeys } from "./scripts/keys.ts";
import type { LegionPlace } from "./scripts/scope.ts";
import { createRegistry, enlist, type Registry } from "./cluster/directory.ts";
import { prepareNewcomer } from "./newcomer/newcomer.ts";
import { createRedisBlobs } from "./log/entry.ts";
import { createRedisReader } from "./reader/reader.ts";
import type { Store } from "../contract/store.ts";

export interface RedisRecordsOptions extends LegionPlace {
  readonly clock: Clock;
  /** A `node` hears of agents that others start. */
  readonly role: "node" | "command";
}

/** How old the answer may be to who runs elsewhere: agents ask that often, and many do. */
const REMEMBERED_MS = 2_000;

export async function openRedisRecords(options: RedisRecordsOptions) {
  const { link, legion, clock, role } = options;
  const placeOf = (agent: AgentId) => ({ link, legion, agent });
  const registry = createRegistry(link, legion);
  await registry.refresh();
  const known = (): readonly AgentId[] => [...registry.agents.keys()];
  let asked: { readonly atMs: number; readonly answer: Promise<ReadonlySet<AgentId>> } | undefined;
  const runElsewhere = (): Promise<ReadonlySet<AgentId>> => {
    const now = clock.now();
    if (asked && asked.atMs <= now && now - asked.atMs <= REMEMBERED_MS) return asked.answer;
    const answer = registry.refresh().then(() => leased(options, known()));
    answer.catch(() => (asked = undefined));
    asked = { atMs: now, answer };
    return answer;
  };
  const stopWatching = role === "node" ? keepFresh(registry, clock) : undefined;
  return {
    registry,
    offers: {
      known,
      runElsewhere,
      async isTaken(agent) {
        await registry.refresh();
        return registry.agents.has(agent);
      },
      record: (agent) => Promise.resolve(registry.agents.get(agent)),
      enroll: (agent, record) => enlist(placeOf(agent), record),
      async found(agent, past, record = "{}") {
        const place = placeOf(agent);
        const founding = { epoch: 1, now: clock.now, kept: createRedisBlobs(place) };
        const newcomer = await prepareNewcomer(place, { events: eventsOf(past, founding) });
        await newcomer.arrive();
        const { branch } = await createRedisReader(options).follow(agent, createBranch);
        await enlist(place, record);
        await registry.refresh();
        return branch;
      },
    } satisfies Partial<Store>,
    close: async () => stopWatching?.(),
  };
}

const FRESH_MS = 1_000;

/** Hears of agents that other nodes start, until the end: what it returns ends it. */
function keepFresh(registry: Registry, clock: Clock): () => Promise<void> {
  const ending = new AbortController();
  const watch = async (): Promise<void> => {
    while (!ending.signal.aborted) {
      await clock.sleep(FRESH_MS, ending.signal);
      // While Redis is away, nothing new is to be heard.
      await registry.refresh().catch(() => undefined);
    }
  };
  const watching = watch();
  return async () => {
    ending.abort();
    await watching;
  };
}

/** Those of `agents` that some process runs. */
async function leased(
  { link, legion }: LegionPlace,
  agents: readonly AgentId[],
): Promise<ReadonlySet<AgentId>> {
  const found = await Promise.all(agents.map((id) => link.command("EXISTS", agentKeys(legion, id).lease)));
  return new Set(agents.filter((_, index) => found[index] === 1));
}

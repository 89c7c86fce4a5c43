import { readRedisMail } from "../mail/mailbox.ts";
import { createRedisBlobs } from "../log/blobs.ts";
import { readRedisLog } from "../log/log.ts";
import { readLastStart } from "../../contract/last-start.ts";
import { CONTROL, type AgentId } from "../../../domain/message.ts";
import { createBranch } from "../../../past/fold.ts";
import { agentKeys, legionKeys } from "../scripts/keys.ts";
import type { Link } from "../connection/link.ts";
import { readRegistry } from "../cluster/directory.ts";
import { byId, createFolds, readOnly, toRecord, type Reader } from "../../contract/reader.ts";

export interface RedisReaderOptions {
  /** Not closed with anything here. */
  readonly link: Link;
  /** The legion's name. */
  readonly legion: string;
}

/** Agents are those that some start has registered; readable copies of their state on some disk do not count. */
export function createRedisReader({ link, legion }: RedisReaderOptions): Reader {
  const placeOf = (agent: AgentId) => ({ link, legion, agent });
  const events: Reader["events"] = (agent, from) => readRedisLog(placeOf(agent), from);
  const unread: Reader["unread"] = (agent, { taken }) => readRedisMail(placeOf(agent), taken);
  const folds = createFolds({ events, unread });
  return {
    ...folds,
    events,
    unread,
    known: async () => [...(await readRegistry(link, legion)).keys()].sort(byId),
    last: async (agent) => Number((await link.command("HGET", agentKeys(legion, agent).meta, "seq")) ?? 0),
    state: async (agent) => (await folds.follow(agent, createBranch)).branch.state,
    // Who may write to a Redis is the business of its address: nothing in it is signed.
    isForeign: () => Promise.resolve(false),
    async record(agent) {
      const json = (await link.command("HGET", legionKeys(legion).agents, agent)) as string | null;
      return toRecord(json ?? "");
    },
    async lastStart() {
      const json = await link.command("HGET", agentKeys(legion, CONTROL).meta, "started");
      return readLastStart(typeof json === "string" ? json : "");
    },
    blobs: (agent) => readOnly(createRedisBlobs(placeOf(agent))),
  };
}

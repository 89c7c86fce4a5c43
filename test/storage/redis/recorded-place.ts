// A legion in Redis whose past a test writes, by the parts that a node records it with.

import { createRedisBus } from "../../../src/storage/redis/mail/bus.ts";
import type { MessageEvent } from "../../../src/domain/event/event.ts";
import type { EventLog } from "../../../src/past/log/event-log.ts";
import { createRedisBlobs } from "../../../src/storage/redis/log/entry.ts";
import { openRedisLog } from "../../../src/storage/redis/log/log.ts";
import { CONTROL, type AgentId } from "../../../src/domain/message/message.ts";
import { createRedisReader } from "../../../src/storage/redis/reader/reader.ts";
import { agentKeys } from "../../../src/storage/redis/scripts/keys.ts";
import { entryId } from "../../../src/storage/redis/scripts/pages.ts";
import { enlist } from "../../../src/storage/redis/cluster/directory.ts";
import { createPersonLog } from "../../../src/storage/redis/person/log.ts";
import type { RecordedPlace } from "../contract/reader-contract.ts";
import { join, taken } from "./members.ts";

export interface RedisPlace extends RecordedPlace {
  /** Deletes everything of an agent. */
  forget(agent: AgentId): Promise<void>;
}

export async function createRedisPlace(
  url: string,
  legion: string,
  now: () => number = () => 0,
): Promise<RedisPlace> {
  const { link, leases } = await join(url, legion);
  const logs = new Map<AgentId, EventLog>();
  const logOf = async (agent: AgentId): Promise<EventLog> => {
    const open = async () =>
      openRedisLog({ link, legion, agent, tenure: await taken(leases, agent), now }, () => undefined);
    const log = logs.get(agent) ?? (await open());
    logs.set(agent, log);
    return log;
  };
  /** A log takes in only what waits there. */
  const putInMailbox = async (agent: AgentId, { mail, from, message }: MessageEvent): Promise<void> => {
    const { mailbox } = agentKeys(legion, agent);
    const id = entryId(mail);
    const there = (await link.command("XRANGE", mailbox, id, id)) as readonly unknown[];
    if (there.length > 0) return;
    await link.command("XADD", mailbox, id, "f", from, "m", JSON.stringify(message));
  };
  const control = createPersonLog({ link, legion }, now);
  const bus = createRedisBus({ link, legion, tenureOf: leases.held });
  return {
    reader: createRedisReader({ link, legion }),
    enlist: (agent, record) => enlist({ link, legion, agent }, JSON.stringify(record)),
    async append(agent, events) {
      if (agent === CONTROL) return void (await control.add(events));
      for (const event of events) if (event.kind === "message") await putInMailbox(agent, event);
      await (await logOf(agent)).append(events);
    },
    keep: async (agent, text) => void (await createRedisBlobs({ link, legion, agent }).keep(text)),
    deliver: async (delivery) => void (await bus.send(delivery)),
    gather: control.takeIn,
    async forget(agent) {
      const { log, meta, token, lease } = agentKeys(legion, agent);
      await link.command("DEL", log, meta, token, lease);
    },
    async snapshot() {
      const found = await link.commandAll("KEYS", `lg:{${legion}*`);
      const keys = found.flatMap(({ reply }) => reply as string[]);
      const dumps = keys.sort().map(async (key) => [key, await link.command("DUMP", key)]);
      return Promise.all(dumps);
    },
  };
}

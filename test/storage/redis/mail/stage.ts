import { onTestFinished } from "vitest";
import type { Inbox, Mail } from "../../../../src/mail/bus.ts";
import { createRedisBus, type RedisBus } from "../../../../src/storage/redis/mail/bus.ts";
import type { EventLog } from "../../../../src/past/log/event-log.ts";
import { openRedisLog } from "../../../../src/storage/redis/log/log.ts";
import type { AgentId } from "../../../../src/domain/message/message.ts";
import { parseRedisAddress } from "../../../../src/storage/redis/connection/address.ts";
import { agentKeys } from "../../../../src/storage/redis/scripts/keys.ts";
import { openLink, type Link } from "../../../../src/storage/redis/connection/link.ts";
import type { Tenure } from "../../../../src/domain/lease.ts";
import { grant, newLegion } from "../places.ts";
import type { BusStage } from "../../../mail/letter.ts";

export interface RedisStage extends BusStage {
  readonly bus: RedisBus;
  readonly link: Link;
  readonly legion: string;
  readonly tenures: ReadonlyMap<AgentId, Tenure>;
  restart(how: "closed" | "killed"): Promise<RedisStage>;
}

const AGENTS = ["a", "b", "c", "d"];

/** A process with a link of its own that may run all agents of a legion. */
export async function createRedisStage(url: string, legion = newLegion()): Promise<RedisStage> {
  const link = await openLink(parseRedisAddress(url));
  onTestFinished(() => link.close());
  const tenures = new Map<AgentId, Tenure>();
  for (const agent of AGENTS) {
    await link.command("HSET", agentKeys(legion, agent).meta, "known", 1);
    tenures.set(agent, await grant({ link, legion, agent }));
  }
  const bus = createRedisBus({ link, legion, tenureOf: (agent) => tenures.get(agent) });
  const logs = new Map<AgentId, EventLog>();
  const logOf = async (agent: AgentId): Promise<EventLog> => {
    const tenure = tenures.get(agent)!;
    const log =
      logs.get(agent) ?? (await openRedisLog({ link, legion, agent, tenure, now: () => 0 }, () => undefined));
    logs.set(agent, log);
    return log;
  };
  return {
    bus,
    link,
    legion,
    tenures,
    async takeIn(agent: AgentId, inbox: Inbox, mail: readonly Mail[], as) {
      const held = as === "held" || undefined;
      const log = await logOf(agent);
      await log.append(
        mail.map(({ position, from, message }) => ({ kind: "message", message, mail: position, from, held })),
      );
      if (mail.length > 0) inbox.taken(mail.at(-1)!.position);
    },
    async restart(how) {
      if (how === "closed") await bus.close();
      await link.close();
      return createRedisStage(url, legion);
    },
  };
}

// What a legion in Redis says; also while nodes run it.

import { CONTROL, type AgentId } from "../../../domain/message.ts";
import { createEventSource } from "../../contract/event-source.ts";
import { readLastStart } from "../../contract/last-start.ts";
import { createReader, type Reader, type ReadPlace } from "../../contract/reader.ts";
import type { Activity, CopyOptions, Source } from "../../contract/source.ts";
import { readRegistry, withoutWorkspace } from "../cluster/directory.ts";
import { readNodes } from "../cluster/members.ts";
import { createRedisBlobs } from "../log/blobs.ts";
import { readRedisEvents, readRedisLog } from "../log/log.ts";
import { readRedisMail } from "../mail/mailbox.ts";
import { agentKeys, legionKeys } from "../scripts/keys.ts";
import type { LegionPlace } from "../scripts/scope.ts";

/** Agents are those that some start has registered; readable copies of their state on some disk do not count. */
export function createRedisReader(place: LegionPlace): Reader {
  return createReader(readIn(place));
}

/** What agents are copied out with. */
export function createRedisSource(place: LegionPlace, options: CopyOptions): Source {
  const pages = (agent: AgentId) => readRedisEvents({ ...place, agent });
  const activity = (agents: readonly AgentId[]) => activityOf(place, agents);
  return createEventSource({ ...readIn(place), shown: place.link.shown, pages, activity }, options);
}

function readIn({ link, legion }: LegionPlace): ReadPlace {
  const placeOf = (agent: AgentId) => ({ link, legion, agent });
  return {
    known: async () => [...(await readRegistry(link, legion)).keys()],
    events: (agent, from) => readRedisLog(placeOf(agent), from),
    last: async (agent) => Number((await link.command("HGET", agentKeys(legion, agent).meta, "seq")) ?? 0),
    unread: (agent, { taken }) => readRedisMail(placeOf(agent), taken),
    async recordText(agent) {
      const record = await link.command("HGET", legionKeys(legion).agents, agent);
      return typeof record === "string" ? withoutWorkspace(record) : undefined;
    },
    async lastStart() {
      const json = await link.command("HGET", agentKeys(legion, CONTROL).meta, "started");
      return readLastStart(typeof json === "string" ? json : "");
    },
    blobs: (agent) => createRedisBlobs(placeOf(agent)),
  };
}

/** Agents are written to under a lease or by the scripts of a mailbox; to Control's log, any node may add at any time. */
async function activityOf(place: LegionPlace, agents: readonly AgentId[]): Promise<Activity> {
  const { link, legion } = place;
  const marks = await Promise.all(
    agents.map(async (agent) => {
      const { lease, epoch, meta } = agentKeys(legion, agent);
      const [isLeased, ...rest] = await Promise.all([
        link.command("EXISTS", lease),
        link.command("GET", epoch),
        link.command("HMGET", meta, "seq", "mail"),
      ]);
      return { isLeased: isLeased === 1, rest };
    }),
  );
  const hasNodes = agents.includes(CONTROL) && (await readNodes(place)).length > 0;
  const isHeld = hasNodes || marks.some(({ isLeased }) => isLeased);
  return { isHeld, mark: JSON.stringify(marks.map(({ rest }) => rest)) };
}

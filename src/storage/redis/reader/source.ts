// Agents of a legion in Redis that are copied out of it; also while nodes run them.

import { CONTROL, type AgentId } from "../../../domain/message.ts";
import { createEventSource } from "../../contract/event-source.ts";
import type { Activity, CopyOptions, Source } from "../../contract/source.ts";
import { withoutWorkspace } from "../cluster/directory.ts";
import { readNodes } from "../cluster/members.ts";
import { createRedisBlobs } from "../log/blobs.ts";
import { readRedisEvents } from "../log/log.ts";
import { readRedisMail } from "../mail/mailbox.ts";
import { agentKeys, legionKeys } from "../scripts/keys.ts";
import type { LegionPlace } from "../scripts/scope.ts";

export function createRedisSource(place: LegionPlace, options: CopyOptions): Source {
  const { link, legion } = place;
  const placeOf = (agent: AgentId) => ({ ...place, agent });
  return createEventSource(
    {
      shown: link.shown,
      last: async (agent) => Number((await link.command("HGET", agentKeys(legion, agent).meta, "seq")) ?? 0),
      pages: (agent) => readRedisEvents(placeOf(agent)),
      mail: (agent) => readRedisMail(placeOf(agent), 0),
      blobs: (agent) => createRedisBlobs(placeOf(agent)),
      async record(agent) {
        const record = (await link.command("HGET", legionKeys(legion).agents, agent)) as string | null;
        return record === null ? undefined : withoutWorkspace(record);
      },
      activity: (agents) => activityOf(place, agents),
    },
    options,
  );
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

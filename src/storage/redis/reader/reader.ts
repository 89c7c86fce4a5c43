// What a legion in Redis says; also while nodes run it.

import { setTimeout as delay } from "node:timers/promises";
import { isLegionError } from "../../../base/errors.ts";
import { linkSignals } from "../../../base/process/signals.ts";
import type { Event } from "../../../domain/event/event.ts";
import { CONTROL, type AgentId } from "../../../domain/message/message.ts";
import type { Following, Patience } from "../../contract/backend.ts";
import type { Digested } from "../../contract/digests/digests.ts";
import { createEventSource } from "../../contract/event-source.ts";
import { readLastStart } from "../../contract/last-start.ts";
import { createReader, type Reader, type ReadPlace } from "../../contract/reader.ts";
import type { Activity, CopyOptions, Source } from "../../contract/source.ts";
import { createRegistry, withoutWorkspace } from "../cluster/directory.ts";
import { readNodes } from "../cluster/members.ts";
import type { Link } from "../connection/link.ts";
import { createDigestedRedisLog } from "./digested-log.ts";
import { createRedisStandings } from "./standings.ts";
import { createRedisBlobs } from "../log/entry.ts";
import { readRedisEvents, readRedisLog } from "../log/log.ts";
import { readRedisMail } from "../mail/mailbox.ts";
import { agentKeys } from "../scripts/keys.ts";
import { digestFile, type DigestFolder } from "../../folder/cache/digest-file.ts";
import type { LegionPlace } from "../scripts/scope.ts";

/**
 * Agents are those that some start has registered; readable copies of their state on some disk do not count.
 *
 * @param digests where digests are kept on this machine; absent: nowhere
 */
export function createRedisReader(place: LegionPlace, digests?: DigestFolder): Reader {
  const digested = (agent: AgentId): Promise<Digested> =>
    Promise.resolve({
      log: createDigestedRedisLog({ ...place, agent }),
      place: digests && digestFile(digests, agent),
      standings: createRedisStandings({ ...place, agent }),
    });
  return createReader({ ...readIn(place), digested });
}

/** What agents are copied out with. */
export function createRedisSource(place: LegionPlace, options: CopyOptions): Source {
  const pages = (agent: AgentId) => readRedisEvents({ ...place, agent });
  const activity = (agents: readonly AgentId[]) => activityOf(place, agents);
  return createEventSource({ ...readIn(place), shown: place.link.shown, pages, activity }, options);
}

function readIn({ link, legion }: LegionPlace): ReadPlace {
  const placeOf = (agent: AgentId) => ({ link, legion, agent });
  const registry = createRegistry(link, legion);
  const agents = async () => {
    await registry.refresh();
    return registry.agents;
  };
  return {
    known: async () => [...(await agents()).keys()],
    events: (agent, from) => readRedisLog(placeOf(agent), from),
    last: async (agent) => Number((await link.command("HGET", agentKeys(legion, agent).meta, "seq")) ?? 0),
    unread: (agent, { taken }) => readRedisMail(placeOf(agent), taken),
    async recordText(agent) {
      const record = (await agents()).get(agent);
      return record === undefined ? undefined : withoutWorkspace(record);
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

const POLL_MS = 250;
/** A word on a channel may be lost. */
const LOOK_MS = 2_000;

/** What `read` gives, as often as it takes to come to an end of it: whenever Redis goes away, it is waited for. */
export async function* readThrough<T>(
  link: Pick<Link, "standing" | "shown">,
  read: () => AsyncIterable<T>,
  { signal, onAway }: Patience,
): AsyncGenerator<T, undefined> {
  let hasTold = false;
  while (!signal.aborted) {
    try {
      yield* read();
      return undefined;
    } catch (error) {
      if (!isLegionError(error, "STORAGE")) throw error;
      const { standing, shown } = link;
      const reason = standing.state === "down" ? standing.reason : `${shown} does not answer`;
      if (!hasTold) onAway(`${reason}; waiting until Redis answers`);
      hasTold = true;
    }
    await delay(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
  return undefined;
}

export async function* followInRedis(
  { link, legion, reader }: LegionPlace & { readonly reader: Reader },
  agent: AgentId,
  { from, lookMs = LOOK_MS, ...patience }: Following,
): AsyncGenerator<Event, undefined> {
  const bell = createBell(link, agentKeys(legion, agent).grown);
  let next = from;
  let seen = 0;
  let beginning = "";
  const round = async function* (): AsyncGenerator<Event> {
    await bell.listen();
    const last = await reader.last(agent);
    const before = beginning;
    if (last < seen || before === "") beginning = await beginningOf(reader, agent);
    // Redis lost the end of the log, or the log was deleted and began again.
    if (last < seen) next = beginning === before ? Math.min(next, last + 1) : 1;
    seen = last;
    if (last < next) return;
    for await (const event of reader.events(agent, next)) {
      next = event.seq + 1;
      yield event;
    }
  };
  try {
    while (!patience.signal.aborted) {
      yield* readThrough(link, round, patience);
      await bell.rung(lookMs, patience.signal);
    }
    return undefined;
  } finally {
    bell.close();
  }
}

/** Rings whenever something is said on `channel`. */
function createBell(link: Link, channel: string) {
  let leave: (() => void) | undefined;
  let rings = new AbortController();
  return {
    /** Rejects with STORAGE if Redis does not answer; then it has to be called again. */
    async listen(): Promise<void> {
      leave ??= await link.listen(channel, () => rings.abort());
    },
    /** Resolves when it has rung since the last call, or after `patienceMs`, or when `end` aborts. */
    async rung(patienceMs: number, end: AbortSignal): Promise<void> {
      const { signal, unlink } = linkSignals(rings.signal, end);
      await delay(patienceMs, undefined, { signal }).catch(() => undefined);
      unlink();
      rings = new AbortController();
    },
    close: () => leave?.(),
  };
}

/** Tells a log from another one in its place. */
async function beginningOf(reader: Reader, agent: AgentId): Promise<string> {
  for await (const event of reader.events(agent)) return JSON.stringify(event);
  return "";
}

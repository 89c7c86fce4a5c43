// An agent's events as they come, across the end of a node and the next start: from the disk, and then from the node that
// runs; from Redis by listening whether the log has grown, also when Redis was away.

import { stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { isLegionError } from "../../base/errors.ts";
import type { Event } from "../../domain/event.ts";
import type { AgentId } from "../../domain/message.ts";
import { agentKeys } from "../../storage/redis/scripts/keys.ts";
import type { Link } from "../../storage/redis/connection/link.ts";
import type { FileReader } from "../../storage/files/reader.ts";
import type { Reader } from "../../storage/contract/reader.ts";
import { findNode } from "../../control/socket/client.ts";
import { linkSignals } from "../../base/signals.ts";
import type { Io } from "./command.ts";
import { oneLine } from "./output.ts";
import type { RedisSite, Site } from "./target.ts";

const POLL_MS = 250;
/** A word on a channel may be lost. */
const LOOK_MS = 2_000;

export interface Following extends Patience {
  readonly from: number;
  /** How often is looked, in Redis, whether anything was not heard of. */
  readonly lookMs?: number;
}

interface Patience {
  readonly signal: AbortSignal;
  /** On its standard error stands, once each time, why nothing comes for a while. */
  readonly io: Pick<Io, "stderr">;
}

/** Every event from number `from` on, each once, in order. Ends when `signal` aborts. */
export function followEvents(
  site: Site,
  agent: AgentId,
  following: Following,
): AsyncGenerator<Event, undefined> {
  return site.kind === "files"
    ? followFiles(site.reader, agent, following)
    : followStored(site, agent, following);
}

/**
 * What `read` gives, as often as it takes to come to an end of it: whenever Redis goes away, it is waited for, and `read`
 * is called again. From the disk it is read once.
 */
export async function* readThrough<T>(
  site: Site,
  read: () => AsyncIterable<T>,
  { signal, io }: Patience,
): AsyncGenerator<T, undefined> {
  let hasTold = false;
  while (!signal.aborted) {
    try {
      yield* read();
      return undefined;
    } catch (error) {
      if (site.kind === "files" || !isLegionError(error, "STORAGE")) throw error;
      const { standing, shown } = site.link;
      const reason = standing.state === "down" ? standing.reason : `${shown} does not answer`;
      if (!hasTold) io.stderr.write(`legion: ${oneLine(reason)}; waiting until Redis answers\n`);
      hasTold = true;
    }
    await pause(signal);
  }
  return undefined;
}

async function* followFiles(
  reader: FileReader,
  agent: AgentId,
  { from, signal }: Following,
): AsyncGenerator<Event, undefined> {
  let next = from;
  let seenSize = "";
  const stored = async function* (): AsyncGenerator<Event> {
    for await (const event of reader.events(agent, next)) {
      next = event.seq + 1;
      yield event;
    }
  };
  while (!signal.aborted) {
    // Asked to tell before the disk is read, the node leaves no gap between the two.
    const told = await listen(reader, agent, signal);
    const size = await sizeOf(reader, agent);
    if (size !== seenSize) yield* stored();
    seenSize = size;
    for await (const inspection of told) {
      if (inspection.kind !== "event") continue;
      const { event } = inspection;
      if (event.seq === 1) next = 1; // The log was deleted and began again.
      if (event.seq > next) yield* stored();
      if (event.seq < next) continue;
      next = event.seq + 1;
      yield event;
    }
    await pause(signal);
  }
  return undefined;
}

async function* followStored(
  site: RedisSite,
  agent: AgentId,
  { from, lookMs = LOOK_MS, ...patience }: Following,
): AsyncGenerator<Event, undefined> {
  const { reader, link, legion } = site;
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
      yield* readThrough(site, round, patience);
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

async function pause(signal: AbortSignal): Promise<void> {
  await delay(POLL_MS, undefined, { signal }).catch(() => undefined);
}

/** What the running node tells; nothing while there is none, or it is about to end. */
async function listen(reader: FileReader, agent: AgentId, signal: AbortSignal) {
  try {
    const node = await findNode(reader.paths.socket);
    return (await node?.follow(agent, signal)) ?? [];
  } catch {
    return [];
  }
}

/** Changes whenever the log grows, without reading it. */
async function sizeOf({ paths, disk }: FileReader, agent: AgentId): Promise<string> {
  const folder = join(paths.agent(agent), "log");
  const newest = (await disk.list(folder)).at(-1) ?? "";
  const bytes = await stat(join(folder, newest)).then(
    ({ size }) => size,
    () => 0,
  );
  return `${newest}:${bytes}`;
}

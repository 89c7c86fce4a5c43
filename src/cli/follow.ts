// An agent's events as they come, across the end of a node and the next start: from the disk, and then from the node that
// runs; from Redis by looking whether the log has grown.

import { stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Event } from "../event.ts";
import type { AgentId } from "../message.ts";
import type { FileReader } from "../reader/file-reader.ts";
import type { Reader } from "../reader/reader.ts";
import { findNode } from "../server/control-client.ts";
import type { Site } from "./project.ts";

const POLL_MS = 250;

interface Following {
  readonly from: number;
  readonly signal: AbortSignal;
}

/** Every event from number `from` on, each once, in order. Ends when `signal` aborts. */
export function followEvents(
  site: Site,
  agent: AgentId,
  following: Following,
): AsyncGenerator<Event, undefined> {
  return site.kind === "files"
    ? followFiles(site.reader, agent, following)
    : followStored(site.reader, agent, following);
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
  reader: Reader,
  agent: AgentId,
  { from, signal }: Following,
): AsyncGenerator<Event, undefined> {
  let next = from;
  let seen = 0;
  while (!signal.aborted) {
    const last = await reader.last(agent);
    if (last < seen) next = 1; // The log was deleted and began again.
    seen = last;
    if (last >= next) {
      for await (const event of reader.events(agent, next)) {
        next = event.seq + 1;
        yield event;
      }
    }
    await pause(signal);
  }
  return undefined;
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

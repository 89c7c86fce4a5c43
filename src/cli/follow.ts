// An agent's events as they come: from the disk, then from the node that runs, across its end and the next start.

import { stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Event } from "../event.ts";
import type { AgentId } from "../message.ts";
import type { Reader } from "../reader.ts";
import { findNode } from "../server/control-client.ts";

const POLL_MS = 250;

/** Every event from number `from` on, each once, in order. Ends when `signal` aborts. */
export async function* followEvents(
  reader: Reader,
  agent: AgentId,
  { from, signal }: { readonly from: number; readonly signal: AbortSignal },
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
    await delay(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
  return undefined;
}

/** What the running node tells; nothing while there is none, or it is about to end. */
async function listen(reader: Reader, agent: AgentId, signal: AbortSignal) {
  try {
    const node = await findNode(reader.paths.socket);
    return (await node?.follow(agent, signal)) ?? [];
  } catch {
    return [];
  }
}

/** Changes whenever the log grows, without reading it. */
async function sizeOf({ paths, disk }: Reader, agent: AgentId): Promise<string> {
  const folder = join(paths.agent(agent), "log");
  const newest = (await disk.list(folder)).at(-1) ?? "";
  const bytes = await stat(join(folder, newest)).then(
    ({ size }) => size,
    () => 0,
  );
  return `${newest}:${bytes}`;
}

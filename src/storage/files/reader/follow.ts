// The events of a log as they come, across the end of a node and the next start: from the disk, and then from the node that
// runs.

import { stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Event } from "../../../domain/event.ts";
import type { AgentId } from "../../../domain/message.ts";
import type { Following } from "../../contract/backend.ts";
import type { FileReader } from "./reader.ts";

const POLL_MS = 250;

export async function* followFiles(
  reader: FileReader,
  agent: AgentId,
  { from, signal, live }: Following,
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
    const told = await live(signal);
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

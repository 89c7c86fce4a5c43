// Agents that arrive, laid out in files of their own for a moment: there everything that they claim is checked, and what
// their next start would find, such as damage and what people changed in files, is in their logs.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClock } from "../../base/clock.ts";
import { createDisk, type Disk } from "../../base/files/disk.ts";
import type { Event } from "../../domain/event.ts";
import type { AgentId } from "../../domain/message.ts";
import type { Module } from "../../domain/module.ts";
import { createBlobs, type Outlined } from "../../past/log/blobs.ts";
import { openMemory } from "../../past/past.ts";
import type { Arrival, Unfolded, UnfoldedAgent } from "../contract/arrival.ts";
import type { Backend } from "../contract/backend.ts";
import { UNHOSTED } from "../contract/store.ts";
import { createFileLogs } from "../files/agents.ts";
import { receiveAgents } from "../files/arrivals.ts";
import { readMailbox } from "../files/mailbox.ts";
import { readSegments } from "../files/journal/segments.ts";
import { filesIn } from "../files/reader/source.ts";
import { takeLock } from "../folder/lock.ts";
import { legionPaths, type LegionPaths } from "../folder/paths.ts";
import { openPersonFolder } from "../folder/person/folder.ts";
import { authorshipOf } from "../folder/person/key.ts";
import { contentsOf, createProjections } from "../folder/state-files.ts";

const LOCK_WAIT_MS = 5_000;

/** As `Backend.receive`. @param readable the modules whose state people read in files */
export function receiveAt(
  backend: Backend,
  arrival: Arrival,
  readable: readonly Module[],
): Promise<readonly string[]> {
  return backend.receive(arrival, () => unfold(arrival, readable));
}

/** Rejects with FOREIGN if somebody else wrote them, and as `receiveAgents` does. */
export async function unfold(arrival: Arrival, readable: readonly Module[]): Promise<Unfolded> {
  const project = await mkdtemp(join(tmpdir(), "legion-import-"));
  const close = (): Promise<void> => rm(project, { recursive: true, force: true });
  try {
    const paths = legionPaths(project);
    const disk = createDisk(paths.tmp);
    await receiveAgents(paths, arrival, disk);
    const { agents } = arrival;
    const rest = await openOnce({ paths, disk }, agents, readable);
    const unfolding = agents.map((agent) => unfolded(agent, rest.get(agent) ?? [], { paths, disk }));
    return { agents: await Promise.all(unfolding), close };
  } catch (error) {
    await close();
    throw error;
  }
}

interface Project {
  readonly paths: LegionPaths;
  readonly disk: Disk;
}

/** Has their logs say what the next start would find. Resolves with what else is in their folders. */
async function openOnce(
  { paths, disk }: Project,
  agents: readonly AgentId[],
  readable: readonly Module[],
): Promise<ReadonlyMap<AgentId, readonly string[]>> {
  const lock = await takeLock(paths.lock, disk, { role: "command", waitMs: LOCK_WAIT_MS });
  try {
    const authorship = await authorshipOf(openPersonFolder(process.env));
    const clock = createClock();
    const { logOf } = createFileLogs({ paths, durability: "process", clock, disk, lock, authorship });
    const { view } = UNHOSTED;
    const rest = new Map<AgentId, readonly string[]>();
    for (const agent of agents) {
      const folder = paths.agent(agent);
      const projector = createProjections(readable, { disk, folder, corruptFolder: paths.corrupt });
      const memory = await openMemory(
        { agent, view, projector, inspect: () => undefined },
        await logOf(agent),
      );
      await memory.close();
      const shown = contentsOf(readable, memory.state);
      const isRest = (path: string): boolean => path !== "agent.json" && !shown.has(path);
      rest.set(agent, (await filesIn(folder)).filter(isRest));
    }
    return rest;
  } finally {
    await lock.release();
  }
}

async function unfolded(
  agent: AgentId,
  rest: readonly string[],
  { paths, disk }: Project,
): Promise<UnfoldedAgent> {
  const folder = paths.agent(agent);
  const texts = createBlobs(paths.blobs(agent), disk);
  return {
    agent,
    rest,
    record: (await disk.read(join(folder, "agent.json")))?.toString("utf8") ?? "",
    texts: existing(await disk.list(paths.blobs(agent)), texts.read),
    events: eventsIn(join(folder, "log"), disk),
    mail: (marks) => readMailbox(join(folder, "mailbox"), disk, marks),
  };
}

async function* existing(
  hashes: readonly string[],
  read: (hash: string) => Promise<string | undefined>,
): AsyncGenerator<string> {
  for (const hash of hashes) {
    const text = await read(hash);
    if (text !== undefined) yield text;
  }
}

async function* eventsIn(folder: string, disk: Disk): AsyncGenerator<Event & Outlined> {
  for await (const { records } of readSegments<Event & Outlined>(folder, disk)) yield* records;
}

// Agents that arrive, laid out in files of their own for a moment: there everything that they claim is checked, and what
// their next start would find, such as damage and what people changed in files, is in their logs.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClock } from "../../base/clock.ts";
import { createDisk, type Disk } from "../../base/files/disk.ts";
import type { Event } from "../../domain/event/event.ts";
import type { AgentId } from "../../domain/message/message.ts";
import type { Module } from "../../domain/authoring/module.ts";
import { sha256, type Outlined } from "../../past/log/blobs.ts";
import { openMemory } from "../../past/past.ts";
import type { Arrival, Unfolded, UnfoldedAgent } from "../contract/arrival.ts";
import type { Backend } from "../contract/backend.ts";
import { UNHOSTED } from "../contract/store.ts";
import { createFileLogs, type FileLogs, type FileLogsOptions } from "../files/agents.ts";
import { receiveAgents } from "../files/arrivals.ts";
import { readMailbox } from "../files/mailbox.ts";
import { readSegments } from "../files/journal/segments.ts";
import { filesIn } from "../files/reader/source.ts";
import { takeLock } from "../folder/lock.ts";
import { legionPaths } from "../folder/paths.ts";
import { openPersonFolder, type PersonFolder } from "../folder/person/folder.ts";
import { authorshipOf } from "../folder/person/authorship.ts";
import { contentsOf, createProjections } from "../folder/state-files.ts";

const LOCK_WAIT_MS = 5_000;

/**
 * As `Backend.receive`.
 * @param readable the modules whose state people read in files
 * @param person whose hand signed what arrives
 */
export function receiveAt(
  backend: Backend,
  arrival: Arrival,
  readable: readonly Module[],
  person: PersonFolder = openPersonFolder(process.env),
): Promise<readonly string[]> {
  return backend.receive(arrival, () => unfold(arrival, readable, person));
}

/** Rejects with FOREIGN if somebody else wrote them, and as `receiveAgents` does. */
async function unfold(
  arrival: Arrival,
  readable: readonly Module[],
  person: PersonFolder,
): Promise<Unfolded> {
  const project = await mkdtemp(join(tmpdir(), "legion-import-"));
  const close = (): Promise<void> => rm(project, { recursive: true, force: true });
  try {
    const paths = legionPaths(project);
    const disk = createDisk(paths.tmp);
    await receiveAgents(paths, arrival, disk);
    const lock = await takeLock(paths.lock, disk, { role: "command", waitMs: LOCK_WAIT_MS });
    try {
      const options: FileLogsOptions = {
        paths,
        durability: "process",
        clock: createClock(),
        disk,
        lock,
        authorship: await authorshipOf(person),
      };
      const logs = createFileLogs(options);
      const agents: UnfoldedAgent[] = [];
      for (const agent of arrival.agents) agents.push(await openOnce(agent, logs, options, readable));
      return { agents, close };
    } finally {
      await lock.release();
    }
  } catch (error) {
    await close();
    throw error;
  }
}

/** Has the log of an agent say what its next start would find. */
async function openOnce(
  agent: AgentId,
  logs: FileLogs,
  { paths, disk }: FileLogsOptions,
  readable: readonly Module[],
): Promise<UnfoldedAgent> {
  const folder = paths.agent(agent);
  const projector = createProjections(readable, { disk, folder, corruptFolder: paths.corrupt });
  const reading = { agent, view: UNHOSTED.view, projector, inspect: () => undefined };
  const memory = await openMemory(reading, await logs.logOf(agent));
  await memory.close();
  const shown = contentsOf(readable, memory.state);
  const isRest = (path: string): boolean => path !== "agent.json" && !shown.has(path);
  return {
    agent,
    rest: (await filesIn(folder)).filter(isRest),
    record: (await disk.read(join(folder, "agent.json")))?.toString("utf8") ?? "",
    texts: existing(paths.blobs(agent), disk),
    events: eventsIn(join(folder, "log"), disk),
    mail: (marks) => readMailbox(join(folder, "mailbox"), disk, marks),
  };
}

async function* existing(folder: string, disk: Disk): AsyncGenerator<Uint8Array> {
  for (const hash of await disk.list(folder)) {
    const bytes = await disk.read(join(folder, hash));
    if (bytes && sha256(bytes) === hash) yield bytes;
  }
}

async function* eventsIn(folder: string, disk: Disk): AsyncGenerator<Event & Outlined> {
  for await (const { records } of readSegments<Event & Outlined>(folder, disk)) yield* records;
}

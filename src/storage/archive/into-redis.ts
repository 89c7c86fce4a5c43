// How agents come into a legion in Redis from outside. They come into a project of their own first, in files: there
// everything that they claim is checked, and what their next start would find is in their logs. What that comes to is
// written beside the places that they shall have; then they are moved there, and last they are shown, all at once.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { alreadyThere, receiveAgents, type Arrival } from "../files/arrivals.ts";
import { filesIn } from "./from-files.ts";
import { readMailbox } from "../files/mailbox.ts";
import { createClock } from "../../base/clock.ts";
import type { Module } from "../../domain/module.ts";
import type { Event } from "../../domain/event.ts";
import { createBlobs, type Outlined } from "../../past/blobs.ts";
import { createDisk, type Disk } from "../../base/disk.ts";
import { takeLock } from "../folder/lock.ts";
import { createRedisBlobs } from "../redis/log/blobs.ts";
import { readSegments } from "../files/segments.ts";
import { CONTROL, displayName, type AgentId } from "../../domain/message.ts";
import { legionPaths, type LegionPaths } from "../folder/paths.ts";
import { openPersonFolder } from "../folder/person-folder.ts";
import { authorshipOf } from "../folder/person-key.ts";
import { contentsOf, createProjections } from "../folder/state-files.ts";
import { agentKeys } from "../redis/scripts/keys.ts";
import type { LegionPlace } from "../redis/cluster/members.ts";
import {
  listAgents,
  readRegistry,
  setKnown,
  setUnknown,
  withoutWorkspace,
} from "../redis/cluster/directory.ts";
import { openFileLogs } from "../files/agents.ts";
import { prepareNewcomer, type Luggage, type Newcomer } from "../redis/newcomer/newcomer.ts";
import { UNHOSTED } from "../contract/store.ts";

const LOCK_WAIT_MS = 5_000;

/**
 * Takes in agents; nodes may run meanwhile. Rejects with REFUSED if one of the agents is there already, with FOREIGN if
 * somebody else wrote them, as nothing in Redis could say so, and as `receiveAgents` does; then nobody sees any of them. Resolves with what was left out, one line each.
 */
export async function receiveInRedis(
  place: LegionPlace,
  arrival: Arrival,
  readable: readonly Module[],
): Promise<readonly string[]> {
  const { agents } = arrival;
  await refuseKnown(place, agents);
  const project = await mkdtemp(join(tmpdir(), "legion-import-"));
  const newcomers: Newcomer[] = [];
  try {
    const paths = legionPaths(project);
    const disk = createDisk(paths.tmp);
    await receiveAgents(paths, arrival, disk);
    const remarks = await openOnce({ paths, disk }, agents, readable);
    const records = new Map<AgentId, string>();
    for (const agent of agents) {
      await copyTexts(place, agent, { paths, disk });
      const luggage = luggageOf(paths.agent(agent), disk);
      newcomers.push(await prepareNewcomer({ ...place, agent }, luggage));
      const record = await disk.read(join(paths.agent(agent), "agent.json"));
      if (agent !== CONTROL) records.set(agent, withoutWorkspace(record?.toString("utf8") ?? ""));
    }
    await refuseKnown(place, agents);
    await moveIn(place, newcomers, records);
    return remarks;
  } finally {
    await Promise.allSettled(newcomers.map(({ remove }) => remove()));
    await rm(project, { recursive: true, force: true });
  }
}

async function refuseKnown(place: LegionPlace, agents: readonly AgentId[]): Promise<void> {
  const { link, legion } = place;
  const registry = await readRegistry(link, legion);
  const spoken = await link.command("HMGET", agentKeys(legion, CONTROL).meta, "seq", "mail");
  const isThere = (agent: AgentId): boolean =>
    agent === CONTROL ? (spoken as readonly unknown[]).some((count) => count !== null) : registry.has(agent);
  const known = agents.filter(isThere);
  if (known.length > 0)
    throw alreadyThere(known, agents, {
      place: `the legion ${legion} at ${link.shown}`,
      way: "import into another legion there with `--name <name>`",
    });
}

/**
 * Has their logs say what the next start would find: what is damaged, and what people changed in files. Resolves with what
 * of their folders is nothing that a legion in Redis keeps.
 */
async function openOnce(
  { paths, disk }: Project,
  agents: readonly AgentId[],
  readable: readonly Module[],
): Promise<readonly string[]> {
  const lock = await takeLock(paths.lock, disk, { role: "command", waitMs: LOCK_WAIT_MS });
  try {
    const hosted = new Set(agents);
    const inspect = (): void => undefined;
    const logs = await openFileLogs({
      paths,
      durability: "process",
      clock: createClock(),
      inspect,
      hosted,
      disk,
      lock,
      authorship: await authorshipOf(openPersonFolder(process.env)),
    });
    const remarks: string[] = [];
    for (const agent of agents) {
      const folder = paths.agent(agent);
      const projector = createProjections(readable, { disk, folder, corruptFolder: paths.corrupt });
      const memory = await logs.openAgent(agent, { ...UNHOSTED, projector });
      await memory.close();
      const shown = contentsOf(readable, memory.state);
      for (const path of await filesIn(folder))
        if (path !== "agent.json" && !shown.has(path))
          remarks.push(`left out ${path} of ${displayName(agent)}: Redis keeps no such files`);
    }
    return remarks;
  } finally {
    await lock.release();
  }
}

interface Project {
  readonly paths: LegionPaths;
  readonly disk: Disk;
}

async function copyTexts(place: LegionPlace, agent: AgentId, { paths, disk }: Project): Promise<void> {
  const kept = createRedisBlobs({ ...place, agent });
  const texts = createBlobs(paths.blobs(agent), disk);
  for (const hash of await disk.list(paths.blobs(agent))) {
    const text = await texts.read(hash);
    if (text !== undefined) await kept.keep(text);
  }
}

function luggageOf(folder: string, disk: Disk): Luggage {
  const events = async function* (): AsyncGenerator<Event & Outlined> {
    for await (const { records } of readSegments<Event & Outlined>(join(folder, "log"), disk)) yield* records;
  };
  return { events: events(), mail: (marks) => readMailbox(join(folder, "mailbox"), disk, marks) };
}

async function moveIn(
  place: LegionPlace,
  newcomers: readonly Newcomer[],
  records: ReadonlyMap<AgentId, string>,
): Promise<void> {
  const others = newcomers.filter(({ agent }) => agent !== CONTROL);
  const toAll = (work: (place: LegionPlace & { readonly agent: AgentId }) => Promise<void>) =>
    Promise.all(others.map(({ agent }) => work({ ...place, agent })));
  await Promise.all(others.map(({ arrive }) => arrive()));
  await toAll(setKnown);
  // Any node delivers at once what Control said: whom it was said to has to take it.
  await newcomers
    .find(({ agent }) => agent === CONTROL)
    ?.arrive()
    .catch(async (error: unknown) => {
      await toAll(setUnknown);
      throw error;
    });
  await listAgents(place, records);
}

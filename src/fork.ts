// A person has an agent go on from an earlier moment of its past: on a new branch of its own log, or as a new agent.

import { join } from "node:path";
import { randomUUID } from "node:crypto";
import { goals } from "../modules/goals.ts";
import { notes } from "../modules/notes.ts";
import { move } from "./archive/arrival.ts";
import type { Clock } from "./clock.ts";
import type { Halt } from "./conversation.ts";
import { LegionError } from "./errors.ts";
import type { Event } from "./event.ts";
import { forkPoint } from "./fork-point.ts";
import { gapNotice, lostIn, readFileLog, type SeqRange } from "./log/file-log.ts";
import type { Memory } from "./memory.ts";
import { CONTROL, displayName, isAgentId, type AgentId } from "./message.ts";
import type { LegionPaths } from "./paths.ts";
import { writePast } from "./past-log.ts";
import { createProjections } from "./projection.ts";
import type { Store } from "./store.ts";
import type { Writer } from "./writer.ts";

export interface ForkOrder {
  readonly agent: AgentId;
  /** A sequence number. */
  readonly at: number;
  /** The new agent that goes on from there; absent: the agent itself does. */
  readonly as?: AgentId;
}

export interface Forking {
  /** The event that it goes on from: of a decision, the last result; before one that was not finished. */
  readonly to: number;
  readonly done: Promise<Forked>;
}

export interface Forked {
  /** Why it rested at that moment, and so does now. */
  readonly halt?: Halt;
  /** What a person had changed by hand, and stays so. */
  readonly edited: readonly (readonly [module: string, key: string])[];
  /** How many events of its past are damaged or gone; the agent is told. Absent: none. */
  readonly lost?: number;
}

export interface ForkOffice {
  readonly store: Store;
  readonly paths: LegionPaths;
  readonly clock: Clock;
  /** `undefined` for an unknown agent. */
  writerFor(agent: AgentId): Writer | undefined;
}

/** Throws USAGE or REFUSED, having written nothing, if this cannot be. */
export async function fork(order: ForkOrder, office: ForkOffice): Promise<Forking> {
  const { agent, at, as } = order;
  const writer = agent === CONTROL ? undefined : office.writerFor(agent);
  if (!writer) throw new LegionError("USAGE", `there is no agent ${JSON.stringify(agent)} to fork`);
  if (as !== undefined) await refuseId(as, office);
  const to = await forkPoint(eventsOf(agent, office), at, displayName(agent));
  const done = as === undefined ? goOn(agent, { to, writer }, office) : copy(agent, { to, as }, office);
  return { to, done };
}

async function refuseId(id: AgentId, { store, paths }: ForkOffice): Promise<void> {
  if (!isAgentId(id)) {
    const rule = "up to 64 of a-z, 0-9, `.`, `_` and `-`, such as 2b";
    throw new LegionError("USAGE", `--as: ${JSON.stringify(id)} cannot be the id of an agent; write ${rule}`);
  }
  if (store.known().includes(id) || (await store.disk.kind(paths.agent(id))) !== undefined)
    throw new LegionError("USAGE", `--as: there is an agent ${JSON.stringify(id)} already; name a new one`);
}

function eventsOf(agent: AgentId, { paths, store }: ForkOffice): AsyncIterable<Event> {
  return readFileLog({ folder: paths.agent(agent), disk: store.disk, blobs: store.blobs(agent) });
}

interface OwnBranch {
  readonly to: number;
  readonly writer: Writer;
}

async function goOn(
  agent: AgentId,
  { to, writer }: OwnBranch,
  { paths, store }: ForkOffice,
): Promise<Forked> {
  return writer.alone(async ({ memory }) => {
    await memory.commit({ kind: "branch", to });
    const branch = memory.ledger.last;
    await memory.reopen();
    // What told the agent of it may stand on the branch that it leaves.
    const lost = await lostBefore(memory, to);
    if (lost.length > 0) await memory.commit(gapNotice(lost));
    // Where nobody runs the agent, nobody has looked at its files yet.
    const place = { disk: store.disk, folder: paths.agent(agent), corruptFolder: paths.corrupt };
    const files = createProjections([goals, notes], place);
    for (const event of await files.reconcile(memory.state)) {
      await memory.commit(event);
      if (event.kind === "edited") await files.write([[event.module, event.key, event.value]], memory.state);
    }
    const edited: [string, string][] = [];
    for await (const event of memory.read(branch))
      if (event.kind === "edited") edited.push([event.module, event.key]);
    const { halt } = memory.conversation;
    const count = lost.reduce((sum, [first, last]) => sum + last - first + 1, 0);
    return { edited, ...(halt && { halt }), ...(count > 0 && { lost: count }) };
  });
}

/** The events up to `to` that are gone, as the log has reported them later. */
async function lostBefore(memory: Memory, to: number): Promise<readonly SeqRange[]> {
  const lost: SeqRange[] = [];
  for await (const event of memory.read(to + 1)) lost.push(...lostIn(event).filter(([first]) => first < to));
  return lost;
}

interface NewAgent {
  readonly to: number;
  readonly as: AgentId;
}

/** All of it is at its place at once, or nothing. */
async function copy(origin: AgentId, { to, as }: NewAgent, office: ForkOffice): Promise<Forked> {
  const { paths, store, clock } = office;
  const { disk, lock } = store;
  const folder = join(paths.tmp, randomUUID());
  const blobs = store.blobs(origin);
  const events = eventsOf(origin, office);
  const place = { folder, disk, epoch: lock.epoch, now: clock.now, corruptFolder: paths.corrupt };
  const { conversation } = await writePast(place, { origin, events, to, blobs });
  const record = await disk.read(join(paths.agent(origin), "agent.json"));
  if (record) await disk.replace(join(folder, "agent.json"), renamed(record.toString("utf8"), as));
  await move(folder, paths.agent(as), disk);
  await store.adopt(as);
  const { halt } = conversation;
  return { edited: [], ...(halt && { halt }) };
}

/** What the last start made of one agent, for another. */
function renamed(record: string, id: AgentId): string {
  try {
    const { id: _, name: __, ...rest } = JSON.parse(record) as Readonly<Record<string, unknown>>;
    return `${JSON.stringify({ id, name: displayName(id), ...rest }, null, 2)}\n`;
  } catch {
    return record;
  }
}

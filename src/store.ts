// The files of one project, opened for writing: whoever holds its lock owns every log and mailbox in it.

import { rm } from "node:fs/promises";
import { createMemoryBus } from "./bus/memory-bus.ts";
import type { Bus } from "./bus/bus.ts";
import type { Clock } from "./clock.ts";
import { openControl, type Control } from "./control.ts";
import type { Inspect } from "./inspection.ts";
import { account, createLedger, type Ledger } from "./ledger.ts";
import { createBlobs, type Blobs } from "./log/blobs.ts";
import { createDisk, type Disk } from "./log/disk.ts";
import { openFileLog, readFileLog, type OpenedFileLog } from "./log/file-log.ts";
import type { Durability } from "./log/journal.ts";
import { takeLock, type Holder, type Lock } from "./log/lock.ts";
import { openMemory, type Memory, type Projector } from "./memory.ts";
import { CONTROL, isAgentId, type AgentId } from "./message.ts";
import { createOutbox, type Outbox } from "./outbox.ts";
import type { LegionPaths } from "./paths.ts";
import { textProtocol } from "./protocol/text.ts";
import type { ViewOptions } from "./view.ts";

const LOCK_WAIT_MS = 5_000;

export interface Store {
  readonly disk: Disk;
  readonly lock: Lock;
  readonly bus: Bus;
  readonly control: Control;
  blobs(agent: AgentId): Blobs;
  /** Agents that have a folder or were registered, Control not. */
  known(): readonly AgentId[];
  ledger(agent: AgentId): Ledger | undefined;
  openAgent(agent: AgentId, options: AgentMemoryOptions): Promise<Memory>;
  /** Delivers what Control and agents that are not hosted left undelivered. */
  deliverForOthers(): Promise<void>;
  close(): Promise<void>;
}

export interface AgentMemoryOptions {
  readonly view: ViewOptions;
  readonly projector: Projector;
}

export interface StoreOptions {
  readonly paths: LegionPaths;
  readonly role: Holder["role"];
  readonly durability: Durability;
  readonly clock: Clock;
  readonly inspect: Inspect;
  /** Agents that will be opened here, folder or not: their logs are read then, not now. */
  readonly hosted: ReadonlySet<AgentId>;
}

const NO_PROJECTION: Projector = { write: () => Promise.resolve() };
const PLAIN_VIEW: ViewOptions = { protocol: textProtocol, errors: "keep" };

/** Takes the lock of the project and opens what is in it. Rejects with LOCKED if another process runs here. */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { paths, durability, clock, inspect } = options;
  const disk = createDisk(paths.tmp);
  const lock = await takeLock(paths.lock, disk, { role: options.role, waitMs: LOCK_WAIT_MS });
  await rm(paths.tmp, { recursive: true, force: true });
  const ledgers = new Map<AgentId, Ledger>();
  const others: { readonly memory: Memory; readonly outbox: Outbox }[] = [];
  const blobs = (agent: AgentId): Blobs => createBlobs(paths.blobs(agent), disk);
  const openLog = (agent: AgentId, each: Parameters<typeof openFileLog>[1]): Promise<OpenedFileLog> => {
    const files = { folder: paths.agent(agent), corruptFolder: paths.corrupt, disk, blobs: blobs(agent) };
    return openFileLog({ ...files, lock, durability, now: clock.now }, each);
  };
  const openAgent = async (agent: AgentId, { view, projector }: AgentMemoryOptions): Promise<Memory> => {
    let damaged: readonly string[] = [];
    const memory = await openMemory({ agent, view, projector, inspect }, async (each) => {
      const opened = await openLog(agent, each);
      damaged = opened.damaged;
      return opened.log;
    });
    ledgers.set(agent, memory.ledger);
    if (damaged.length > 0)
      await memory.commit({ kind: "notice", reason: "gap", content: gapNotice(damaged) });
    return memory;
  };
  const bus = createMemoryBus({
    disk,
    lock,
    durability,
    now: clock.now,
    folder: paths.agent,
    watermarks: (agent) => Promise.resolve(ledgers.get(agent)),
  });
  const ids = (await disk.list(paths.agents)).filter(isAgentId);
  for (const id of new Set([...options.hosted, ...ids])) {
    const ledger = createLedger();
    if (options.hosted.has(id)) {
      ledgers.set(id, ledger);
      continue;
    }
    for await (const event of readFileLog({ folder: paths.agent(id), disk, blobs: blobs(id) }))
      account(ledger, event);
    ledgers.set(id, ledger);
  }
  const memory = await openAgent(CONTROL, { view: PLAIN_VIEW, projector: NO_PROJECTION });
  const known = (): AgentId[] => [...ledgers.keys()].filter((id) => id !== CONTROL);
  const control = await openControl({ memory, bus, clock, known });
  return {
    disk,
    lock,
    bus,
    control,
    blobs,
    known,
    ledger: (agent) => ledgers.get(agent),
    openAgent,
    async deliverForOthers() {
      await control.outbox.deliver();
      for (const id of known()) {
        if (options.hosted.has(id) || ledgers.get(id)!.undelivered.length === 0) continue;
        const memory = await openAgent(id, { view: PLAIN_VIEW, projector: NO_PROJECTION });
        const outbox = createOutbox(memory, bus, clock);
        others.push({ memory, outbox });
        await outbox.deliver();
      }
    },
    async close() {
      for (const other of others) {
        other.outbox.close();
        await other.memory.close();
      }
      await control.close();
      await bus.close();
      await lock.release();
    },
  };
}

function gapNotice(damaged: readonly string[]): string {
  return (
    `${damaged.length} damaged ${damaged.length === 1 ? "event" : "events"} of your past could not be read and ` +
    `${damaged.length === 1 ? "was" : "were"} set aside. If something seems to be missing, it may have been there.`
  );
}

// The files of one project, opened for writing: whoever holds its lock owns every log and mailbox in it.

import { settleArrivals } from "./archive/arrival.ts";
import { createMemoryBus } from "./bus/memory-bus.ts";
import type { Bus } from "./bus/bus.ts";
import type { Clock } from "./clock.ts";
import { openControl, type Control } from "./control.ts";
import { createGuests } from "./guests.ts";
import type { Inspect } from "./inspection.ts";
import { account, createLedger, type Ledger } from "./ledger.ts";
import { createBlobs, type Blobs } from "./log/blobs.ts";
import { createDisk, type Disk } from "./log/disk.ts";
import { gapNotice, openFileLog, readFileLog, type OpenedFileLog } from "./log/file-log.ts";
import type { Durability } from "./log/journal.ts";
import { takeLock, type Holder, type Lock } from "./log/lock.ts";
import { openMemory, type Memory, type Projector } from "./memory.ts";
import { CONTROL, type AgentId } from "./message.ts";
import type { Outbox } from "./outbox.ts";
import type { LegionPaths } from "./paths.ts";
import { textProtocol } from "./protocol/text.ts";
import { agentsIn } from "./reader.ts";
import type { ViewOptions } from "./view.ts";
import type { Writer } from "./writer.ts";

const LOCK_WAIT_MS = 5_000;

export interface Store {
  readonly disk: Disk;
  readonly lock: Lock;
  readonly bus: Bus;
  readonly control: Control;
  blobs(agent: AgentId): Blobs;
  /** Agents that are hosted or have a folder, Control not. */
  known(): readonly AgentId[];
  /** `undefined` for an unknown agent, and for one whose log cannot be read. */
  ledger(agent: AgentId): Promise<Ledger | undefined>;
  openAgent(agent: AgentId, options: AgentMemoryOptions): Promise<Memory>;
  /** Makes an agent known whose folder is new. */
  adopt(agent: AgentId): Promise<void>;
  /** For Control and known agents that are not hosted; `undefined` for others. */
  writerFor(agent: AgentId): Writer | undefined;
  /** Delivers what Control and agents that are not hosted left undelivered. */
  deliverForOthers(): Promise<void>;
  /** Has everybody offer again what they sent to agents whose mailboxes were damaged; `outboxOf` is that of a hosted one. */
  mendMailboxes(outboxOf: (agent: AgentId) => Outbox | undefined): Promise<void>;
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
  /** The real one if absent. */
  readonly disk?: Disk;
}

/** To write to a log whose agent does not run. */
export const UNHOSTED: AgentMemoryOptions = {
  view: { protocol: textProtocol, errors: "keep", window: Infinity },
  projector: { write: () => Promise.resolve(), reconcile: () => Promise.resolve([]) },
};

/** Takes the lock of the project and opens what is in it. Rejects with LOCKED if another process runs here. */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { paths } = options;
  const { disk = createDisk(paths.tmp) } = options;
  const lock = await takeLock(paths.lock, disk, { role: options.role, waitMs: LOCK_WAIT_MS });
  try {
    await disk.emptyTmp();
    await settleArrivals(paths, disk);
    return await openFiles({ ...options, disk, lock });
  } catch (error) {
    await lock.release();
    throw error;
  }
}

interface Locked extends StoreOptions {
  readonly disk: Disk;
  readonly lock: Lock;
}

async function openFiles(options: Locked): Promise<Store> {
  const { paths, durability, clock, hosted, disk, lock } = options;
  const logs = await openLogs(options);
  const { ledgers, openAgent } = logs;
  /** Agents whose mailboxes lost mail to a damage. */
  const damaged = new Set<AgentId>();
  const bus = createMemoryBus({
    onDamage: (agent) => damaged.add(agent),
    disk,
    lock,
    durability,
    now: clock.now,
    folder: paths.agent,
    corruptFolder: paths.corrupt,
    watermarks: logs.find,
  });
  const known = (): AgentId[] => [...logs.known];
  const control = await openControl({ memory: await openAgent(CONTROL, UNHOSTED), bus, clock, known });
  const guests = createGuests({ openMemory: (agent) => openAgent(agent, UNHOSTED), bus, clock });
  const isGuest = (agent: AgentId): boolean => logs.known.has(agent) && !hosted.has(agent);
  return {
    disk,
    lock,
    bus,
    control,
    blobs: logs.blobs,
    known,
    ledger: (agent) => logs.find(agent).catch(() => undefined),
    openAgent,
    adopt: logs.adopt,
    writerFor(agent) {
      if (agent === CONTROL) return control;
      return isGuest(agent) ? guests.writerFor(agent) : undefined;
    },
    async deliverForOthers() {
      await control.outbox.deliver();
      for (const id of logs.known) {
        if (!isGuest(id) || !ledgers.get(id)?.undelivered.length) continue;
        await (await guests.outboxOf(id))?.deliver();
      }
    },
    async mendMailboxes(outboxOf) {
      for (const to of damaged) {
        await control.outbox.offerAgain(to);
        for (const id of logs.known) {
          const isSender = ledgers.get(id)?.numbers.has(to);
          const outbox = outboxOf(id) ?? (isSender ? await guests.outboxOf(id) : undefined);
          await outbox?.offerAgain(to);
        }
      }
      damaged.clear();
    },
    async close() {
      // A full disk may keep the lock from being released: a holder that is gone is taken over from.
      const release = (): Promise<void> => lock.release().catch(() => undefined);
      await inOrder([...guests.closings(), control.close, bus.close, release]);
    },
  };
}

/** Runs all of `steps`, whatever fails; rejects with the first failure. */
async function inOrder(steps: readonly (() => Promise<void>)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const step of steps) await step().catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}

interface Logs {
  /** Agents that are hosted or have a folder, Control not. */
  readonly known: ReadonlySet<AgentId>;
  /** Of agents that are not hosted, and of those that are open. */
  readonly ledgers: ReadonlyMap<AgentId, Ledger>;
  /** The ledger of a known agent, read now if it must be: mail may come for one that is not open yet. */
  find(agent: AgentId): Promise<Ledger | undefined>;
  blobs(agent: AgentId): Blobs;
  openAgent(agent: AgentId, options: AgentMemoryOptions): Promise<Memory>;
  adopt(agent: AgentId): Promise<void>;
}

async function openLogs(options: Locked): Promise<Logs> {
  const { paths, durability, clock, inspect, hosted, disk, lock } = options;
  const blobs = (agent: AgentId): Blobs => createBlobs(paths.blobs(agent), disk);
  const filesOf = (agent: AgentId) => ({ folder: paths.agent(agent), disk, blobs: blobs(agent) });
  const readLedger = async (agent: AgentId): Promise<Ledger> => {
    const ledger = createLedger();
    for await (const event of readFileLog(filesOf(agent))) account(ledger, event);
    return ledger;
  };
  const known = new Set([...hosted, ...(await agentsIn(paths.agents, disk))]);
  const ledgers = new Map<AgentId, Ledger>();
  for (const id of known) {
    // One that cannot be read is no reason not to run the others.
    const ledger = hosted.has(id) ? undefined : await readLedger(id).catch(() => undefined);
    if (ledger) ledgers.set(id, ledger);
  }
  /** The newest of each agent: what it did not acknowledge does not count, however often its log is opened again. */
  const openings = new Map<AgentId, OpenedFileLog>();
  return {
    known,
    ledgers,
    find: async (agent) => ledgers.get(agent) ?? (known.has(agent) ? readLedger(agent) : undefined),
    blobs,
    async openAgent(agent, { view, projector }) {
      const place = { ...filesOf(agent), corruptFolder: paths.corrupt, lock, durability, now: clock.now };
      const memory = await openMemory({ agent, view, projector, inspect }, async (each) => {
        const opened = await openFileLog(place, each, await openings.get(agent)?.acknowledged());
        openings.set(agent, opened);
        const { log, lost } = opened;
        return { log, findings: lost.length > 0 ? [gapNotice(lost)] : [] };
      });
      ledgers.set(agent, memory.ledger);
      return memory;
    },
    async adopt(agent) {
      ledgers.set(agent, await readLedger(agent));
      known.add(agent);
    },
  };
}

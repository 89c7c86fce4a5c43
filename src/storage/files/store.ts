// The files of one project, opened for writing: whoever holds its lock owns every log and mailbox in it.

import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { move, settleArrivals } from "./arrivals.ts";
import { createFileBus } from "./bus.ts";
import { removeCopies } from "../folder/copies.ts";
import { openControl, type LocalControl } from "../../mail/control.ts";
import { LegionError } from "../../base/errors.ts";
import { createGuests, type Guests } from "../contract/offline-writers.ts";
import { checkHome } from "../folder/home.ts";
import type { Send } from "../../past/ledger.ts";
import type { Authorship } from "../folder/person/authorship.ts";
import { createDisk, type Disk } from "../../base/files/disk.ts";
import { takeLock, type Holder, type Lock } from "../folder/lock.ts";
import { CONTROL, displayName, type AgentId } from "../../domain/message.ts";
import { writePast } from "./seed.ts";
import { openPersonFolder, type PersonFolder } from "../folder/person/folder.ts";
import { authorshipOf } from "../folder/person/key.ts";
import { createProjections } from "../folder/state-files.ts";
import { agentsIn } from "./reader/reader.ts";
import { createTenure, type Tenure } from "../../domain/lease.ts";
import { adopt, isForeign } from "./foreign.ts";
import { openFileLogs, type FileLogs, type FileLogsOptions } from "./agents.ts";
import { UNHOSTED, type Store } from "../contract/store.ts";
import { foreign } from "../contract/foreign.ts";

const LOCK_WAIT_MS = 5_000;

export interface FileStoreOptions extends Omit<FileLogsOptions, "disk" | "lock" | "authorship"> {
  readonly role: Holder["role"];
  /** The real one if absent. */
  readonly disk?: Disk;
  /** That of whoever runs this process if absent. */
  readonly person?: PersonFolder;
  /** What somebody else wrote is taken on; absent: it waits. */
  readonly foreign?: "adopt";
}

export interface FileStore extends Store {
  readonly control: LocalControl;
  readonly disk: Disk;
  readonly lock: Lock;
}

/**
 * Takes the lock of the project and opens what is in it. Rejects with LOCKED if another process runs here, with FOREIGN if
 * somebody else wrote in the person's name, and as `checkHome`; then nothing was written.
 */
export async function openFileStore(options: FileStoreOptions): Promise<FileStore> {
  const { paths } = options;
  const { disk = createDisk(paths.tmp), person = openPersonFolder(process.env) } = options;
  await checkHome(paths, person);
  const authorship = await authorshipOf(person);
  // Where nobody may speak in the person's name, nothing is done at all.
  const isAdopting = options.foreign === "adopt";
  if (!isAdopting && (await isForeign(CONTROL, { paths, disk, authorship }))) throw foreign(CONTROL);
  const lock = await takeLock(paths.lock, disk, { role: options.role, waitMs: LOCK_WAIT_MS });
  try {
    await disk.emptyTmp();
    await settleArrivals(paths, disk);
    const locked = { ...options, disk, lock, authorship };
    if (isAdopting)
      for (const agent of [CONTROL, ...(await agentsIn(paths.agents, disk))]) await adopt(agent, locked);
    return await openFiles(locked);
  } catch (error) {
    await lock.release();
    throw error;
  }
}

interface Locked extends FileStoreOptions {
  readonly disk: Disk;
  readonly lock: Lock;
  readonly authorship: Authorship;
}

async function openFiles(options: Locked): Promise<FileStore> {
  const { paths, clock, hosted, disk, lock } = options;
  const logs = await openFileLogs(options);
  const { openAgent } = logs;
  /** Agents whose mailboxes lost mail to a damage. */
  const damaged = new Set<AgentId>();
  const bus = createFileBus({
    ...options,
    onDamage: (agent) => damaged.add(agent),
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
    known,
    runElsewhere: () => Promise.resolve(new Set()),
    ...recordsIn(options, logs),
    events: logs.events,
    blobs: logs.blobs,
    ledger: (agent) => logs.find(agent).catch(() => undefined),
    projector: (agent, modules) =>
      createProjections(modules, { disk, folder: paths.agent(agent), corruptFolder: paths.corrupt }),
    tenure: (agent) => tenureUnder(lock, agent),
    openAgent,
    writerFor: (agent) => (isGuest(agent) ? guests.writerFor(agent) : undefined),
    ...createRounds({ control, guests, logs, damaged, isGuest }),
    async close() {
      // A full disk may keep the lock from being released: a holder that is gone is taken over from.
      const release = (): Promise<void> => lock.release().catch(() => undefined);
      await inOrder([...guests.closings(), control.close, bus.close, release]);
    },
  };
}

/** Which agents there are, and what is known of each. */
function recordsIn(options: Locked, logs: FileLogs): Pick<Store, "isTaken" | "record" | "enroll" | "found"> {
  const { paths, disk } = options;
  const recordOf = (folder: string): string => join(folder, "agent.json");
  return {
    isTaken: async (agent) => logs.known.has(agent) || (await disk.kind(paths.agent(agent))) !== undefined,
    record: async (agent) => (await disk.read(recordOf(paths.agent(agent))))?.toString("utf8"),
    async enroll(agent, record) {
      const path = recordOf(paths.agent(agent));
      await removeCopies(disk, paths.agent(agent));
      if ((await disk.read(path))?.toString("utf8") !== record) await disk.replace(path, record);
    },
    async found(agent, past, record) {
      if (await isForeign(past.origin, options)) throw foreign(past.origin);
      const folder = join(paths.tmp, randomUUID());
      const branch = await writePast({ ...options, folder, corruptFolder: paths.corrupt }, past);
      if (record !== undefined) await disk.replace(recordOf(folder), record);
      await move(folder, paths.agent(agent), disk);
      await logs.adopt(agent);
      return branch;
    },
  };
}

interface Senders {
  readonly control: LocalControl;
  readonly guests: Guests;
  readonly logs: FileLogs;
  /** Agents whose mailboxes lost mail to a damage. */
  readonly damaged: Set<AgentId>;
  readonly isGuest: (agent: AgentId) => boolean;
}

/** What goes out beside what hosted agents send. */
function createRounds({
  control,
  guests,
  logs,
  damaged,
  isGuest,
}: Senders): Pick<Store, "deliverForOthers" | "mendMailboxes"> {
  const { known, ledgers } = logs;
  return {
    async deliverForOthers() {
      await control.outbox.deliver();
      for (const id of known) {
        if (!isGuest(id) || !ledgers.get(id)?.undelivered.length) continue;
        await (await guests.outboxOf(id))?.deliver();
      }
    },
    async mendMailboxes(outboxOf) {
      for (const to of damaged) {
        const isToIt = (send: Send): boolean => send.to === to;
        await control.outbox.offerAgain(isToIt);
        for (const id of known) {
          const isSender = ledgers.get(id)?.numbers.has(to);
          const outbox = outboxOf(id) ?? (isSender ? await guests.outboxOf(id) : undefined);
          await outbox?.offerAgain(isToIt);
        }
      }
      damaged.clear();
    },
  };
}

/** Runs all of `steps`, whatever fails; rejects with the first failure. */
async function inOrder(steps: readonly (() => Promise<void>)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const step of steps) await step().catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}

/** Whoever holds the lock has the right to run every agent, for as long as the process lives. */
function tenureUnder(lock: Lock, agent: AgentId): Tenure {
  return createTenure(
    { agent, epoch: lock.epoch, token: "", past: "whole" },
    {
      judge() {
        // A disk that fails says so as well: the next look may find the lock again.
        if (!lock.held())
          throw new LegionError("STORAGE", `${displayName(agent)} may not act: the lock is not to be seen.`);
      },
    },
  );
}

// The files of one project, opened for writing: whoever holds its lock owns every log and mailbox in it.

import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { move, settleArrivals } from "./arrivals.ts";
import { createFileBus } from "./bus.ts";
import { removeCopies } from "../folder/copies.ts";
import { LegionError } from "../../base/errors.ts";
import { checkHome, lookingFirst } from "../folder/home.ts";
import { authorshipOf, type Authorship } from "../folder/person/authorship.ts";
import { createDisk, type Disk } from "../../base/files/disk.ts";
import { isInside } from "../../base/files/project-file.ts";
import { takeLock, type Holder, type Lock } from "../folder/lock.ts";
import { CONTROL, displayName, type AgentId } from "../../domain/message/message.ts";
import { STATE_NAMES } from "../../domain/state-names.ts";
import { writePast } from "./seed.ts";
import { legionPaths, stopCommand, type LegionPaths } from "../folder/paths.ts";
import { openPersonFolder, type PersonFolder } from "../folder/person/folder.ts";
import { createProjections } from "../folder/state-files.ts";
import { agentsIn } from "./reader/reader.ts";
import { createTenure, type Tenure } from "../../domain/lease.ts";
import { adopt, isForeign } from "./foreign.ts";
import { keepRecord, readRecord, whoseRecord } from "./record.ts";
import { createFileLogs, type FileLogsOptions } from "./agents.ts";
import { openRestIndex } from "./resting.ts";
import { openLocalStore, type LocalPlace, type LocalStore } from "../contract/local-store.ts";
import type { Memories } from "../contract/memory/memories.ts";
import type { Store } from "../contract/store.ts";
import { NO_SECRETS } from "../../base/redaction/redactor.ts";
import { fileMemories } from "./memories/at-first-use.ts";
import { foreign } from "../contract/foreign.ts";

const LOCK_WAIT_MS = 5_000;

export interface FileStoreOptions
  extends
    Omit<FileLogsOptions, "disk" | "lock" | "authorship" | "clock">,
    Pick<LocalPlace, "clock" | "inspect" | "redactor" | "hosted"> {
  readonly role: Holder["role"];
  /** The real one if absent. */
  readonly disk?: Disk;
  /** That of whoever runs this process if absent. */
  readonly person?: PersonFolder;
  /** The project's, opened for this store alone, if absent. */
  readonly memories?: Memories;
  /** What somebody else wrote is taken on; absent: it waits. */
  readonly foreign?: "adopt";
}

export interface FileStore extends Store, Pick<LocalStore, "begin"> {
  readonly control: LocalStore["control"];
  readonly disk: Disk;
  readonly lock: Lock;
  /** Keeps what a start hosts: the record of Control. */
  remember(record: string): Promise<void>;
}

/**
 * Takes the lock of the project and opens what is in it. Rejects with LOCKED if another process runs here, with FOREIGN if
 * somebody else wrote in the person's name, and as `checkHome`; then nothing was written.
 */
export async function openFileStore(options: FileStoreOptions): Promise<FileStore> {
  const { paths } = options;
  const { disk: given = createDisk(paths.tmp, paths.project), person = openPersonFolder(process.env) } =
    options;
  const disk = lookingFirst(given, paths);
  await checkHome(paths, person);
  const authorship = await authorshipOf(person);
  // Where nobody may speak in the person's name, nothing is done at all.
  const isAdopting = options.foreign === "adopt";
  if (!isAdopting && (await isForeign(CONTROL, { paths, disk, authorship }))) throw foreign(CONTROL);
  const stop = stopCommand(paths);
  const lock = await takeLock(paths.lock, disk, { role: options.role, waitMs: LOCK_WAIT_MS, stop });
  try {
    await hideFromGit(paths, disk);
    await disk.emptyTmp();
    await settleArrivals(paths, disk);
    const memories = options.memories ?? memoriesFor(options, person);
    const locked = { ...options, disk, lock, authorship, memories };
    if (isAdopting)
      for (const agent of [CONTROL, ...(await agentsIn(paths.agents, disk))]) await adopt(agent, locked);
    return await openFiles(locked);
  } catch (error) {
    await lock.release();
    throw error;
  }
}

const IGNORE_FILE = ".gitignore";
const IGNORED = [IGNORE_FILE, ...STATE_NAMES].map((name) => `/${name}\n`).join("");

/** Or whoever adds all that is new, as agents do before they hand in a patch, adds the logs. What a person wrote there stays. */
async function hideFromGit({ project, root }: LegionPaths, disk: Disk): Promise<void> {
  const top = legionPaths(project).root;
  // The folder of a batch has results as well, which people may keep.
  const path = join(isInside(top, root) ? top : root, IGNORE_FILE);
  if (!disk.exists(path)) await disk.claim(path, `# What legions keep here.\n${IGNORED}`);
}

function memoriesFor(
  { paths, durability, redactor = NO_SECRETS }: FileStoreOptions,
  person: PersonFolder,
): Memories {
  return fileMemories({ project: paths.project, person, durability, redactor });
}

interface Locked extends FileStoreOptions {
  readonly memories: Memories;
  readonly disk: Disk;
  readonly lock: Lock;
  readonly authorship: Authorship;
}

async function openFiles(options: Locked): Promise<FileStore> {
  const { paths, hosted, disk, lock } = options;
  const { blobs, ...logs } = createFileLogs(options);
  const restIndex = await openRestIndex(options);
  const known = new Set([...hosted, ...restIndex.there]);
  const damaged = new Set<AgentId>();
  const onDamage = (agent: AgentId) => damaged.add(agent);
  const records = recordsIn(options, known);
  const local = await openLocalStore({
    ...options,
    ...logs,
    enroll: records.enroll,
    known: listing(known),
    damaged,
    restIndex,
    createBus: (mailboxes) =>
      createFileBus({
        ...options,
        ...mailboxes,
        folder: paths.agent,
        corruptFolder: paths.corrupt,
        onDamage,
      }),
    // A full disk may keep the lock from being released: a holder that is gone is taken over from.
    release: () => lock.release().catch(() => undefined),
  });
  return {
    ...local,
    disk,
    lock,
    ...records,
    blobs,
    projector: (agent, modules) =>
      createProjections(modules, { disk, folder: paths.agent(agent), corruptFolder: paths.corrupt }),
    remember: (record) =>
      keepRecord(CONTROL, record, { folder: paths.agent(CONTROL), disk, authorship: options.authorship }),
    tenure: (agent) => tenureUnder(lock, agent),
  };
}

/** The same list until another one comes. */
function listing(known: ReadonlySet<AgentId>): () => readonly AgentId[] {
  let list: readonly AgentId[] = [];
  return () => (list.length === known.size ? list : (list = [...known]));
}

/** Which agents there are, and what is known of each. */
function recordsIn(
  options: Locked,
  known: Set<AgentId>,
): Pick<Store, "isTaken" | "record" | "enroll" | "found"> {
  const { paths, disk, authorship } = options;
  return {
    isTaken: async (agent) => known.has(agent) || (await disk.kind(paths.agent(agent))) !== undefined,
    async record(agent) {
      const place = { folder: paths.agent(agent), disk, authorship };
      const record = await readRecord(place);
      return (await whoseRecord(agent, record, place)) === "foreign" ? undefined : record;
    },
    async enroll(agent, record) {
      const place = { folder: paths.agent(agent), disk, authorship };
      if ((await whoseRecord(agent, await readRecord(place), place)) === "foreign") throw foreign(agent);
      await removeCopies(disk, place.folder);
      await keepRecord(agent, record, place);
      known.add(agent);
    },
    async found(agent, past, record) {
      if (await isForeign(past.origin, options)) throw foreign(past.origin);
      const folder = join(paths.tmp, randomUUID());
      const branch = await writePast({ ...options, folder, corruptFolder: paths.corrupt }, past);
      if (record !== undefined) await keepRecord(agent, record, { folder, disk, authorship });
      await move(folder, paths.agent(agent), disk);
      known.add(agent);
      return branch;
    },
  };
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

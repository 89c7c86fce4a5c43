// The memories of a project in files. Whoever writes to one has its lock for that moment, and a little longer where more comes:
// so agents of any number of processes write to the same one, and nobody has to ask who has it.

import { join } from "node:path";
import { createDisk, type Disk } from "../../../base/files/disk.ts";
import type { Redactor } from "../../../base/redaction/redactor.ts";
import { isFolderName } from "../../../domain/message/message.ts";
import type { MemoryId } from "../../../domain/memory/memory-id.ts";
import { createStanding, accountMemory } from "../../../past/memory/standing.ts";
import type { Memories, MemoryReader } from "../../contract/memory/memories.ts";
import type { Durability } from "../../contract/node.ts";
import { takeLock } from "../../folder/lock.ts";
import { indexed } from "../../search/remembered.ts";
import { indexFolder, memoryFolder, memoryPaths } from "../../folder/memory-paths.ts";
import { authorshipOf, knownAuthorshipOf } from "../../folder/person/authorship.ts";
import type { PersonFolder } from "../../folder/person/folder.ts";
import { openMemory } from "./opened.ts";
import { isForeignMemory, pickEvents, readMemory, storedSegments, type MemoryFolder } from "./reading.ts";
import { readStanding } from "./standing-file.ts";
import { createVisits, type Visits } from "./visits.ts";

const LOCK_WAIT_MS = 5_000;

export interface FileMemoriesOptions {
  /** Real path of the project. */
  readonly project: string;
  /** Whose they may be. */
  readonly person: PersonFolder;
  readonly durability: Durability;
  readonly redactor: Redactor;
  /** The real one if absent. */
  readonly disk?: Disk;
  /** What somebody else wrote is taken on; absent: it waits. */
  readonly foreign?: "adopt";
}

/** Nothing is opened before something is asked. */
export function createFileMemories(options: FileMemoriesOptions): Memories {
  const { project, person, redactor } = options;
  const folderOf = (id: MemoryId): MemoryFolder => {
    const paths = memoryPaths(project, id);
    return { paths, disk: options.disk ?? createDisk(paths.tmp, project) };
  };
  const visits = new Map<MemoryId, Visits>();
  const visitsTo = (id: MemoryId): Visits => {
    const known = visits.get(id);
    if (known) return known;
    const folder = folderOf(id);
    const made = createVisits({
      ...{ ...folder, redactor, reader: read(id) },
      lock: () => takeLock(folder.paths.lock, folder.disk, { role: "command", waitMs: LOCK_WAIT_MS }),
      open: async (lock) =>
        openMemory({
          ...{ ...options, ...folder, id, lock, clock: Date },
          authorship: await authorshipOf(person),
        }),
    });
    visits.set(id, made);
    return made;
  };
  const read = (id: MemoryId): MemoryReader => createFileMemoryReader(folderOf(id), person);
  const memories = {
    known: () => memoriesIn(memoryFolder(project), options.disk ?? createDisk(memoryFolder(project))),
    read,
    receive: async (id, delivery) => visitsTo(id).receive(delivery),
    change: async (id, plan) => visitsTo(id).change(plan),
    async close() {
      for (const each of visits.values()) await each.close();
    },
  } satisfies Omit<Memories, "search">;
  return indexed(memories, (id) => indexFolder(project, id));
}

async function memoriesIn(folder: string, disk: Pick<Disk, "list" | "kind">): Promise<readonly MemoryId[]> {
  const found: MemoryId[] = [];
  const foldersIn = async (path: string): Promise<readonly string[]> => {
    const names = (await disk.list(path)).filter(isFolderName);
    const kinds = await Promise.all(names.map((name) => disk.kind(join(path, name))));
    return names.filter((_, index) => kinds[index] === "folder");
  };
  const holdsLog = async (path: string): Promise<boolean> =>
    (await disk.kind(path)) === "folder" && (await disk.list(path)).length > 0;
  if ((await disk.kind(folder)) !== "folder") return [];
  for (const vault of await foldersIn(folder))
    for (const memory of await foldersIn(join(folder, vault)))
      if (await holdsLog(join(folder, vault, memory, "log"))) found.push(`${vault}/${memory}`);
  return found;
}

function createFileMemoryReader(folder: MemoryFolder, person: PersonFolder): MemoryReader {
  return {
    async standing() {
      const standing = (await readStanding(folder))?.standing ?? createStanding();
      for await (const { records } of storedSegments(folder, standing.last + 1))
        for (const record of records) if (record.seq > standing.last) accountMemory(standing, record);
      return standing;
    },
    events: (from) => readMemory(folder, from),
    pick: (seqs) => pickEvents(folder, seqs),
    isForeign: async () => isForeignMemory(folder, await knownAuthorshipOf(person)),
  };
}

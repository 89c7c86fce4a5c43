// A legion in the files of a project.

import { isLegionError } from "../../base/errors.ts";
import { NO_SECRETS, type Redactor } from "../../base/redaction/redactor.ts";
import { writeLastStart, type LastStart } from "../contract/last-start.ts";
import type { NodeOrder, NodeStorage, Surroundings } from "../contract/node.ts";
import type { Backend } from "../contract/backend.ts";
import type { Memories } from "../contract/memory/memories.ts";
import { openPersonFolder } from "../folder/person/folder.ts";
import { receiveAgents } from "./arrivals.ts";
import { fileMemories } from "./memories/at-first-use.ts";
import type { FileMemoriesOptions } from "./memories/memories.ts";
import { createFileReader, followFiles, type FilesOptions } from "./reader/reader.ts";
import { createFileSource } from "./reader/source.ts";
import { openFileStore, type FileStore } from "./store.ts";

/** @param project real path of its folder */
export function createFileBackend(
  project: string,
  { redactor = NO_SECRETS, ...options }: FilesOptions & { readonly redactor?: Redactor } = {},
): Backend {
  const reader = createFileReader(project, options);
  const { paths } = reader;
  const { person = openPersonFolder(process.env) } = options;
  const place: FileMemoriesOptions = { project, person, durability: "disk", redactor };
  const memories = fileMemories(place);
  return {
    reader,
    memories,
    foreign: "waits",
    async openNode(order, surroundings) {
      const node = await openFileNode(order, { ...surroundings, redactor, memories });
      if (order.foreign === "adopt") await adoptMemories(place);
      return node;
    },
    openStore: (options) =>
      openFileStore({
        ...options,
        paths,
        redactor,
        memories,
        role: "command",
        inspect: () => undefined,
        hosted: new Set(),
      }),
    follow: (agent, following) => followFiles(reader, agent, following),
    patiently: (read) => read(),
    source: () => createFileSource(reader),
    async receive(arrival) {
      await receiveAgents(paths, arrival);
      return [];
    },
    close: memories.close,
  };
}

/** All of its agents run in this process. Rejects with LOCKED if another node runs in this folder. */
async function openFileNode(
  { agents, durability, disk, started, foreign }: NodeOrder,
  surroundings: Surroundings & { readonly redactor: Redactor; readonly memories: Memories },
): Promise<NodeStorage> {
  const hosted = new Set(agents.map(({ id }) => id));
  const store = await openFileStore({ ...surroundings, role: "node", durability, hosted, disk, foreign });
  return {
    store,
    disk: store.disk,
    remember: (changed) => remember(changed, store),
    async begin(host) {
      if (started) await remember(started, store);
      return store.begin(host);
    },
  };
}

/** Takes on those that somebody else wrote. */
async function adoptMemories(place: FileMemoriesOptions): Promise<void> {
  const memories = fileMemories({ ...place, foreign: "adopt" });
  for (const id of await memories.known())
    if (await memories.read(id).isForeign()) await memories.change(id, () => Promise.resolve([]));
  await memories.close();
}

/** What is wrong with the disk, the agents say. */
async function remember(started: LastStart, store: Pick<FileStore, "remember">): Promise<void> {
  try {
    await store.remember(writeLastStart(started));
  } catch (error) {
    if (!isLegionError(error, "STORAGE")) throw error;
  }
}

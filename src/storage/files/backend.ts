// A legion in the files of a project.

import { isLegionError } from "../../base/errors.ts";
import { NO_SECRETS, type Redactor } from "../../base/redaction/redactor.ts";
import { writeLastStart, type LastStart } from "../contract/last-start.ts";
import type { NodeOrder, NodeStorage, Surroundings } from "../contract/node.ts";
import type { Backend } from "../contract/backend.ts";
import { receiveAgents } from "./arrivals.ts";
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
  return {
    reader,
    foreign: "waits",
    openNode: (order, surroundings) => openFileNode(order, { ...surroundings, redactor }),
    openStore: (options) =>
      openFileStore({
        ...options,
        paths,
        redactor,
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
    close: () => Promise.resolve(),
  };
}

/** All of its agents run in this process. Rejects with LOCKED if another node runs in this folder. */
async function openFileNode(
  { agents, durability, disk, started, foreign }: NodeOrder,
  surroundings: Surroundings & { readonly redactor: Redactor },
): Promise<NodeStorage> {
  const hosted = new Set(agents.map(({ id }) => id));
  const store = await openFileStore({ ...surroundings, role: "node", durability, hosted, disk, foreign });
  return {
    store,
    disk: store.disk,
    async begin(host) {
      if (started) await remember(started, store);
      return store.begin(host);
    },
  };
}

/** What is wrong with the disk, the agents say. */
async function remember(started: LastStart, store: Pick<FileStore, "remember">): Promise<void> {
  try {
    await store.remember(writeLastStart(started));
  } catch (error) {
    if (!isLegionError(error, "STORAGE")) throw error;
  }
}

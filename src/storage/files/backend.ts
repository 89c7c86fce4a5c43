// A legion in the files of a project.

import { openPersonFolder } from "../folder/person/folder.ts";
import type { Backend } from "../contract/backend.ts";
import { receiveAgents } from "./arrivals.ts";
import { followFiles } from "./reader/follow.ts";
import { openFileNode } from "./node.ts";
import { createFileReader } from "./reader/reader.ts";
import { createFileSource } from "./reader/source.ts";
import { openFileStore } from "./store.ts";

/** @param project real path of its folder */
export function createFileBackend(project: string, person = openPersonFolder(process.env)): Backend {
  const reader = createFileReader(project, person);
  const { paths } = reader;
  return {
    reader,
    foreign: "waits",
    openNode: openFileNode,
    openStore: (options) =>
      openFileStore({ ...options, paths, role: "command", inspect: () => undefined, hosted: new Set() }),
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

// What the files of a project say, read without its lock: also while a node runs.

import { holdsCopies } from "../../folder/copies.ts";
import { lstat, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Event } from "../../../domain/event/event.ts";
import type { Following } from "../../contract/backend.ts";
import { readMailbox } from "../mailbox.ts";
import { knownAuthorshipOf, type Authorship } from "../../folder/person/authorship.ts";
import { createBlobs, type Blobs } from "../../../past/log/blobs.ts";
import { createDisk, type Disk } from "../../../base/files/disk.ts";
import { inOneAnswer } from "../../../base/turns.ts";
import { readFileLog } from "../log.ts";
import { readSegments } from "../journal/segments.ts";
import { readLastStart } from "../../contract/last-start.ts";
import { CONTROL, isAgentId, type AgentId } from "../../../domain/message/message.ts";
import { legionPaths, type LegionPaths } from "../../folder/paths.ts";
import { openPersonFolder, type PersonFolder } from "../../folder/person/folder.ts";
import { lookingFirst } from "../../folder/home.ts";
import { createProjections } from "../../folder/state-files.ts";
import { foldState } from "../../../past/state.ts";
import { digestFile, digestFolder } from "../../folder/cache/digest-file.ts";
import { createDigestedLog } from "./digested-log.ts";
import { createKeptAgents } from "./kept-agents.ts";
import { createKeptExcerpts } from "./kept-excerpts.ts";
import { isForeign } from "../foreign.ts";
import { readRecord } from "../record.ts";
import { createReader, type Reader } from "../../contract/reader.ts";

/** Agents are the folders; what people changed in the files of an agent is in its state. */
export interface FileReader extends Reader {
  readonly paths: LegionPaths;
  /** Writes through it are left out. */
  readonly disk: Disk;
}

export interface FilesOptions {
  /** Absolute real path of the home; that of the project's own legion if absent. */
  readonly home?: string;
  /** Whose it may be; that of whoever runs this process if absent. */
  readonly person?: PersonFolder;
}

/** @param project real path of its folder */
export function createFileReader(
  project: string,
  { home, person = openPersonFolder(process.env) }: FilesOptions = {},
): FileReader {
  const paths = legionPaths(project, home);
  const disk = readingDisk(paths);
  const blobs = (agent: AgentId): Blobs => createBlobs(paths.blobs(agent), disk);
  const recordText = (agent: AgentId): Promise<string | undefined> =>
    readRecord({ folder: paths.agent(agent), disk });
  const digests = digestFolder(paths);
  const authorship = (): Promise<Authorship> => knownAuthorshipOf(person);
  const keptAgents = createKeptAgents({ paths, authorship, recordText });
  const foreignNow = async (agent: AgentId): Promise<boolean> =>
    isForeign(agent, { paths, disk, authorship: await authorship() });
  const isOthers = inOneAnswer(async (agent: AgentId) => !keptAgents.of(agent) && foreignNow(agent));
  const keptExcerpts = createKeptExcerpts({ paths, authorship, isOthers });
  const reader = createReader({
    async known() {
      const count = (await disk.folders(paths.agents)).length;
      keptExcerpts.begin(count);
      const isOpened = await keptAgents.open(count);
      return agentsIn(paths.agents, disk, (agent) => isOpened && keptAgents.of(agent) !== undefined);
    },
    events: (agent, from) => readFileLog({ folder: paths.agent(agent), disk }, from),
    last: (agent) => lastIn(join(paths.agent(agent), "log"), disk),
    unread: async (agent, marks) =>
      (await readMailbox(join(paths.agent(agent), "mailbox"), disk, marks)).unread,
    async recordText(agent) {
      const known = keptAgents.of(agent);
      return known ? known.record : recordText(agent);
    },
    isForeign: isOthers,
    atRest: keptAgents.atRest,
    excerpt: keptExcerpts.excerpt,
    async digested(agent) {
      const marks = keptAgents.marks(agent);
      const log = createDigestedLog({ folder: paths.agent(agent), disk, marks });
      // What came with somebody else's log may be theirs as well.
      if (await isOthers(agent).catch(() => true)) return { log };
      return {
        ...{ log, place: digestFile(digests, agent), standings: keptAgents.keeper(agent) },
        elsewhere: () => foldElsewhere(agent, paths),
      };
    },
    lastStart: async () => readLastStart((await recordText(CONTROL)) ?? ""),
    blobs,
  });
  return {
    ...reader,
    paths,
    disk,
    async state(agent, modules) {
      const state = await reader.state(agent, modules);
      const place = { disk, folder: paths.agent(agent), corruptFolder: paths.corrupt };
      const edits = await createProjections(modules, place).reconcile(state);
      for (const edit of edits) foldState(state, { ...edit, seq: 0, epoch: 0, at: "" });
      return state;
    },
  };
}

async function lastIn(log: string, disk: Disk): Promise<number> {
  let last = 0;
  for await (const { records } of readSegments(log, disk, Number.MAX_SAFE_INTEGER))
    last = records.at(-1)?.seq ?? last;
  return last;
}

/**
 * The agents whose folders are in `folder`, Control not. A file in their place is nobody, and so are mere copies.
 *
 * @param isKept those that are known to be no copies; absent: of all that is looked for
 */
export async function agentsIn(
  folder: string,
  disk: Pick<Disk, "folders" | "exists">,
  isKept: (agent: AgentId) => boolean = () => false,
): Promise<readonly AgentId[]> {
  const ids = (await disk.folders(folder)).filter(isAgentId);
  return ids.filter((id) => isKept(id) || !holdsCopies(disk, join(folder, id)));
}

/** The real one, for whoever only looks. */
export function readingDisk(paths: LegionPaths): Disk {
  const nothing = (): Promise<void> => Promise.resolve();
  const unwritten = { ...createDisk(paths.tmp), sync: nothing, replace: nothing, remove: nothing };
  return lookingFirst(unwritten, paths);
}

/** Fewer bytes of a log are folded in less time than it takes to ask for it. */
const LONG_BYTES = 262_144;

async function foldElsewhere(
  agent: AgentId,
  { project, root, agent: folderOf }: LegionPaths,
): Promise<boolean> {
  const bytes = await bytesIn(join(folderOf(agent), "log"));
  if (bytes < LONG_BYTES) return false;
  const { digestThreads } = await import("./digest-threads.ts");
  return digestThreads.fold({ project, home: root, agent }, bytes);
}

async function bytesIn(folder: string): Promise<number> {
  const names = await readdir(folder).catch(() => []);
  const sizes = await Promise.all(
    names.map((name) =>
      lstat(join(folder, name)).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

const POLL_MS = 250;

/** The events of a log as they come, across the end of a node and the next start: from the disk, then from the node that runs. */
export async function* followFiles(
  reader: FileReader,
  agent: AgentId,
  { from, signal, live }: Following,
): AsyncGenerator<Event, undefined> {
  let next = from;
  let seenSize = "";
  const stored = async function* (): AsyncGenerator<Event> {
    for await (const event of reader.events(agent, next)) {
      next = event.seq + 1;
      yield event;
    }
  };
  while (!signal.aborted) {
    // Asked to tell before the disk is read, the node leaves no gap between the two.
    const told = await live(signal);
    const size = await sizeOf(reader, agent);
    if (size !== seenSize) yield* stored();
    seenSize = size;
    for await (const inspection of told) {
      if (inspection.kind !== "event") continue;
      const { event } = inspection;
      if (event.seq === 1) next = 1; // The log was deleted and began again.
      if (event.seq > next) yield* stored();
      if (event.seq < next) continue;
      next = event.seq + 1;
      yield event;
    }
    await delay(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
  return undefined;
}

/** Changes whenever the log grows, without reading it. */
async function sizeOf({ paths, disk }: FileReader, agent: AgentId): Promise<string> {
  const folder = join(paths.agent(agent), "log");
  const newest = (await disk.list(folder)).at(-1) ?? "";
  const bytes = await stat(join(folder, newest)).then(
    ({ size }) => size,
    () => 0,
  );
  return `${newest}:${bytes}`;
}

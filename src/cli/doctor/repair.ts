// Puts right what can be put right without losing anything: nothing is deleted but temporary files and dead sockets, and
// no log is rewritten. What cannot be read is copied to `corrupt`, and the agent is told of it.

import { randomUUID } from "node:crypto";
import { chmod, mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { settleArrivals } from "../../storage/files/arrivals.ts";
import { createClock } from "../../base/clock.ts";
import { messageOf } from "../../base/errors.ts";
import type { Redactor } from "../../base/redaction/redactor.ts";
import { createDisk } from "../../base/files/disk.ts";
import { deadHolder, takeLock } from "../../storage/folder/lock.ts";
import { CONTROL, type AgentId } from "../../domain/message/message.ts";
import { readableModules } from "../../config/module-loader.ts";
import { shownPath } from "../../base/files/project-file.ts";
import { createProjections } from "../../storage/folder/state-files.ts";
import type { FileReader } from "../../storage/files/reader/reader.ts";
import { openFileStore, type FileStore } from "../../storage/files/store.ts";
import { UNHOSTED } from "../../storage/contract/store.ts";
import { isPublic, privatePaths, stateAt } from "./check-access.ts";
import { stateOf } from "./check-state.ts";

export interface Repair {
  readonly repair: string;
  readonly status: "done" | "failed";
  /** Untrusted: it may quote files. */
  readonly detail: string;
}

const LOCK_WAIT_MS = 5_000;

/** Repairs the project, and says what it did. Throws LOCKED if a node runs: then nothing was touched. */
export async function* repair(reader: FileReader, redactor: Redactor): AsyncGenerator<Repair> {
  if (!reader.disk.exists(reader.paths.root)) return;
  yield* repairFiles(reader);
  yield* repairAgents(reader, redactor);
}

/** What needs no log. */
async function* repairFiles(reader: FileReader): AsyncGenerator<Repair> {
  const { paths } = reader;
  const disk = createDisk(paths.tmp);
  const dead = await deadHolder(paths.lock, disk);
  const temporary = (await disk.list(paths.tmp)).length;
  const lock = await takeLock(paths.lock, disk, { role: "command", waitMs: LOCK_WAIT_MS });
  try {
    if (dead) yield done("lock", `taken over from process ${dead.pid} on ${dead.host}, which is gone`);
    await disk.emptyTmp();
    if (temporary > 0) yield done("tmp", `removed ${temporary} left by a dead process`);
    const arrived = await disk.list(paths.arrivals);
    await settleArrivals(paths, disk);
    if (arrived.length > 0) yield done("arrivals", `brought to its place: ${arrived.join(", ")}`);
    if (disk.exists(paths.socket)) {
      await rm(paths.socket, { force: true });
      yield done("socket", "removed; no node listens there any more");
    }
    yield* repairModes(reader);
    for (const id of [CONTROL, ...(await reader.known())]) yield* clearWay(reader, id);
  } finally {
    await lock.release();
  }
}

function done(what: string, detail: string): Repair {
  return { repair: what, status: "done", detail };
}

function failed(what: string, error: unknown): Repair {
  return { repair: what, status: "failed", detail: messageOf(error) };
}

/** Folders 0700, files 0600. Links are left alone. */
async function* repairModes({ paths }: FileReader): AsyncGenerator<Repair> {
  if (process.getuid === undefined) return;
  const { project, root } = paths;
  for (const outermost of await privatePaths(paths))
    for await (const { path, found } of stateAt(outermost, root)) {
      if ((!found.isFile() && !found.isDirectory()) || (found.isFile() && isPublic(path))) continue;
      const wanted = found.isDirectory() ? 0o700 : 0o600;
      if ((found.mode & 0o777) === wanted) continue;
      const detail = `mode ${wanted.toString(8)}`;
      yield await attempt(shownPath(project, path), detail, () => chmod(path, wanted));
    }
}

/** Moves away what stands where a start has to write. */
async function* clearWay({ paths, disk }: FileReader, id: AgentId): AsyncGenerator<Repair> {
  const path = join(paths.agent(id), "agent.json");
  const state = await stateOf(disk, path);
  if (state === "whole") return;
  const aside = join(paths.corrupt, `${id}-agent.json-${randomUUID().slice(0, 8)}`);
  const was = state === "no file" ? "was no file" : "could not be read";
  const detail = `${was}; moved to ${shownPath(paths.project, aside)}`;
  yield await attempt(shownPath(paths.project, path), detail, async () => {
    await mkdir(paths.corrupt, { recursive: true, mode: 0o700 });
    await rename(path, aside);
  });
}

async function attempt(what: string, detail: string, work: () => Promise<unknown>): Promise<Repair> {
  try {
    await work();
    return done(what, detail);
  } catch (error) {
    return failed(what, error);
  }
}

/** Opens every log and mailbox as a start does: that sets bad lines aside, and brings the readable files up to date. */
async function* repairAgents(reader: FileReader, redactor: Redactor): AsyncGenerator<Repair> {
  const { paths } = reader;
  const disk = createDisk(paths.tmp);
  const before = await disk.list(paths.corrupt);
  try {
    const store = await openFileStore({
      paths,
      redactor,
      role: "command",
      durability: "disk",
      clock: createClock(),
      inspect: () => undefined,
      hosted: new Set(),
      disk,
    });
    try {
      for (const id of store.known()) yield* repairAgent(reader, store, id);
    } finally {
      await store.close();
    }
  } catch (error) {
    yield failed("logs", error);
  }
  for (const name of await disk.list(paths.corrupt))
    if (!before.includes(name)) yield done("corrupt", `a copy of what cannot be read: ${name}`);
}

async function* repairAgent(reader: FileReader, store: FileStore, id: AgentId): AsyncGenerator<Repair> {
  const { paths } = reader;
  const place = { disk: store.disk, folder: paths.agent(id), corruptFolder: paths.corrupt };
  const projector = createProjections(await readableModules(), place);
  try {
    const last = (await store.ledger(id))?.last ?? 0;
    await store.bus.unread(id);
    const memory = await store.openAgent(id, { view: UNHOSTED.view, projector });
    await memory.close();
    for await (const event of reader.events(id, last + 1)) {
      if (event.kind === "edited")
        yield done(`agent ${id}`, `a person's change of ${event.key} is in its log now`);
      if (event.kind === "notice") yield done(`agent ${id}`, `told: ${event.content}`);
    }
  } catch (error) {
    yield failed(`agent ${id}`, error);
  }
}

// What commands change in the files of a repository: git records all of them before and after, in the sandbox of the command's agent.
//
//   E10. Nothing that the project names is run: no hook, filter or monitor.
//   E11. Of the project's repository nothing is written: neither its index nor its refs nor its objects.
//   E12. What is told of a file is what was there, byte by byte; where that cannot be known, it is said why.

import { createHash } from "node:crypto";
import { lstatSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { isLegionError, LegionError, messageOf } from "../../base/errors.ts";
import type { Closing } from "../../base/process/closing.ts";
import { inTurns } from "../../base/turns.ts";
import { clause } from "../../domain/message/receipt.ts";
import type { WorktreeRepository } from "../environment.ts";
import { changesIn, type CommandChanges } from "./changes.ts";
import { inTime, runScript, type ScriptRun, type SnapshotPlace } from "./run.ts";
import { judgeSeed } from "./seed.ts";
import {
  createSnapshotStore,
  filesIn,
  makeFolder,
  type SnapshotFolder,
  type SnapshotStore,
} from "./store.ts";

export interface Snapshots {
  /** Before a command runs; `undefined` where there is no repository, or no sandbox. Never rejects. */
  begin(): Promise<BegunSnapshot | undefined>;
  /** Nothing of it runs any more; to be called before its environment is closed. */
  close(): Promise<void>;
}

export interface BegunSnapshot {
  /** When the command has ended. Never rejects. */
  end(): Promise<CommandChanges>;
  /** To be called once, whether or not anybody wanted to know. */
  close(): Promise<void>;
}

export interface SnapshotLimits {
  /** In the workspace, what git ignores not counted. */
  readonly files: number;
  /** How long one look may take, in milliseconds; a command waits for two, the first of a start for three. */
  readonly ms: number;
}

const LIMITS: SnapshotLimits = { files: 100_000, ms: 1_000 };
/** Where a look came to nothing, nobody waits for another one for so many times as long. */
const PAUSES = 60;
/** How long its program waits for the next command. */
const WARM_MS = 5_000;
const HELD_ELSEWHERE = "its repository is kept elsewhere";

/**
 * Those of all workspaces of a home, each with one folder for all its agents.
 * @param folder absolute; only this process uses it, and what is in it may be deleted whenever it does not run
 */
export function openSnapshots(folder: string, closing: Pick<Closing, "add">, limits = LIMITS) {
  closing.add(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));
  const opened = new Map<string, WorkspaceLooks>();
  return {
    of(place: SnapshotPlace): Snapshots {
      const { workspace } = place;
      const name = createHash("sha256").update(workspace).digest("hex").slice(0, 16);
      const one = opened.get(workspace) ?? workspaceLooks(join(folder, name), limits);
      opened.set(workspace, one);
      return agentSnapshots(place, one);
    },
  };
}

type WorkspaceLooks = ReturnType<typeof workspaceLooks>;

function workspaceLooks(folder: string, limits: SnapshotLimits) {
  const store = createSnapshotStore(folder);
  return { store, looking: createLooking(store, limits) };
}

interface WarmRun {
  readonly run: ScriptRun;
  readonly folder: SnapshotFolder;
}

/** The program of an agent stays for a moment: the next command mostly comes soon. */
function createWarm({ store }: Pick<WorkspaceLooks, "store">) {
  let warm: WarmRun | undefined;
  let cooling: NodeJS.Timeout | undefined;
  const take = (): WarmRun | undefined => {
    clearTimeout(cooling);
    const taken = warm;
    warm = undefined;
    return taken;
  };
  const end = async (one: WarmRun | undefined): Promise<void> => {
    await one?.run.end();
    if (one) await store.release(one.folder);
  };
  return {
    end,
    close: () => end(take()),
    async take(): Promise<WarmRun | undefined> {
      const found = take();
      if (found && store.isCurrent(found.folder)) return found;
      await end(found);
      return undefined;
    },
    async keep(one: WarmRun): Promise<void> {
      if (warm || !store.isCurrent(one.folder)) return end(one);
      warm = one;
      cooling = setTimeout(() => void end(take()), WARM_MS).unref();
    },
  };
}

function agentSnapshots(place: SnapshotPlace, { store, looking }: WorkspaceLooks): Snapshots {
  const warm = createWarm({ store });
  const start = async (repository: WorktreeRepository): Promise<WarmRun> => {
    const folder = await store.take();
    try {
      await looking.look(folder, async () => {
        if (folder.isNew) await makeFolder(folder.path, repository);
      });
      return { run: await runScript(place, repository, folder.path), folder };
    } catch (error) {
      await store.release(folder);
      throw error;
    }
  };
  return {
    async begin() {
      if (place.environment.kind !== "bubblewrap") return undefined;
      const repository = repositoryOf(place);
      if (repository === undefined) return undefined;
      if (typeof repository === "string") return unknown(repository);
      const pause = looking.pause();
      if (pause !== undefined) return unknown(pause);
      const one = (await warm.take()) ?? (await start(repository).catch(whyOf));
      if (typeof one === "string") return unknown(one);
      const { run, folder } = one;
      try {
        if (folder.isNew) await looking.look(folder, () => seed(one));
        await looking.look(folder, () => run.ask("look"));
      } catch (error) {
        await warm.end(one);
        return unknown(whyOf(error));
      }
      const differ = async (): Promise<CommandChanges> =>
        toChanges(await looking.look(folder, () => run.ask("differ")));
      let isDone = false;
      return {
        end: () => differ().then((changes) => ((isDone = true), changes), toUnknown),
        close: () => (isDone ? warm.keep(one) : warm.end(one)),
      };
    },
    close: warm.close,
  };
}

/** One look at a time: all write the same index. */
function createLooking(store: SnapshotStore, { ms, files: most }: SnapshotLimits) {
  const inTurn = inTurns();
  let paused = { until: 0, why: "" };
  return {
    /** Why nobody looks now; `undefined`: nothing stands against it. */
    pause: (): string | undefined => (performance.now() < paused.until ? paused.why : undefined),
    /** Rejects with REFUSED where it takes too long, or there are too many files. */
    look: <T>(folder: SnapshotFolder, work: () => Promise<T>): Promise<T> =>
      inTurn(async () => {
        const begun = performance.now();
        try {
          const came = await inTime(work(), ms);
          if ((await filesIn(folder.path)) <= most) return came;
          throw new LegionError("REFUSED", `it has more than ${most} files`);
        } catch (error) {
          store.discard(folder);
          const now = performance.now();
          paused = { until: now + (now - begun) * PAUSES, why: whyOf(error) };
          throw error;
        }
      }),
  };
}

async function seed({ run, folder }: WarmRun): Promise<void> {
  // Somebody else was first.
  if (!folder.isNew) return;
  await run.ask("seed");
  await judgeSeed(folder.path);
  folder.isNew = false;
}

function toChanges(printed: Buffer): CommandChanges {
  const [word = ""] = printed.toString("latin1", 0, MOVED.length + 1).split("\n");
  if (word === MOVED) throw new LegionError("REFUSED", "branches or other refs were moved");
  return { kind: "known", files: changesIn(printed.subarray(word.length + 1)) };
}

const MOVED = "moved";

/** `undefined` if there is none; a text says why nothing is known of it. */
function repositoryOf({ workspace, repository }: SnapshotPlace): WorktreeRepository | string | undefined {
  if (repository) return repository;
  const own = join(workspace, ".git");
  const found = lstatSync(own, { throwIfNoEntry: false });
  if (!found) return undefined;
  return found.isDirectory() ? { own, shared: own } : HELD_ELSEWHERE;
}

function unknown(why: string): BegunSnapshot {
  return { end: () => Promise.resolve({ kind: "unknown", why }), close: () => Promise.resolve() };
}

function toUnknown(error: unknown): CommandChanges {
  return { kind: "unknown", why: whyOf(error) };
}

function whyOf(error: unknown): string {
  return clause(isLegionError(error) ? error.message : messageOf(error));
}

// A disk in memory that fails at the call that it is told to. Every call of the interface counts, also those of its open
// files; an asynchronous one takes some turns of the event loop, and others come in between.

import { dirname, join } from "node:path";
import { LegionError } from "../../src/base/errors.ts";
import type { AppendFile, Disk } from "../../src/base/files/disk.ts";
import type { Files, Random } from "./files.ts";

export interface DiskCall {
  /** The how manieth call it is, from 1. */
  readonly n: number;
  /** `append` and `flush` are the calls of an open file. */
  readonly op: keyof Disk | "append" | "flush";
  readonly path: string;
}

/** What happens to a call; `done` is the share of its work that is done all the same, 0 to 1. */
export type Blow =
  | {
      /** The machine stops: no call of this disk returns any more. */ readonly kind: "crash";
      readonly done: number;
    }
  | { /** The call says that all is done. */ readonly kind: "skip"; readonly done: number }
  | { readonly kind: "error"; readonly errno: Errno; readonly done: number };

export type Errno = keyof typeof ERRORS;

const ERRORS = {
  ENOSPC: "no space left on device",
  EIO: "i/o error",
  EACCES: "permission denied",
  EROFS: "read-only file system",
  EMFILE: "too many open files",
} as const;

export interface FaultyDisk extends Disk {
  /** How many calls there were. */
  readonly calls: number;
  readonly crashed: boolean;
  /** Resolves when the machine has stopped. */
  readonly stopped: Promise<void>;
  /** Stops the machine between two calls. */
  turnOff(): void;
}

export interface FaultyDiskOptions {
  /** What is on it; changes with every call until it crashes. */
  readonly files: Files;
  /** Nothing fails if absent. */
  readonly blow?: (call: DiskCall) => Blow | undefined;
  /** How long each step of a call takes; always the same time if absent. */
  readonly random?: Random;
}

export function createFaultyDisk({
  files,
  blow = () => undefined,
  random = () => 0,
}: FaultyDiskOptions): FaultyDisk {
  const machine = createMachine(blow, random);
  const { run, runNow } = machine;
  const bytesOf = (path: string): Buffer | undefined => files.get(path)?.bytes;
  const put = (path: string, bytes: Buffer | undefined): void => {
    files.set(path, { bytes, synced: bytes?.length ?? 0, before: { bytes: bytesOf(path) } });
  };
  const settle = (path: string): void => {
    const { bytes, synced } = files.get(path)!;
    if (bytes) files.set(path, { bytes, synced });
    else files.delete(path);
  };
  return {
    get calls() {
      return machine.calls;
    },
    get crashed() {
      return machine.crashed;
    },
    stopped: machine.stopped,
    turnOff: machine.turnOff,
    list: (path) => run("list", path, [], () => namesIn(path, files)),
    folders: (path) =>
      run("folders", path, [], () =>
        namesIn(path, files).filter((name) => kindOf(join(path, name), files) === "folder"),
      ),
    read: (path, maxBytes = Infinity, offset = 0) =>
      run("read", path, [], () => bytesOf(path)?.subarray(offset, offset + maxBytes)),
    exists: (path) =>
      runNow({ op: "exists", path, failed: () => false }, () => kindOf(path, files) !== undefined),
    size: (path) => run("size", path, [], () => bytesOf(path)?.length),
    kind: (path) => run("kind", path, [], () => kindOf(path, files)),
    create(path) {
      runNow({ op: "create", path }, (done) => {
        if (done < 1) return;
        if (bytesOf(path)) throw storageError(path, "EEXIST: file already exists");
        put(path, Buffer.alloc(0));
      });
      return appendFile(path, files, machine);
    },
    extend(path) {
      runNow({ op: "extend", path }, () => {
        if (!bytesOf(path)) throw storageError(path, "ENOENT: no such file");
      });
      return appendFile(path, files, machine);
    },
    async overwrite(path, patches) {
      const writes = patches.flatMap(({ offset, bytes }) => {
        const half = Math.ceil(bytes.length / 2);
        return [
          { offset, bytes: bytes.subarray(0, half) },
          { offset: offset + half, bytes: bytes.subarray(half) },
        ];
      });
      const steps = writes.map(({ offset, bytes }) => (): void => {
        const file = files.get(path);
        if (!file?.bytes) throw storageError(path, "ENOENT: no such file");
        const whole = Buffer.from(file.bytes);
        whole.set(bytes, offset);
        files.set(path, { ...file, bytes: whole });
      });
      await run("overwrite", path, steps, () => undefined);
    },
    async sync(path) {
      const flush = (): void => {
        const file = files.get(path);
        if (file) files.set(path, { ...file, synced: file.bytes?.length ?? 0 });
        else for (const name of [...files.keys()]) if (dirname(name) === path) settle(name);
      };
      await run("sync", path, [flush], () => undefined);
    },
    replace: (path, content) =>
      run("replace", path, [() => put(path, Buffer.from(content)), () => settle(path)], () => undefined),
    put: (path, content) => run("put", path, [() => put(path, Buffer.from(content))], () => undefined),
    async claim(path, content) {
      let won = false;
      const link = (): void => {
        won = bytesOf(path) === undefined;
        if (won) put(path, Buffer.from(content));
      };
      return run("claim", path, [link, () => won && settle(path)], () => won);
    },
    async remove(path) {
      const unlink = (): void => {
        if (bytesOf(path)) put(path, undefined);
      };
      return run("remove", path, [unlink, () => files.has(path) && settle(path)], () => undefined);
    },
    emptyTmp: () => run("emptyTmp", "", [], () => undefined),
    touch: (path) => run("touch", path, [], () => undefined),
  };
}

function appendFile(path: string, files: Files, { run, runNow }: Machine): AppendFile {
  return {
    path,
    write: (bytes) =>
      runNow({ op: "append", path }, (done) => {
        const file = files.get(path)!;
        const written = bytes.subarray(0, Math.floor(bytes.length * done));
        files.set(path, { ...file, bytes: Buffer.concat([file.bytes!, written]) });
      }),
    empty: () =>
      runNow({ op: "append", path }, () => void files.set(path, { bytes: Buffer.alloc(0), synced: 0 })),
    async sync() {
      // What is written after the flush began is not part of it.
      const synced = files.get(path)?.bytes?.length ?? 0;
      await run(
        "flush",
        path,
        [() => files.set(path, { bytes: files.get(path)!.bytes, synced })],
        () => undefined,
      );
    },
    close: () => undefined,
  };
}

/** Counts the calls and lets them happen, wholly or in part. */
interface Machine {
  readonly calls: number;
  readonly crashed: boolean;
  readonly stopped: Promise<void>;
  turnOff(): void;
  /** An asynchronous call: does `steps` one after the other, then gives `value`. */
  run<T>(op: DiskCall["op"], path: string, steps: readonly (() => unknown)[], value: () => T): Promise<T>;
  /** A synchronous one: `work` is told which share of it to do. Gives `failed`, or throws, where it fails. */
  runNow<T>(
    call: Pick<DiskCall, "op" | "path"> & { readonly failed?: () => T },
    work: (done: number) => T,
  ): T;
}

function createMachine(blow: NonNullable<FaultyDiskOptions["blow"]>, random: Random): Machine {
  let calls = 0;
  let crashed = false;
  let stop = (): void => undefined;
  const stopped = new Promise<void>((resolve) => (stop = resolve));
  const never = <T>(): Promise<T> => new Promise(() => undefined);
  const turnOff = (): void => {
    crashed = true;
    stop();
  };
  const pause = async (): Promise<void> => {
    for (let turns = 1 + Math.floor(random() * 3); turns > 0; turns--)
      await new Promise((resolve) => setImmediate(resolve));
  };
  return {
    get calls() {
      return calls;
    },
    get crashed() {
      return crashed;
    },
    stopped,
    turnOff,
    async run(op, path, steps, value) {
      if (crashed) return never();
      const hit = blow({ n: ++calls, op, path });
      for (const step of steps.slice(0, Math.round(steps.length * (hit?.done ?? 1)))) {
        await pause();
        if (crashed) return never();
        step();
      }
      await pause();
      if (hit?.kind === "crash") turnOff();
      if (crashed) return never();
      if (hit?.kind === "error") throw storageError(path, `${hit.errno}: ${ERRORS[hit.errno]}`);
      return value();
    },
    runNow({ op, path, failed }, work) {
      const hit = crashed ? undefined : blow({ n: ++calls, op, path });
      if (!crashed && !hit) return work(1);
      if (hit?.kind === "skip") return work(hit.done);
      if (hit && hit.done > 0) work(hit.done);
      if (hit?.kind === "crash") turnOff();
      if (failed) return failed();
      throw storageError(
        path,
        hit?.kind === "error" ? `${hit.errno}: ${ERRORS[hit.errno]}` : "the machine is off",
      );
    },
  };
}

/** A name in the way of folders is no folder: on this disk those are only what names have in common. */
function kindOf(path: string, files: Files): "file" | "folder" | undefined {
  if (files.get(path)?.bytes) return "file";
  return namesIn(path, files).length > 0 ? "folder" : undefined;
}

function namesIn(folder: string, files: Files): string[] {
  const names = [...files]
    .filter(([path, { bytes }]) => bytes && path.startsWith(`${folder}/`))
    .map(([path]) => path.slice(folder.length + 1).split("/")[0]!);
  return [...new Set(names)].sort();
}

function storageError(path: string, text: string): LegionError {
  return new LegionError("STORAGE", `${path}: ${text}`);
}

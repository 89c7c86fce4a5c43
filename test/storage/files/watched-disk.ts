import type { AppendFile, Disk } from "../../../src/base/files/disk.ts";

export interface DiskCall {
  readonly op:
    | "create"
    | "extend"
    | "write"
    | "overwrite"
    | "sync"
    | "flush"
    | "replace"
    | "put"
    | "claim"
    | "remove"
    | "read"
    | "list";
  readonly path: string;
}

/** Is told of every call before it is made; may throw, or hold an asynchronous one back. */
export type Watch = (call: DiskCall) => void | Promise<void>;

/** `disk`, watched: `sync` is one of an open file, `flush` one of a path. */
export function watchDisk(disk: Disk, watch: Watch): Disk {
  const sync = (call: DiskCall): void => void watch(call);
  const watched = (file: AppendFile): AppendFile => ({
    ...file,
    write(bytes) {
      sync({ op: "write", path: file.path });
      file.write(bytes);
    },
    async sync() {
      await watch({ op: "sync", path: file.path });
      await file.sync();
    },
  });
  return {
    ...disk,
    async list(path) {
      await watch({ op: "list", path });
      return disk.list(path);
    },
    async read(path, maxBytes, offset) {
      await watch({ op: "read", path });
      return disk.read(path, maxBytes, offset);
    },
    create(path) {
      sync({ op: "create", path });
      return watched(disk.create(path));
    },
    extend(path) {
      sync({ op: "extend", path });
      return watched(disk.extend(path));
    },
    async overwrite(path, patches) {
      await watch({ op: "overwrite", path });
      await disk.overwrite(path, patches);
    },
    async sync(path) {
      await watch({ op: "flush", path });
      await disk.sync(path);
    },
    async replace(path, content) {
      await watch({ op: "replace", path });
      await disk.replace(path, content);
    },
    async put(path, content) {
      await watch({ op: "put", path });
      await disk.put(path, content);
    },
    async claim(path, content) {
      await watch({ op: "claim", path });
      return disk.claim(path, content);
    },
    async remove(path) {
      await watch({ op: "remove", path });
      await disk.remove(path);
    },
  };
}

/** Fails every call from the `n`-th on of those that change something, as a full or broken disk does. */
export function failFrom(n: number): Watch {
  let calls = 0;
  return ({ op, path }) => {
    if (op === "read" || op === "list" || ++calls < n) return;
    throw Object.assign(new Error(`ENOSPC: no space left on device, ${op} '${path}'`), { code: "ENOSPC" });
  };
}

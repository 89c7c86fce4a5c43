// A disk of which somebody sees every path before it is used.

import type { Disk } from "./disk.ts";

/** The same disk, of which `look` sees every path before it is used. What that throws is thrown, or rejected with. */
export function beforeEach(disk: Disk, look: (path: string) => void): Disk {
  const then =
    <A extends readonly unknown[], R>(use: (path: string, ...rest: A) => R) =>
    (path: string, ...rest: A): R => {
      look(path);
      return use(path, ...rest);
    };
  const later =
    <A extends readonly unknown[], R>(use: (path: string, ...rest: A) => Promise<R>) =>
    async (path: string, ...rest: A): Promise<R> => {
      look(path);
      return use(path, ...rest);
    };
  const { exists, create, extend } = disk;
  return {
    ...disk,
    ...{ list: later(disk.list), folders: later(disk.folders), read: later(disk.read) },
    ...{ exists: then(exists), create: then(create), extend: then(extend) },
    ...{ size: later(disk.size), kind: later(disk.kind), overwrite: later(disk.overwrite) },
    ...{ sync: later(disk.sync), replace: later(disk.replace), claim: later(disk.claim) },
    ...{ remove: later(disk.remove), touch: later(disk.touch) },
  };
}

// A process that takes a lock when it is told to, and says what came of it.

import { join } from "node:path";
import { isLegionError } from "../../../src/base/errors.ts";
import { createDisk } from "../../../src/base/files/disk.ts";
import { takeLock, type Lock } from "../../../src/storage/folder/lock.ts";

export interface LockOrder {
  readonly root: string;
  readonly role: "node" | "command";
}

export interface LockAnswer {
  /** The epoch of the lock; absent if it was refused. */
  readonly epoch?: number;
  readonly refusal?: string;
}

/** Locks in use are kept: without them nothing would touch them. */
const locks: Lock[] = [];

async function obey({ root, role }: LockOrder): Promise<LockAnswer> {
  try {
    const lock = await takeLock(join(root, "lock"), createDisk(join(root, "tmp")), { role, waitMs: 0 });
    locks.push(lock);
    return { epoch: lock.epoch };
  } catch (error) {
    if (isLegionError(error, "LOCKED")) return { refusal: error.message };
    throw error;
  }
}

process.on("message", (order: LockOrder) => {
  void obey(order).then((answer) => process.send?.(answer));
});

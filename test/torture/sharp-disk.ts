// A disk that kills its own process at a chosen call: the moments that a clock seldom hits.

import type { AppendFile, Disk } from "../../src/base/files/disk.ts";
import { LOOKED } from "./carrier.ts";

/**
 * - `before`, `after`: a record of this kind is about to be written, or has just become durable (`mail`: in a mailbox,
 *   `sends`: a record with messages).
 * - `torn`: half of an append is written.
 * - `replace`: a whole file such as goals.json is about to be replaced.
 * - `effect`: something was done outside.
 */
export type SharpPoint =
  | { readonly at: "before" | "after"; readonly kind: RecordKind; readonly n: number }
  | { readonly at: "torn" | "replace" | "effect"; readonly n: number };

/** `steer`: the commit that takes one in; `look`: one result of several calls that ran side by side. */
export type RecordKind =
  | "message"
  | "decision"
  | "approval"
  | "result"
  | "mail"
  | "sends"
  | "released"
  | "steer"
  | "look"
  | "observed"
  | "sent";

const MARKS: Readonly<Record<RecordKind, readonly string[]>> = {
  message: ['"kind":"message"'],
  decision: ['"kind":"decision"'],
  approval: ['"kind":"approval"'],
  result: ['"kind":"result"'],
  mail: ['"kind":"mail"'],
  sends: ['"sends":['],
  released: ['"kind":"released"'],
  observed: ['"kind":"observed"'],
  sent: ['"kind":"sent"'],
  steer: ['"kind":"message"', '"delivery":"steer"'],
  look: ['"kind":"result"', `"content":"${LOOKED}"`],
};

export interface Fuse {
  readonly disk: Disk;
  readonly afterEffect: () => void;
}

/** The n-th time that the process comes to `point`, it ends there. */
export function lightFuse(disk: Disk, point: SharpPoint | undefined): Fuse {
  let left = point?.n ?? Infinity;
  const pass = (at: SharpPoint["at"], times = 1): boolean => point?.at === at && (left -= times) <= 0;
  const marks = point && "kind" in point ? MARKS[point.kind] : undefined;
  const watch = (file: AppendFile): AppendFile => {
    let unflushed = 0;
    return {
      ...file,
      write(bytes) {
        if (pass("torn")) {
          file.write(bytes.subarray(0, bytes.length / 2));
          die();
        }
        const isMarked = marks?.every((mark) => Buffer.from(bytes).includes(mark)) ?? false;
        if (isMarked && pass("before")) die();
        if (isMarked) unflushed++;
        file.write(bytes);
      },
      async sync() {
        const flushed = unflushed;
        unflushed = 0;
        await file.sync();
        if (flushed > 0 && pass("after", flushed)) die();
      },
    };
  };
  return {
    disk: {
      ...disk,
      create: (path) => watch(disk.create(path)),
      extend: (path) => watch(disk.extend(path)),
      replace(path, content) {
        if (!path.endsWith("agent.json") && pass("replace")) die();
        return disk.replace(path, content);
      },
    },
    afterEffect() {
      if (pass("effect")) die();
    },
  };
}

function die(): void {
  process.kill(process.pid, "SIGKILL");
}

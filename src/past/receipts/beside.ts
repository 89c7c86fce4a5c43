// Which calls run side by side in one workspace: what one of them changed may be another's.

import type { Write } from "./stale.ts";

/** A call that writes, or may. */
export type WritingCall = Pick<Write, "agent" | "wrote" | "ran">;

export interface RunningWriter {
  /** All that ran beside it, at any time so far. */
  readonly beside: ReadonlySet<WritingCall>;
  /** To be called once. */
  end(came: { readonly hasWritten: boolean }): void;
}

export function createBeside(): (writer: WritingCall) => RunningWriter {
  const running = new Map<WritingCall, Set<WritingCall>>();
  return (writer) => {
    const beside = new Set(running.keys());
    for (const others of running.values()) others.add(writer);
    running.set(writer, beside);
    return {
      beside,
      end({ hasWritten }) {
        running.delete(writer);
        if (!hasWritten) for (const others of running.values()) others.delete(writer);
      },
    };
  };
}

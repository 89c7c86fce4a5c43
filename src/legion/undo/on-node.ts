// Undo where agents run: none of them is in a call meanwhile.

import type { AgentId } from "../../domain/message/message.ts";
import type { Supervised } from "../supervision/supervisor.ts";
import type { UndoPlace } from "./place.ts";
import type { UndoReport } from "./report-schema.ts";

export interface Undoing {
  /** As `undo`, when the calls of all agents here have ended; none begins meanwhile. */
  undo(what: string): Promise<UndoReport>;
}

/** What it takes is loaded when it is wanted. */
export function createUndoing(
  place: UndoPlace,
  { settings }: { readonly settings: (module: string) => Readonly<Record<string, unknown>> },
  agents: ReadonlyMap<AgentId, Supervised>,
) {
  // Which paths are protected may change while it runs.
  const now = (): UndoPlace => ({ ...place, ...(settings("system") as Pick<UndoPlace, "protectedPaths">) });
  return {
    async undo(what: string): Promise<UndoReport> {
      const { undo } = await import("./undo.ts");
      return atRest([...agents.values()], () => undo(what, now()));
    },
    /** Goes on with what an undo before left unfinished. To be called before any agent runs. */
    async finish(): Promise<void> {
      if (place.disk.exists(place.paths.unfinishedUndo))
        await (await import("./carry-out.ts")).finishUndo(now());
    },
  };
}

/** Does `work` while none of them runs a call. Who cannot run at all, or is closed, runs none. */
async function atRest<T>(agents: readonly Supervised[], work: () => Promise<T>): Promise<T> {
  let release = (): void => undefined;
  const over = new Promise<void>((resolve) => (release = resolve));
  const holding = agents
    .filter(({ isAsleep }) => !isAsleep)
    .map(
      (agent) =>
        new Promise<void>((resolve) => {
          const hold = (): Promise<void> => {
            resolve();
            return over;
          };
          agent.alone(hold).catch(() => resolve());
        }),
    );
  try {
    await Promise.all(holding);
    return await work();
  } finally {
    release();
  }
}

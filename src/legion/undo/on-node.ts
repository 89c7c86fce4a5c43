// Undo where agents run: none of them is in a call meanwhile.

import { inTurns } from "../../base/turns.ts";
import type { AgentId } from "../../domain/message/message.ts";
import type { Supervised } from "../supervision/supervisor.ts";
import type { UndoPlace } from "./place.ts";
import type { UndoReport } from "./report-schema.ts";

export interface Undoing {
  /**
   * As `undo`, when the calls of all agents here have ended; nobody begins one meanwhile. One undo waits for another. Rejects at once
   * where no log has `what`.
   */
  undo(what: string): Promise<UndoReport>;
  /** Whose calls an undo waits for. */
  undoWaitsFor(): readonly AgentId[];
}

/** What it takes is loaded when it is wanted. */
export function createUndoing(
  place: UndoPlace,
  { settings }: { readonly settings: (module: string) => Readonly<Record<string, unknown>> },
  agents: ReadonlyMap<AgentId, Supervised>,
) {
  // Which paths are protected may change while it runs.
  const now = (): UndoPlace => ({ ...place, ...(settings("system") as Pick<UndoPlace, "protectedPaths">) });
  const inTurn = inTurns();
  const running = new Set<AgentId>();
  let over: Promise<unknown> = Promise.resolve();
  return {
    async undo(what: string): Promise<UndoReport> {
      const { undo, checkChoice } = await import("./undo.ts");
      await checkChoice(what, place);
      const report = inTurn(() => atRest(agents, running, () => undo(what, now())));
      over = report.catch(() => undefined);
      return report;
    },
    /** Resolves when nothing is taken back: whoever is opened meanwhile begins no call before. */
    mayRun: (): Promise<unknown> => over,
    undoWaitsFor: (): readonly AgentId[] => [...running],
    /** Goes on with what an undo before left unfinished. To be called before any agent runs. */
    async finish(): Promise<void> {
      if (place.disk.exists(place.paths.unfinishedUndo))
        await (await import("./carry-out.ts")).finishUndo(now());
    },
  };
}

/** Does `work` while none of them runs a call; those that still do are in `running`. Who cannot run at all, or is closed, runs none. */
async function atRest<T>(
  agents: ReadonlyMap<AgentId, Supervised>,
  running: Set<AgentId>,
  work: () => Promise<T>,
): Promise<T> {
  let release = (): void => undefined;
  const over = new Promise<void>((resolve) => (release = resolve));
  const hold = (id: AgentId, agent: Supervised): Promise<void> => {
    running.add(id);
    return new Promise<void>((resolve) => {
      const held = (): Promise<void> => {
        resolve();
        return over;
      };
      agent.alone(held).catch(() => resolve());
    }).finally(() => running.delete(id));
  };
  try {
    await Promise.all([...agents].flatMap(([id, agent]) => (agent.isAsleep ? [] : hold(id, agent))));
    return await work();
  } finally {
    release();
  }
}

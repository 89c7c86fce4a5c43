// Undo where agents run: none of them is in a call meanwhile.

import { inTurns } from "../../base/turns.ts";
import type { AgentId } from "../../domain/message/message.ts";
import type { Supervised } from "../supervision/supervisor.ts";
import type { UndoPlace } from "./place.ts";
import type { UndoReport } from "../../domain/undo/report.ts";

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
  let underWay: Promise<unknown> = Promise.resolve();
  return {
    async undo(what: string): Promise<UndoReport> {
      const checked = import("./undo.ts").then(async ({ checkChoice, undo }) => {
        await checkChoice(what, place);
        return undo;
      });
      // Whoever asked first is first, however long it takes to find what they mean.
      const report = inTurn(async () => {
        const undo = await checked;
        return atRest(agents, running, () => {
          const done = undo(what, now());
          underWay = done.catch(() => undefined);
          return done;
        });
      });
      report.catch(() => undefined);
      await checked;
      return report;
    },
    /** Resolves when nothing is being taken back: whoever is opened meanwhile begins no call before. */
    mayRun: (): Promise<unknown> => underWay,
    undoWaitsFor: (): readonly AgentId[] => [...running],
    /** Goes on with what an undo before left unfinished. To be called before any agent runs. */
    async finish(): Promise<void> {
      if (place.disk.exists(place.paths.unfinishedUndo))
        await (await import("./carry-out.ts")).finishUndo(now());
    },
  };
}

/**
 * Does `work` while none of them runs a call; those that still do are in `running`. Who cannot run at all, or is closed, runs none. Who is
 * opened before that is free to run until its turn comes: a call that is waited for may be waiting for it.
 */
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
  const held = new Set<AgentId>();
  const atLarge = () => [...agents].filter(([id, agent]) => !agent.isAsleep && !held.has(id));
  try {
    for (let more = atLarge(); more.length > 0; more = atLarge()) {
      for (const [id] of more) held.add(id);
      await Promise.all(more.map(([id, agent]) => hold(id, agent)));
    }
    // In the same turn as the last look: whoever is opened from now on finds that it is under way.
    return await work();
  } finally {
    release();
  }
}

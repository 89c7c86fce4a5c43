// Has the files of module state, which people read, show what the log holds.

import type { Event, NewEvent, StateChange } from "../../domain/event/event.ts";
import type { ModuleState } from "../state.ts";

/** Keeps what people can read of module state. */
export interface Projector {
  write(changes: readonly StateChange[], state: ModuleState): Promise<void>;
  /** Brings the files up to the state after an opening. Returns what is to be committed for them, each by itself. */
  reconcile(state: ModuleState): Promise<readonly NewEvent[]>;
}

/** Shows `changes`, by default those that could not be shown before; nothing after a `reconcile`. */
export type WriteFiles = (changes?: readonly StateChange[]) => Promise<void>;

export function createFiles(projector: Projector, state: () => ModuleState): WriteFiles {
  let behind: readonly StateChange[] = [];
  return async (changes = behind) => {
    behind = changes;
    if (behind.length > 0) await projector.write(behind, state());
    behind = [];
  };
}

/** Commits events as `append` does, once the files show what stands before them. */
export function showing(
  write: WriteFiles,
  append: (events: readonly NewEvent[]) => Promise<readonly Event[]>,
) {
  return async (...events: readonly NewEvent[]): Promise<readonly Event[]> => {
    await write();
    const added = await append(events);
    await write(added.flatMap(changesOf));
    return added;
  };
}

function changesOf(event: Event): readonly StateChange[] {
  if (event.kind === "result") return event.state ?? [];
  return event.kind === "edited" ? [[event.module, event.key, event.value]] : [];
}

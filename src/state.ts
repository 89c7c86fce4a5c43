// Module state: what the results and edits of a log add up to, one value per module and key.

import type { Event, StateChange } from "./event.ts";

/** Module -> key -> value; keys in order of their last change. */
export interface ModuleState {
  readonly modules: Map<string, Map<string, unknown>>;
  /**
   * What the actor's newest commit replaced, `undefined` where a key was new: a crash may have left files that show
   * this. They are written before its next one.
   */
  before: readonly { readonly module: string; readonly key: string; readonly value: unknown }[];
}

export function createModuleState(): ModuleState {
  return { modules: new Map(), before: [] };
}

/** Takes one event into account. Events come in the order of the log. */
export function foldState(state: ModuleState, event: Event): void {
  if (event.kind === "result") applyChanges(state, event.state ?? []);
  else if (event.kind === "edited") applyChanges(state, [[event.module, event.key, event.value]]);
  else if (isActors(event)) state.before = [];
}

/**
 * Was it the actor's work? Then the files of what stands before it are written. The rest may be written to the log of an
 * agent that does not run: after a crash, files may be behind it.
 */
function isActors({ kind }: Event): boolean {
  return kind === "message" || kind === "decision" || kind === "summary";
}

export function valueOf(state: ModuleState, module: string, key: string): unknown {
  return state.modules.get(module)?.get(key);
}

export function keysOf(state: ModuleState, module: string): readonly string[] {
  return [...(state.modules.get(module)?.keys() ?? [])];
}

function applyChanges(state: ModuleState, changes: readonly StateChange[]): void {
  state.before = changes.map(([module, key]) => ({ module, key, value: valueOf(state, module, key) }));
  for (const [module, key, value] of changes) {
    const values = state.modules.get(module) ?? new Map<string, unknown>();
    state.modules.set(module, values);
    values.delete(key);
    if (value !== null && value !== undefined) values.set(key, value);
  }
}

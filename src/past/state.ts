// Module state: what the results and edits of a branch add up to, one value per module and key.

import type { Event, StateChange } from "../domain/event/event.ts";

type Values = ReadonlyMap<string, ReadonlyMap<string, unknown>>;

/** What one commit replaced, `undefined` where a key was new. */
type Replaced = readonly { readonly module: string; readonly key: string; readonly value: unknown }[];

/** Module -> key -> value; keys in order of their last change. */
export interface ModuleState {
  readonly modules: Map<string, Map<string, unknown>>;
  /**
   * What the newest commits replaced, newest first: files may show what was there before any of them. They are written
   * before the actor's next commit, so mostly it is one commit.
   */
  before: readonly Replaced[];
}

export function createModuleState(): ModuleState {
  return { modules: new Map(), before: [] };
}

/** Takes one event into account. Events come in the order of their branch. */
export function foldState(state: ModuleState, event: Event): void {
  if (settlesFiles(event)) state.before = [];
  if (event.kind === "result" && event.state) applyChanges(state, event.state);
  if (event.kind === "edited") {
    // Whoever found the edit has looked at all files of that module.
    const { module, key, value } = event;
    state.before = state.before.map((replaced) => replaced.filter((one) => one.module !== module));
    applyChanges(state, [[module, key, value]]);
  }
}

/**
 * Was it the actor's work? Then the files of what stands before it are written. The rest may be written to the log of an
 * agent that does not run: after a crash, files may be behind it.
 */
export function settlesFiles({ kind }: Event): boolean {
  return (
    kind === "message" ||
    kind === "released" ||
    kind === "decision" ||
    kind === "result" ||
    kind === "summary"
  );
}

/** The log has left the branch that came to `left`, and goes on with the one of `state`: files may still show the other. */
export function enterBranch(state: ModuleState, left: ModuleState): void {
  const all = [left, state].flatMap(({ modules }) =>
    [...modules].flatMap(([module, values]) =>
      [...values.keys()].map((key) => ({ module, key, value: valueOf(left, module, key) })),
    ),
  );
  const replaced = all.filter(({ module, key, value }) => value !== valueOf(state, module, key));
  state.before = [replaced, ...left.before];
}

export function valueOf(state: Pick<ModuleState, "modules">, module: string, key: string): unknown {
  return state.modules.get(module)?.get(key);
}

export function keysOf(state: ModuleState, module: string): readonly string[] {
  return [...(state.modules.get(module)?.keys() ?? [])];
}

/** What files may show beside `state`: how it was before each of its newest commits. */
export function earlierStates({ modules, before }: ModuleState): readonly ModuleState[] {
  let later: Values = modules;
  return before.map((replaced) => {
    const earlier = new Map([...later].map(([name, values]) => [name, new Map(values)]));
    for (const { module, key, value } of replaced) {
      const values = earlier.get(module) ?? new Map<string, unknown>();
      earlier.set(module, values);
      if (value === undefined) values.delete(key);
      else values.set(key, value);
    }
    later = earlier;
    return { modules: earlier, before: [] };
  });
}

function applyChanges(state: ModuleState, changes: readonly StateChange[]): void {
  const replaced = changes.map(([module, key]) => ({ module, key, value: valueOf(state, module, key) }));
  state.before = [replaced, ...state.before];
  for (const [module, key, value] of changes) {
    const values = state.modules.get(module) ?? new Map<string, unknown>();
    state.modules.set(module, values);
    values.delete(key);
    if (value !== null && value !== undefined) values.set(key, value);
  }
}

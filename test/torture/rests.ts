// Agents of the torture tests are closed as soon as they have nothing to do, and opened again: how often, the figures tell.

import { appendFileSync } from "node:fs";
import type { Backend } from "../../src/storage/contract/backend.ts";
import type { NodeStorage } from "../../src/storage/contract/node.ts";
import type { RestFigures } from "./fault.ts";
import type { Change } from "./program.ts";

/** What a process does with an agent: one line of the file of rests each. */
export type Rest = "closed" | "woken";

const FILE = "src/legion/hosting/rest/rests.ts";

/** None is kept open, nor rests before that. */
export const CLOSED_AT_ONCE: readonly Change[] = [
  { file: FILE, line: "export const KEPT_OPEN = 64;", instead: "export const KEPT_OPEN = 0;" },
  { file: FILE, line: "const RESTED_MS = 10_000;", instead: "const RESTED_MS = 0;" },
  { file: FILE, line: "const ROUND_MS = 1_000;", instead: "const ROUND_MS = 2;" },
];

export function countRests(rests: readonly Rest[]): RestFigures {
  const woken = rests.filter((rest) => rest === "woken").length;
  return { closed: rests.length - woken, woken };
}

/** Adds to `file` whenever an agent is closed while it rests, and when that is opened again. */
export function countingRests(backend: Backend, file: string): Backend {
  const add = (rest: Rest): void => appendFileSync(file, `${JSON.stringify(rest)}\n`);
  return {
    ...backend,
    openNode: async (order, surroundings) => counting(await backend.openNode(order, surroundings), add),
  };
}

function counting(storage: NodeStorage, add: (rest: Rest) => void): NodeStorage {
  const { store } = storage;
  const resting = store.resting!;
  const closed = new Set<string>();
  return {
    ...storage,
    store: {
      ...store,
      resting: {
        ...resting,
        stay(agent, at) {
          closed.add(agent);
          resting.stay(agent, at);
        },
        lieDown: (agent, close, rested) =>
          resting.lieDown(agent, close, () => {
            closed.add(agent);
            add("closed");
            rested?.();
          }),
      },
      async openAgent(agent, views) {
        if (closed.delete(agent)) add("woken");
        return store.openAgent(agent, views);
      },
    },
    begin: (host) =>
      storage.begin({
        ...host,
        // The right to run it was given away meanwhile, or never here.
        begin(agent) {
          closed.delete(agent);
          return host.begin(agent);
        },
      }),
  };
}

// An action that does not end by itself the first times that it runs.

import { core } from "../../../modules/core.ts";
import { defineAction, defineModule, ok } from "../../../src/domain/authoring/module.ts";
import { aborted } from "../../../src/base/process/signals.ts";

export const ACT = { calls: [{ action: "act" }] };

/** `state.runs` counts; from the run after `hanging` ones on it comes to an end. */
export function hanging(hanging: number) {
  const state = { runs: 0 };
  const act = defineAction({
    description: "Act",
    effects: "none",
    async execute(_, { signal }) {
      if (++state.runs <= hanging) await aborted(signal).then(() => signal.throwIfAborted());
      return ok("done");
    },
  });
  return { state, modules: [core, defineModule({ name: "acting", actions: { act } })] };
}

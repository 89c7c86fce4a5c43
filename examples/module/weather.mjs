// A module: it gives agents actions, keeps state for each of them, and may add a line to their prompt.
// `ai-legion` need not be installed here: the program that loads the module answers for it.

import { defineAction, defineModule, fail, ok, z } from "ai-legion";

export const weather = defineModule({
  name: "weather",
  // What every prompt shows: keep it short.
  pinnedMessage: ({ state }) => `Rain so far: ${Number(state.get("rain") ?? 0)} mm.`,
  actions: {
    recordRain: defineAction({
      description: "Record how much it rained",
      parameters: { millimetres: z.coerce.number().describe("rain since the last record") },
      effects: "none", // Only its own state: safe to run again after a crash.
      touches: [], // nothing outside: nobody has to be asked
      execute({ millimetres }, { state }) {
        // An expected refusal is a result that the model reads; what is thrown is shown to it as a failure, too.
        if (millimetres < 0) return fail("Rain does not fall upwards.");
        const total = Number(state.get("rain") ?? 0) + millimetres;
        state.set("rain", total); // Committed together with the result, or not at all.
        return ok(`Recorded. Total: ${total} mm.`);
      },
    }),
  },
});

// A module of your own: what an agent may do beyond what comes with AI Legion. agents/clerk.md uses it.

import { defineAction, defineModule, fail, ok, z } from "ai-legion";

export const calendar = defineModule({
  name: "calendar",

  // Stands in every prompt; keep it short. Actions are described to the model on their own.
  instructions: () => "Dates are written as 2026-11-21.",

  actions: {
    daysUntil: defineAction({
      description: "Count the days from today to a date",
      parameters: { date: z.string().describe("such as 2026-12-24") },
      // Nothing outside the agent changes, so it may be repeated after a crash.
      effects: "none",
      // Nor is anything outside touched, so nobody is asked.
      touches: [],
      execute({ date }) {
        const ms = Date.parse(date) - Date.now();
        if (Number.isNaN(ms)) return fail(`${date} is no date; write it as 2026-12-24.`);
        return ok(`${Math.ceil(ms / 86_400_000)} days.`);
      },
    }),
  },
});

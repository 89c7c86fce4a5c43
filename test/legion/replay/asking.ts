import { z } from "zod";
import { defineAction, defineModule, ok } from "../../../src/domain/authoring/module.ts";

/** A module whose action asks the model. */
export const asking = defineModule({
  name: "asking",
  actions: {
    ponder: defineAction({
      description: "Think about something",
      parameters: { about: z.string() },
      effects: "none",
      execute: async ({ about }, host) => ok(await host.complete(`What is ${about}?`)),
    }),
  },
});

// Agents that spend, and what they have spent.

import { z } from "zod";
import { expect } from "vitest";
import type { ScriptedAnswer } from "../src/model/scripted/scripted.ts";
import { defineAction, defineModule, ok } from "../src/domain/authoring/module.ts";
import type { World } from "./world.ts";

export const NOOP = { calls: [{ action: "noop" }] } satisfies ScriptedAnswer;
export const PRICE = { input: 3, output: 15 };

/** Never done: each of its decisions asks for another, and no two are the same. */
export function busy(_: unknown, index: number): ScriptedAnswer {
  return { calls: [{ action: "writeNote", parameters: { title: `n${index}`, content: "x" } }] };
}

export const asking = defineModule({
  name: "asking",
  actions: {
    ask: defineAction({
      description: "Ask the model something",
      parameters: { times: z.number() },
      effects: "none",
      async execute({ times }, host) {
        const answers = [];
        for (let n = 0; n < times; n++)
          answers.push(await host.complete(`question ${n}`, { maxOutput: 100 }).catch(String));
        return ok(answers.join(", "));
      },
    }),
  },
});

export function ask(times: number): ScriptedAnswer {
  return { calls: [{ action: "ask", parameters: { times } }] };
}

export function spending(world: World, id = "1") {
  return world.agent(id).memory.ledger.spent;
}

/** Nothing is reserved any more: the whole limit is there for one more call. */
export function leftover(world: World, id = "1"): Promise<boolean> {
  const { memory } = world.agent(id);
  const { budget } = world.legion;
  const { steps, tokens } = budget.spent();
  const { usage } = memory.ledger.spent;
  expect(memory.ledger.open).toEqual([]);
  expect(tokens).toBe(usage.input + usage.output);
  return budget.fits(
    { agent: id, epoch: 1, ledger: memory.ledger, limits: { tokens: tokens + 10, steps: steps + 1 } },
    { input: 5, output: 5, price: undefined },
  );
}

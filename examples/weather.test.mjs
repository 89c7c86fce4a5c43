// A test of such a program: everything is real but the model.
//
//   node --test examples/weather.test.mjs

import assert from "node:assert/strict";
import { test } from "node:test";
import { defineAction, defineModule, ok, z } from "ai-legion";
import { openTestLegion } from "ai-legion/testing";

const tellWeather = defineAction({
  description: "Tell the weather of a city",
  parameters: { city: z.string() },
  effects: "none",
  touches: [],
  execute: ({ city }) => ok(`It rains in ${city}.`),
});
const weather = defineModule({ name: "weather", actions: { tellWeather } });

await test("the agent looks at the weather before it answers", async (t) => {
  const legion = await openTestLegion([
    { calls: [{ action: "tellWeather", parameters: { city: "Oslo" } }] },
    "Take an umbrella.",
  ]);
  t.after(() => legion.stop());
  const agent = await legion.spawn({ modules: ["core", weather] });
  const { text, reason } = await agent.prompt("Shall I take an umbrella to Oslo?");
  assert.equal(text, "Take an umbrella.");
  assert.equal(reason, "completed");
  // The model was shown what the action came to.
  assert.match(JSON.stringify(legion.model.requests[1]), /It rains in Oslo\./);
});

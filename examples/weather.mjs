// The ten lines: a model, an agent with an action of its own, a question, its answer, and what that cost.
//
//   node examples/weather.mjs Shall I take an umbrella to Oslo?
//
// Without a key in the environment the offline model answers, which follows commands such as the one below.

import { Legion, defineAction, defineModule, ok, z } from "ai-legion";

const tellWeather = defineAction({
  description: "Tell the weather of a city",
  parameters: { city: z.string() },
  effects: "none", // To do it twice does no harm...
  touches: [], // ...and nobody has to be asked.
  execute: ({ city }) => ok(`It rains in ${city}.`),
});
const weather = defineModule({ name: "weather", actions: { tellWeather } });

const legion = await Legion.open({ store: "memory" });
const agent = await legion.spawn({ modules: ["core", weather] });
const question = process.argv.slice(2).join(" ") || "action: tellWeather\ncity: Oslo";
const { text, usage, cost } = await agent.prompt(question);
console.log(text);
console.log(`${usage.input + usage.output} tokens, ${cost ?? "an unknown number of"} USD`);
await legion.stop();

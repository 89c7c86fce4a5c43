// The same in TypeScript: `await using` stops the legion at the end of its block.
//
//   npx tsx examples/weather.mts Shall I take an umbrella to Oslo?

import { Legion, defineAction, defineModule, ok, z, type AgentEvent, type PromptAnswer } from "ai-legion";

const tellWeather = defineAction({
  description: "Tell the weather of a city",
  parameters: { city: z.string() },
  effects: "none",
  touches: [],
  execute: ({ city }) => ok(`It rains in ${city}.`),
});
const weather = defineModule({ name: "weather", actions: { tellWeather } });

async function ask(question: string): Promise<PromptAnswer> {
  await using legion = await Legion.open({ store: "memory" });
  const agent = await legion.spawn({ modules: ["core", weather] });
  agent.subscribe((event: AgentEvent) => {
    if (event.kind === "call:running") console.log(`... ${event.action}`);
  });
  return await agent.prompt(question, { timeout: 60_000 });
}

const { text, cost } = await ask(process.argv.slice(2).join(" ") || "action: tellWeather\ncity: Oslo");
console.log(text, cost);

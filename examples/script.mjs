// Several agents in a program of your own: three survey a folder together, and what they say to you is printed.
//
//   node examples/script.mjs [folder]

import { Legion, displayName } from "ai-legion";

const [project = "."] = process.argv.slice(2);
// Three of the default agent, `legionnaire`, with the ids 1, 2 and 3.
const legion = await Legion.open({ project, agents: ["legionnaire", "legionnaire", "legionnaire"] });

// Everything that happens can be watched. Agent 0 is you: this is your mail.
legion.runtime.inspector.watch(({ agent, kind, event }) => {
  if (agent !== "0" || kind !== "event" || event.kind !== "message") return;
  console.log(`${displayName(event.message.source.id)}: ${event.message.content}`);
});

// A prompt ends when its agent rests; these wait for each other, so the end is when nobody has anything to do.
await legion.runtime.control.say(["1"], "survey .");
await legion.runtime.untilIdle(new AbortController().signal);
await legion.stop();
console.log(`It took ${legion.runtime.budget.spentHere().steps} decisions.`);

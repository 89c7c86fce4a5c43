// The wait for the shared beat. Whoever waits makes meanwhile what its first decision needs in files: where hundreds decide on the
// same beat, each would wait behind what all the others make. It is only a head start: what fails here, or is something else by
// then, is made with the decision.

import type { Agent } from "./parts/agent.ts";

/** Resolves at the next beat of the agent, or when `signal` aborts. */
export async function untilBeat(agent: Agent, signal: AbortSignal): Promise<void> {
  const { tickMs, shared } = agent;
  const beat = shared.clock.beat(tickMs, signal);
  if (tickMs > 0) await makeReady(agent).catch(() => undefined);
  await beat;
}

/** Begins its log, and keeps what opens its prompts. */
async function makeReady({ memory, model, modules, settings, speech }: Agent): Promise<void> {
  await memory.begin();
  // What a director asks, or what is pinned on top, is not known yet.
  if (speech.ways.director || settings.pin === "top") return;
  await model.prepare(() => {
    const { instructions, tools } = modules.standing();
    return { system: instructions, tools };
  });
}

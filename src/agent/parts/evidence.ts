// What is known of a call that the runtime died under.

import type { Agent } from "./agent.ts";
import { openCalls } from "../../past/conversation.ts";
import type { Call } from "../../domain/event.ts";
import { markOf, type Evidence } from "./command-trace.ts";

/** What tells a call of an agent from every other call in the world. */
export function callKey({ memory }: Pick<Agent, "memory">, { id }: Call): string {
  const { ledger, conversation } = memory;
  return `${ledger.log} ${conversation.decision?.event.seq} ${id}`;
}

/** Ends what the first open call of the newest decision left running. `undefined` if it ran no command. */
export async function gatherEvidence(agent: Agent): Promise<Evidence | undefined> {
  const [call] = openCalls(agent.memory.conversation);
  if (!call) return undefined;
  const key = callKey(agent, call);
  const printed = await agent.traces.printed(key);
  if (printed === undefined) return undefined;
  // Whoever runs the agent by now may be doing that call again.
  agent.tenure.check();
  return { stillRan: await agent.shared.workspace.endLeft(markOf(key)), printed };
}

// What is known of a call that the runtime died under.

import { openCalls } from "../../past/conversation.ts";
import type { Call } from "../../domain/event.ts";
import type { Memory } from "../../past/past.ts";
import { markOf, type Evidence, type Traces } from "./command-trace.ts";
import type { TracedWorkspace } from "./workplace.ts";

/** What tells a call of an agent from every other call in the world. */
export function callKey({ ledger, conversation }: Memory, { id }: Call): string {
  return `${ledger.log} ${conversation.decision?.event.seq} ${id}`;
}

/** Ends what the first open call of the newest decision left running. `undefined` if it ran no command. */
export async function gatherEvidence(
  memory: Memory,
  traces: Traces,
  workspace: TracedWorkspace,
): Promise<Evidence | undefined> {
  const [call] = openCalls(memory.conversation);
  if (!call) return undefined;
  const key = callKey(memory, call);
  const printed = await traces.printed(key);
  if (printed === undefined) return undefined;
  return { stillRan: await workspace.endLeft(markOf(key)), printed };
}

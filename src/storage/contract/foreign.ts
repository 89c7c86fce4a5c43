// What somebody else wrote.

import { LegionError } from "../../base/errors.ts";
import type { MemoryId } from "../../domain/memory/memory-id.ts";
import { CONTROL, displayName, type AgentId } from "../../domain/message/message.ts";

/** Says that what is kept of the agent waits for the person. */
export function foreign(agent: AgentId): LegionError {
  return foreignTo(
    agent === CONTROL ? "what you said and were told here" : `what is kept of ${displayName(agent)}`,
  );
}

/** Says that the memory waits for the person. */
export function foreignMemory(memory: MemoryId): LegionError {
  return foreignTo(`the memory ${memory}`);
}

function foreignTo(what: string): LegionError {
  const way = "if you know it, `legion start --trust` takes it on";
  return new LegionError("FOREIGN", `${what} was not written on your machines; ${way}`);
}

// What the model of an agent would be shown next, by the definition and the modules of today.

import { introductionOf, requestOf } from "../ask.ts";
import type { AgentId } from "../message.ts";
import type { ModelRequest } from "../model/model.ts";
import type { Reader } from "../reader.ts";
import { castToday } from "./cast-today.ts";
import type { Io } from "./command.ts";
import { openDormant } from "./dormant.ts";

/** Throws REFUSED for an agent that no definition made; USAGE or CONFIG where definition or modules are wrong today. */
export async function nextPrompt(reader: Reader, id: AgentId, io: Io): Promise<ModelRequest> {
  const { planFor, settings } = await castToday(reader, id, io);
  const agent = await openDormant(await planFor(), { reader, settings });
  try {
    return requestOf(agent, await introductionOf(agent));
  } finally {
    await agent.modules.close();
  }
}

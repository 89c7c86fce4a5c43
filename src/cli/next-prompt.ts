// What the model of an agent would be shown next, by the definition and the modules of today.

import { introductionOf, requestOf } from "../ask.ts";
import type { AgentId } from "../message.ts";
import type { ModelRequest } from "../model/model.ts";
import { castToday } from "./cast-today.ts";
import { openDormant } from "./dormant.ts";
import type { Site } from "./project.ts";

/** Throws REFUSED for an agent that no definition made; USAGE or CONFIG where definition or modules are wrong today. */
export async function nextPrompt(
  site: Site,
  id: AgentId,
  today: Parameters<typeof castToday>[2],
): Promise<ModelRequest> {
  const { planFor, settings } = await castToday(site, id, today);
  const agent = await openDormant(await planFor(), { ...site, settings });
  try {
    return requestOf(agent, await introductionOf(agent));
  } finally {
    await agent.modules.close();
  }
}

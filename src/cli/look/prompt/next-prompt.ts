// What the model of an agent would be shown next, by the definition and the modules of today.

import { introductionOf, requestOf } from "../../../agent/think/ask.ts";
import type { AgentId } from "../../../domain/message.ts";
import type { ModelRequest } from "../../../domain/model.ts";
import { castToday } from "./definition-today.ts";
import { openDormant } from "./sleeping-agent.ts";
import type { Site } from "../../kit/target.ts";

/** Throws REFUSED for an agent that no definition made; USAGE or CONFIG where definition or modules are wrong today. */
export async function nextPrompt(
  site: Site,
  id: AgentId,
  today: Parameters<typeof castToday>[2],
): Promise<ModelRequest> {
  const { planFor, settings } = await castToday(site, id, today);
  const source = await openDormant(await planFor(), { ...site, settings });
  try {
    return requestOf(source, await introductionOf(source));
  } finally {
    await source.modules.close();
  }
}

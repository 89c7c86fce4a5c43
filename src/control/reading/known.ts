// Which agents a question can be about.

import { LegionError } from "../../base/errors.ts";
import { quote } from "../../base/text/wording.ts";
import { CONTROL, type AgentId } from "../../domain/message/message.ts";
import type { Reader } from "../../storage/contract/reader.ts";
import { listIds } from "../api/orders.ts";

/** Also the person's own log is read. */
export async function known(reader: Reader, agent: AgentId): Promise<AgentId> {
  if (agent === CONTROL) return agent;
  const all = await reader.known();
  if (all.includes(agent)) return agent;
  const others = all.length === 0 ? "there are none yet" : `known: ${listIds(all)}`;
  throw new LegionError("USAGE", `there is no agent ${quote(agent)}; ${others}`);
}

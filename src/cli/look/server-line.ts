// The servers that run for agents, as `legion ps` and `legion mcp` show them.

import type { NodeServer } from "../../control/api/routes.ts";
import { count } from "../../base/text/wording.ts";
import { oneLine } from "../kit/output.ts";
import { ageOf } from "../kit/times.ts";

/** `ready for 5m, 14 tools, 1 withheld, 2 restarts: ...`: how it is, and why it is away. */
export function serverLine(
  { workspace, state, since, restarts, tools, withheld, reason }: NodeServer,
  nowMs: number,
): string {
  const facts = [
    `${state} for ${ageOf(since, nowMs)}`,
    ...(workspace === undefined ? [] : [`in ${workspace}`]),
    ...(tools === null ? [] : [count(tools, "tool")]),
    ...(withheld.length > 0 ? [`${withheld.length} withheld`] : []),
    ...(restarts > 0 ? [count(restarts, "restart")] : []),
  ];
  return oneLine(facts.join(", ") + (reason === "" ? "" : `: ${reason}`));
}

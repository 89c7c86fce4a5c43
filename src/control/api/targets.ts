// Which agents a person means.

import { LegionError } from "../../base/errors.ts";
import { CONTROL, type AgentId } from "../../domain/message.ts";
import type { Targets } from "./routes.ts";

/** The ids that `targets` stands for, each once. Throws USAGE, naming the known ids, if one is unknown. */
export function resolveKnown(targets: Targets, known: readonly AgentId[]): readonly AgentId[] {
  if (known.length === 0) throw new LegionError("USAGE", "there are no agents yet; `legion start` makes one");
  if (targets === "all") return known;
  const unknown = targets.find((id) => !known.includes(id));
  if (unknown === undefined) return [...new Set(targets)];
  if (unknown === CONTROL) throw new LegionError("USAGE", "0 is you; name an agent");
  throw new LegionError("USAGE", `there is no agent ${JSON.stringify(unknown)}; known: ${listIds(known)}`);
}

/** The first of them, and how many more there are. */
export function listIds(known: readonly AgentId[]): string {
  const shown = known.slice(0, 20).join(", ");
  return known.length > 20 ? `${shown} and ${known.length - 20} more` : shown;
}

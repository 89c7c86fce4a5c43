// The knots of a legion as its logs tell of them, for whoever looks at it.

import { isLegionError } from "../../base/errors.ts";
import type { Knot } from "../../domain/message/knot.ts";
import type { Reader } from "../../storage/contract/reader.ts";
import { readKnots } from "./reading.ts";
import { knotsShown, type ShownAgent } from "./shown.ts";
import { recordedStandings } from "./sources.ts";

/** None where a log cannot be read. @param agents how every one stands: of a knot are at most those that seem to be */
export async function recordedKnots(
  reader: Pick<Reader, "known" | "standing" | "unread">,
  agents: readonly ShownAgent[],
): Promise<readonly Knot[]> {
  const shown = new Set(knotsShown(agents).flatMap((knot) => knot.agents));
  if (shown.size === 0) return [];
  return readKnots(recordedStandings(reader, (agent) => shown.has(agent))).catch((error: unknown) => {
    // What is told of each agent says so.
    if (!isLegionError(error)) throw error;
    return [];
  });
}

// The knots of a legion as its logs tell of them, for whoever looks at it.

import { isLegionError } from "../../base/errors.ts";
import type { Knot } from "../../domain/message/knot.ts";
import type { Reader } from "../../storage/contract/reader.ts";
import type { AgentStatus } from "../status.ts";
import { readKnots } from "./reading.ts";
import { recordedStandings } from "./sources.ts";

/** None where a log cannot be read. @param agents how every one stands: whoever does not run is of none, unless nobody does */
export async function recordedKnots(
  reader: Pick<Reader, "known" | "standing" | "unread">,
  agents: readonly AgentStatus[],
): Promise<readonly Knot[]> {
  if (!agents.some(({ waits }) => waits.some(({ messages }) => messages))) return [];
  const isRun = agents.some(({ node }) => node !== null);
  const there = new Set(
    agents.filter(({ state }) => state === (isRun ? "idle" : "stopped")).map(({ id }) => id),
  );
  return readKnots(recordedStandings(reader, (agent) => there.has(agent))).catch((error: unknown) => {
    // What is told of each agent says so.
    if (!isLegionError(error)) throw error;
    return [];
  });
}

// Which knot it is, in words.

import { displayName } from "../../domain/message/message.ts";
import type { Knot } from "./knots.ts";

/** So many waits are named. */
const MOST_NAMED = 20;

/** A sentence or two: who waits for whose answer, to which message. */
export function describeKnot({ agents, open }: Knot): string {
  const waits = agents.flatMap((id) =>
    [...open.get(id)!].map(([message, to]) => `${displayName(id)} for ${displayName(to)} (${message})`),
  );
  const more = waits.length - MOST_NAMED;
  const named = [...waits.slice(0, MOST_NAMED), ...(more > 0 ? [`${more} more`] : [])].join(", ");
  const who = agents.length > MOST_NAMED ? `${agents.length} agents` : agents.map(displayName).join(", ");
  return `${who} wait for each other's answers, and none of them goes on by itself: ${named}.`;
}

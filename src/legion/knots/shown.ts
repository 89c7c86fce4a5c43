// The knots among agents as they are shown, by the rule of the others: each row is of one moment, but not all are of the same one.

import type { Knot } from "../../domain/message/knot.ts";
import { CONTROL } from "../../domain/message/message.ts";
import type { AgentStatus } from "../status.ts";
import { knotsAmong, type KnotStanding } from "./knots.ts";

export type ShownAgent = Pick<AgentStatus, "id" | "state" | "node" | "waits">;

/** Whoever does not run is of none, unless nobody does. */
export function knotsShown(agents: readonly ShownAgent[]): readonly Knot[] {
  const asking = agents.filter(({ waits }) => waits.some(({ messages }) => messages));
  if (asking.length === 0) return [];
  const isRun = agents.some(({ node }) => node !== null);
  const awaiting = new Set(
    agents.flatMap(({ waits }) =>
      waits.flatMap((wait) => (wait.for === "delivery" ? (wait.agents ?? []) : [])),
    ),
  );
  return knotsAmong(
    asking.map(({ id, state, waits }): KnotStanding => {
      const isThere = state === "idle" || (state === "stopped" && !isRun);
      const isHeldUp = isThere && !awaiting.has(id) && waits.some(({ ties }) => ties);
      const open = waits.flatMap(({ messages = [], agents: [to = CONTROL] = [] }) =>
        messages.map((message) => [message, to] as const),
      );
      return { id, isHeldUp, waits: new Map(open) };
    }),
  );
}

// Knots in a process that runs agents.

import type { Clock } from "../../base/clock.ts";
import type { Closing } from "../../base/process/closing.ts";
import type { Inspector } from "../../domain/inspection.ts";
import type { Knot } from "../../domain/message/knot.ts";
import type { AgentId } from "../../domain/message/message.ts";
import type { Nodes } from "../../storage/contract/nodes.ts";
import type { Reader } from "../../storage/contract/reader.ts";
import type { Store } from "../../storage/contract/store.ts";
import type { Residents } from "../hosting/rest/residents.ts";
import { readKnots } from "./reading.ts";
import { hostedStandings } from "./sources.ts";
import { createTelling } from "./telling.ts";
import { watchKnots } from "./watch.ts";

interface KnotPlace extends Pick<Residents, "agents"> {
  readonly store: Pick<Store, "control" | "runElsewhere">;
  readonly reader: Reader;
  /** Absent: this process runs all of them. */
  readonly nodes: Nodes | undefined;
  readonly inspector: Inspector;
  readonly clock: Clock;
  readonly closing: Pick<Closing, "add">;
}

/** From now on Control is told of knots; `told` as `settled` of the watch has it. `knots` rejects where they cannot be read. */
export function openKnots({ agents, store, reader, nodes, inspector, clock, closing }: KnotPlace) {
  const standings = hostedStandings(agents, reader, nodes && { ...nodes, runElsewhere: store.runElsewhere });
  const isWaiting = (agent: AgentId): boolean =>
    (agents.get(agent)?.agent?.memory.conversation.waiting.asked.size ?? 0) > 0;
  const telling = createTelling(store.control, clock);
  const watch = watchKnots({ inspector, clock, isWaiting, ...standings, ...telling });
  closing.add(watch.close);
  return { told: watch.settled, knots: (): Promise<readonly Knot[]> => readKnots(standings.source) };
}

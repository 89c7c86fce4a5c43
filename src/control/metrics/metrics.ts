// All metrics of a legion, for whoever may ask. It is loaded, and measures, from the first such request on.

import { isLegionError } from "../../base/errors.ts";
import type { WatchedLegion } from "../reading/watched.ts";
import { exposition, single, type MetricFamily } from "./exposition.ts";
import { measureNode, processFamilies } from "./measured.ts";
import { createModelNames, recordedFamilies, standingFamilies } from "./recorded.ts";
import { createTotals } from "./totals.ts";

export interface Metrics {
  /** In Prometheus' text format; whoever asks meanwhile gets the same. */
  tell(): Promise<string>;
  close(): void;
}

export function createMetrics(watched: Pick<WatchedLegion, "status" | "backend" | "runsHere">): Metrics {
  const totals = createTotals(watched.backend.reader);
  const names = createModelNames();
  const node = watched.runsHere ? measureNode() : undefined;
  /** Where the place of the legion is away, that is told, and what this process knows. */
  const ofLegion = async (): Promise<readonly MetricFamily[]> => {
    const reachable = (value: 0 | 1): MetricFamily =>
      single("ai_legion_reachable", "gauge", "Could the legion be read?", value);
    try {
      const families = [
        ...standingFamilies(await watched.status()),
        ...recordedFamilies(await totals.read(), names),
      ];
      return [reachable(1), ...families];
    } catch (error) {
      if (!isLegionError(error)) throw error;
      return [reachable(0)];
    }
  };
  const read = async (): Promise<string> =>
    exposition([...(await ofLegion()), ...(node?.families() ?? []), ...processFamilies()]);
  let running: Promise<string> | undefined;
  return {
    tell: () => (running ??= read().finally(() => (running = undefined))),
    close: () => node?.close(),
  };
}

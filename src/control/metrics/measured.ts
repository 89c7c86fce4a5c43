// What only a running process knows, from when it is first asked: how late its event loop is, how long commits take, what is wrong with
// its right to run agents.

import { monitorEventLoopDelay } from "node:perf_hooks";
import { packageVersion } from "../../base/package.ts";
import { COMMITS, LEASES, LEASE_TROUBLES } from "../../base/process/measured.ts";
import { histogram, single, type MetricFamily, type Sample } from "./exposition.ts";

const COMMIT_BOUNDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];
const LOOP_RESOLUTION_MS = 20;
/** What is asked for more often is told again. */
const WINDOW_MS = 5_000;
const QUANTILES = [0.5, 0.9, 0.99, 1];

export interface MeasuredNode {
  families(): readonly MetricFamily[];
  /** Measures nothing any more. */
  close(): void;
}

/** Of a process that runs agents. */
export function measureNode(): MeasuredNode {
  const commits = { labels: {}, sum: 0, counts: [...COMMIT_BOUNDS, Infinity].map(() => 0) };
  const troubles = new Map(LEASE_TROUBLES.map((reason) => [reason as unknown, 0]));
  const seeCommit = (ms: unknown): void => {
    const seconds = Number(ms) / 1_000;
    const found = COMMIT_BOUNDS.findIndex((bound) => seconds <= bound);
    commits.counts[found === -1 ? COMMIT_BOUNDS.length : found]!++;
    commits.sum += seconds;
  };
  const seeTrouble = (reason: unknown): void => void troubles.set(reason, (troubles.get(reason) ?? 0) + 1);
  COMMITS.subscribe(seeCommit);
  LEASES.subscribe(seeTrouble);
  const loop = measureLoop();
  return {
    families: () => [
      loop.family(),
      histogram(
        {
          name: "ai_legion_commit_duration_seconds",
          help: "How long it took until what was written to logs and mailboxes was as durable as promised.",
        },
        COMMIT_BOUNDS,
        [commits],
      ),
      {
        ...{ name: "ai_legion_lease_troubles_total", type: "counter" },
        help: "Times that the right of this process to run an agent was in doubt or lost, by reason.",
        samples: [...troubles].map(([reason, value]) => ({
          ...{ suffix: "", labels: { reason: String(reason) }, value },
        })),
      },
    ],
    close() {
      COMMITS.unsubscribe(seeCommit);
      LEASES.unsubscribe(seeTrouble);
      loop.close();
    },
  };
}

/** Quantiles of the time since they were last told, sum and count of all of it. */
function measureLoop() {
  const delays = monitorEventLoopDelay({ resolution: LOOP_RESOLUTION_MS });
  delays.enable();
  /** It has the whole time from one look to the next. */
  const late = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e6 - LOOP_RESOLUTION_MS) / 1_000;
  const all = { count: 0, sum: 0 };
  let told: readonly Sample[] = [];
  let toldMs = -Infinity;
  const look = (): void => {
    if (performance.now() - toldMs < WINDOW_MS || delays.count === 0) return;
    all.count += delays.count;
    all.sum += late(delays.mean) * delays.count;
    const quantiles = QUANTILES.map((part): Sample => ({
      ...{ suffix: "", labels: { quantile: String(part) } },
      value: late(delays.percentile(part * 100)),
    }));
    told = [
      ...quantiles,
      { suffix: "_sum", labels: {}, value: all.sum },
      { suffix: "_count", labels: {}, value: all.count },
    ];
    toldMs = performance.now();
    delays.reset();
  };
  return {
    family(): MetricFamily {
      look();
      return {
        ...{ name: "ai_legion_event_loop_delay_seconds", type: "summary", samples: told },
        help: "How much later than it should the event loop of this process came to what was due.",
      };
    },
    close: () => void delays.disable(),
  };
}

/** Of any process. */
export function processFamilies(): readonly MetricFamily[] {
  const { user, system } = process.cpuUsage();
  return [
    {
      ...{ name: "ai_legion_build_info", type: "gauge", help: "Which program this is." },
      samples: [{ suffix: "", labels: { version: packageVersion() }, value: 1 }],
    },
    single(
      "process_start_time_seconds",
      "gauge",
      "Start of the process, in seconds since 1970.",
      performance.timeOrigin / 1_000,
    ),
    single("process_cpu_seconds_total", "counter", "Time on a processor.", (user + system) / 1e6),
    single("process_resident_memory_bytes", "gauge", "Memory in use.", process.memoryUsage.rss()),
  ];
}

// Looks for knots as agents of this process come to rest: whoever ties one is the last of it to rest.

import type { Clock } from "../../base/clock.ts";
import { isLegionError } from "../../base/errors.ts";
import type { Inspector } from "../../domain/inspection.ts";
import type { AgentId } from "../../domain/message/message.ts";
import type { Knot } from "./knots.ts";
import { mayBeTied, readKnots, type KnotSource } from "./reading.ts";

/** What keeps agents from being tied, such as mail of others on its way, or a command in the background, may end without a word. */
const AGAIN_MS = 1_000;
const MOST_MS = 60_000;

export type KnotWatch = ReturnType<typeof watchKnots>;

interface WatchPlace {
  readonly inspector: Pick<Inspector, "watch">;
  readonly clock: Clock;
  readonly glance: Pick<KnotSource, "read">;
  readonly source: KnotSource;
  /** @param atMs when they stood, in milliseconds since 1970 */
  readonly tell: (knots: readonly Knot[], atMs: number) => Promise<void>;
}

export function watchKnots({ inspector, clock, glance, source, tell }: WatchPlace) {
  const closing = new AbortController();
  let rested = new Set<AgentId>();
  let looking: Promise<void> | undefined;
  let pauseMs = AGAIN_MS;
  /** Resolves with those that may still come to be tied, or whose knot nobody could be told of. */
  const look = async (agents: ReadonlySet<AgentId>): Promise<ReadonlySet<AgentId>> => {
    if (!(await mayBeTied(agents, glance))) return new Set();
    let atMs = 0;
    const knots = await readKnots(source, () => (atMs = clock.now()));
    await tell(knots, atMs);
    const tied = new Set(knots.flatMap((knot) => knot.agents));
    return new Set([...agents].filter((id) => !tied.has(id)));
  };
  const again = async (agents: ReadonlySet<AgentId>): Promise<void> => {
    const ms = pauseMs;
    pauseMs = Math.min(2 * ms, MOST_MS);
    await clock.sleep(ms, closing.signal);
    for (const id of agents) lookSoon(id);
  };
  const lookOn = async (): Promise<void> => {
    while (rested.size > 0 && !closing.signal.aborted) {
      const agents = rested;
      rested = new Set();
      const left = await look(agents).catch((error: unknown) => {
        // What cannot be read or written now shows it by itself, and is looked at later.
        if (!isLegionError(error)) throw error;
        return agents;
      });
      if (left.size > 0) void again(left);
      else pauseMs = AGAIN_MS;
    }
    looking = undefined;
  };
  const lookSoon = (agent: AgentId): void => {
    if (closing.signal.aborted) return;
    rested.add(agent);
    looking ??= Promise.resolve().then(lookOn);
  };
  const unwatch = inspector.watch((seen) => {
    if (seen.kind === "live:state" && seen.state === "idle") lookSoon(seen.agent);
  });
  return {
    /** Resolves when everybody who rests was looked at. */
    settled: async (): Promise<void> => looking,
    async close(): Promise<void> {
      unwatch();
      closing.abort();
      await looking;
    },
  };
}

// Looks for knots as agents of this process come to rest: whoever ties one is the last of it to rest.
//
//   W10. A rest costs nothing where the agent waits for no answer, and no more than a look at those that wait for each other where
//        Control was told of them.
//   W11. However many rests leave something to be looked at again, one time is waited for.

import type { Clock } from "../../base/clock.ts";
import { isLegionError } from "../../base/errors.ts";
import type { Inspector } from "../../domain/inspection.ts";
import type { AgentId } from "../../domain/message/message.ts";
import { glimpseKnots, readKnots, type KnotSource } from "./reading.ts";
import type { KnotTelling } from "./telling.ts";

/** What keeps agents from being tied, such as mail of others on its way, or a command in the background, may end without a word. */
const AGAIN_MS = 1_000;
const MOST_MS = 60_000;

export type KnotWatch = ReturnType<typeof watchKnots>;

interface WatchPlace extends KnotTelling {
  readonly inspector: Pick<Inspector, "watch">;
  readonly clock: Clock;
  /** Does it run here and wait for an answer? */
  readonly isWaiting: (agent: AgentId) => boolean;
  readonly glance: Pick<KnotSource, "read">;
  readonly source: KnotSource;
}

export function watchKnots({ inspector, clock, isWaiting, glance, source, isTold, tell }: WatchPlace) {
  const closing = new AbortController();
  const rested = new Set<AgentId>();
  const later = new Set<AgentId>();
  let looking: Promise<void> | undefined;
  let pauseMs = AGAIN_MS;
  /** Resolves with those that seem to be tied, and whom nobody was told of. */
  const look = async (agents: readonly AgentId[]): Promise<readonly AgentId[]> => {
    const glimpsed = (await glimpseKnots(agents, glance)).filter((knot) => !isTold(knot));
    if (glimpsed.length === 0) return [];
    let atMs = 0;
    const knots = await readKnots(source, () => (atMs = clock.now()));
    for (const knot of knots) await tell(knot, atMs);
    return glimpsed.flatMap((knot) => (isTold(knot) ? [] : knot.agents));
  };
  const lookOn = async (): Promise<void> => {
    while (rested.size > 0 && !closing.signal.aborted) {
      const agents = [...rested];
      rested.clear();
      const left = await look(agents).catch((error: unknown) => {
        // What cannot be read or written now shows it by itself, and is looked at later.
        if (!isLegionError(error)) throw error;
        return agents;
      });
      lookLater(left);
    }
    looking = undefined;
  };
  const lookSoon = (agents: Iterable<AgentId>): void => {
    if (closing.signal.aborted) return;
    for (const agent of agents) rested.add(agent);
    looking ??= Promise.resolve().then(lookOn);
  };
  const lookLater = (agents: readonly AgentId[]): void => {
    const isUnderWay = later.size > 0;
    for (const agent of agents) later.add(agent);
    if (later.size === 0) pauseMs = AGAIN_MS;
    else if (!isUnderWay) void afterPause();
  };
  const afterPause = async (): Promise<void> => {
    const ms = pauseMs;
    pauseMs = Math.min(2 * ms, MOST_MS);
    await clock.sleep(ms, closing.signal);
    const agents = [...later];
    later.clear();
    lookSoon(agents);
  };
  const unwatch = inspector.watch((seen) => {
    if (seen.kind === "live:state" && seen.state === "idle" && isWaiting(seen.agent)) lookSoon([seen.agent]);
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

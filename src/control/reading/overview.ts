// What every agent does, for any number of viewers: a state, in which the latest wins. It is looked at while somebody watches, told
// in one encoding to all of them, and only where it changed; whoever does not keep up skips what is old, and is told all of it.

import { setTimeout as delay } from "node:timers/promises";
import { messageOf } from "../../base/errors.ts";
import type { AgentId } from "../../domain/message/message.ts";
import type { Overview } from "../api/legion-client.ts";
import type { OverviewFrame } from "../api/readings.ts";
import type { WatchedLegion } from "./watched.ts";

/** At most four times a second; where nobody runs the legion only commands change something. */
const LOOK_MS = 250;
const REST_LOOK_MS = 1_000;

/** One who watches. `isReady`: does it take more at once? It says so itself when it does again, with `catchUp`. */
export interface OverviewViewer {
  readonly isReady: () => boolean;
  readonly show: (frame: string) => void;
}

export interface OverviewHub {
  /** Shows it all at first, as soon as it is known. */
  join(viewer: OverviewViewer): JoinedViewer;
  /** Shows nothing any more. */
  close(): void;
}

export interface JoinedViewer {
  /** Shows what it missed, which is all of it. */
  catchUp(): void;
  leave(): void;
}

export function createOverviewHub(watched: Pick<WatchedLegion, "status">): OverviewHub {
  /** With whether something was kept from it. */
  const viewers = new Map<OverviewViewer, "up to date" | "behind">();
  const told = createTold();
  let looking: AbortController | undefined;
  const showAll = (viewer: OverviewViewer): void => {
    const whole = told.whole();
    const isShown = whole !== undefined && viewer.isReady();
    viewers.set(viewer, isShown ? "up to date" : "behind");
    if (isShown) viewer.show(whole);
  };
  const tell = (frame: string): void => {
    for (const [viewer, standing] of viewers) {
      if (standing === "behind") showAll(viewer);
      else if (viewer.isReady()) viewer.show(frame);
      else viewers.set(viewer, "behind");
    }
  };
  const look = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      const began = performance.now();
      const seen = await watched.status().catch(messageOf);
      if (signal.aborted) return;
      const frame = told.news(seen);
      if (frame !== undefined) tell(frame);
      const isRunning = typeof seen !== "string" && seen.nodes.length > 0;
      const restMs = (isRunning ? LOOK_MS : REST_LOOK_MS) - (performance.now() - began);
      await delay(Math.max(LOOK_MS / 5, restMs), undefined, { signal }).catch(() => undefined);
    }
  };
  const stop = (): void => {
    looking?.abort();
    looking = undefined;
    // What was seen is old when somebody comes again.
    told.forget();
  };
  return {
    join(viewer) {
      showAll(viewer);
      if (!looking) {
        looking = new AbortController();
        void look(looking.signal);
      }
      return {
        catchUp: () => void (viewers.get(viewer) === "behind" && showAll(viewer)),
        leave() {
          viewers.delete(viewer);
          if (viewers.size === 0) stop();
        },
      };
    },
    close() {
      viewers.clear();
      stop();
    },
  };
}

const NOTHING: Omit<OverviewFrame, "at" | "whole"> = {
  agents: [],
  gone: [],
  nodes: [],
  servers: [],
  away: null,
};

/** What was told last, and what is new beside it. */
function createTold() {
  let rows: ReadonlyMap<AgentId, string> = new Map();
  let last: Omit<OverviewFrame, "at" | "whole"> | undefined;
  let rest = "";
  let encoded: string | undefined;
  const frame = (told: Omit<OverviewFrame, "at">): string =>
    JSON.stringify({ at: new Date().toISOString(), ...told } satisfies OverviewFrame);
  return {
    /** `undefined`: nothing was seen yet. */
    whole: (): string | undefined => (encoded ??= last && frame({ whole: true, ...last })),
    /** @param seen or why nothing could be seen; `undefined`: nothing is new */
    news(seen: Overview | string): string | undefined {
      const { agents, ...others } =
        typeof seen === "string" ? { ...(last ?? NOTHING), away: seen } : { ...seen, away: null };
      const now = new Map(agents.map((status) => [status.id, JSON.stringify(status)]));
      const changed = agents.filter(({ id }) => now.get(id) !== rows.get(id));
      const gone = [...rows.keys()].filter((id) => !now.has(id));
      const about = JSON.stringify(others);
      const isNews = !last || changed.length > 0 || gone.length > 0 || about !== rest;
      [rows, rest, last] = [now, about, { agents, ...others, gone: [] }];
      if (!isNews) return undefined;
      encoded = undefined;
      return frame({ whole: false, ...last, agents: changed, gone });
    },
    forget(): void {
      [rows, rest, last, encoded] = [new Map(), "", undefined, undefined];
    },
  };
}

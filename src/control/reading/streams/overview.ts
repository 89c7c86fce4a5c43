// What every agent does, for any number of viewers: a state, in which the latest wins. It is looked at while somebody watches, told
// in one encoding to all of them, and only where it changed; whoever does not keep up skips what is old, and is told all of it.

import { setTimeout as delay } from "node:timers/promises";
import { messageOf } from "../../../base/errors.ts";
import type { AgentId } from "../../../domain/message/message.ts";
import { knotsShown } from "../../../legion/knots/shown.ts";
import { withStandings } from "../../../legion/waits.ts";
import type { Overview } from "../../api/legion-client.ts";
import type { OverviewFrame } from "../../api/readings.ts";
import { encodeItem } from "./told-item.ts";
import type { WatchedLegion } from "../watched.ts";

/** At most four times a second; where nobody runs the legion only commands change something. */
const LOOK_MS = 250;
const REST_LOOK_MS = 1_000;

/** So many rows are in a frame, those first that were told longest ago: what is sent is bounded, whatever the agents do. */
const MOST_ROWS = 100;

/** One who watches. `isReady`: does it take more at once? It says so itself when it does again, with `catchUp`. */
export interface OverviewViewer {
  readonly isReady: () => boolean;
  /** Many are shown the same bytes: nobody changes them. */
  readonly show: (frame: Uint8Array) => void;
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
  const tell = (frame: Uint8Array): void => {
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
  knots: [],
  limits: null,
  away: null,
};

/** What was told last, and what is new beside it. */
function createTold() {
  /** As JSON; those first that were told longest ago. */
  const rows = new Map<AgentId, string>();
  let last: Omit<OverviewFrame, "at" | "whole"> | undefined;
  let rest = "";
  let whole: Uint8Array | undefined;
  return {
    /** `undefined`: nothing was seen yet. */
    whole: (): Uint8Array | undefined => (whole ??= last && encoded({ whole: true, ...last })),
    /** @param seen or why nothing could be seen; `undefined`: nothing is new */
    news(seen: Overview | string): Uint8Array | undefined {
      const { agents, ...others } =
        typeof seen === "string"
          ? { ...(last ?? NOTHING), away: seen }
          : { ...seen, agents: withStandings(seen.agents), knots: knotsShown(seen.agents), away: null };
      const now = new Map(agents.map((status) => [status.id, status]));
      const texts = new Map(agents.map((status) => [status.id, JSON.stringify(status)]));
      const gone = [...rows.keys()].filter((id) => !now.has(id));
      const added = agents.filter(({ id }) => !rows.has(id)).map(({ id }) => id);
      const changed = [...rows.keys()].filter((id) => now.has(id) && rows.get(id) !== texts.get(id));
      // Whoever comes first is told all.
      const told = [...added, ...changed].slice(0, last ? MOST_ROWS : Infinity);
      for (const id of [...gone, ...told]) rows.delete(id);
      for (const id of told) rows.set(id, texts.get(id)!);
      const about = JSON.stringify(others);
      const isNews = !last || told.length > 0 || gone.length > 0 || about !== rest;
      [rest, last, whole] = [about, { agents, ...others, gone: [] }, undefined];
      return isNews
        ? encoded({ whole: false, ...last, agents: told.map((id) => now.get(id)!), gone })
        : undefined;
    },
    forget(): void {
      rows.clear();
      [rest, last, whole] = ["", undefined, undefined];
    },
  };
}

function encoded(told: Omit<OverviewFrame, "at">): Uint8Array {
  const frame: OverviewFrame = { at: new Date().toISOString(), ...told };
  return encodeItem({ text: JSON.stringify(frame) });
}

// One server of a process: its connection, and the newest of its lists.

import type { NodeHost } from "../../src/domain/authoring/host.ts";
import type { ServerStatus } from "../../src/domain/authoring/server-status.ts";
import type { Entry } from "./config/entry.ts";
import { keepConnected, type Connection } from "./life/connection.ts";
import { openServer } from "./life/open-server.ts";
import type { ServerPlace } from "./life/start.ts";
import type { McpSettings } from "./settings.ts";
import { listOffers } from "./tools/list.ts";
import { pinsIn, withhold } from "./tools/pins.ts";
import type { Listing } from "./tools/offer.ts";

export interface ServerTimes {
  readonly connectMs: number;
  /** Of one page of a list; so long the first decision waits for all of them. */
  readonly listMs: number;
}

/** A list is asked for again after this. */
export const FRESH_MS = 30_000;
const SOON_MS = 1_000;

/** One server, and what it has. */
export interface Connected {
  readonly name: string;
  readonly connection: Connection;
  /** `undefined` where it is away, or does not say. What it told before stands for what it does not tell soon. */
  list(): Promise<Listing | undefined>;
  status(): ServerStatus;
}

function statusOf(
  { name, workspace }: Pick<ServerStatus, "name" | "workspace">,
  { standing, restarts }: Connection,
  known: Listing | undefined,
): ServerStatus {
  const { state, sinceMs } = standing;
  return {
    ...{ name, workspace, state, restarts },
    since: new Date(sinceMs).toISOString(),
    reason: "why" in standing ? standing.why : "",
    tools: known?.tools.length ?? null,
    withheld: known?.withheld ?? [],
  };
}

export interface Connecting extends Pick<McpSettings, "pinned"> {
  readonly node: NodeHost;
  readonly place: ServerPlace;
  readonly times: ServerTimes;
}

export function connect(entry: Entry, { node, place, times, pinned }: Connecting): Connected {
  const { name } = entry;
  const { connectMs, listMs } = times;
  const { network, clock } = node;
  const connection = keepConnected(
    name,
    (attempt) => openServer(entry, { network, clock, start: place.start }, { ...attempt, connectMs }),
    node.clock,
  );
  let asked: { readonly link: object; readonly atMs: number; readonly listed: Promise<Listing> } | undefined;
  /** The newest that it told: by which start of it, and without what is withheld. */
  let told: { readonly link: object; readonly listing: Listing } | undefined;
  let shown: Listing | undefined;
  const ask = (link: object): Promise<Listing> => {
    if (asked?.link === link && clock.now() - asked.atMs < FRESH_MS) return asked.listed;
    const listed = connection.use((client) => listOffers(client, listMs));
    asked = { link, atMs: clock.now(), listed };
    listed.then(
      (listing) => (told = { link, listing }),
      () => undefined,
    );
    return listed;
  };
  return {
    name,
    connection,
    status: () => statusOf({ name, workspace: place.workspace }, connection, shown),
    async list() {
      const { standing } = connection;
      if (standing.state !== "ready") return undefined;
      const { link } = standing;
      try {
        const listed = ask(link);
        const found = await (told?.link === link
          ? within(SOON_MS, listed, clock).then((newest) => newest ?? told!.listing)
          : within(listMs, listed, clock));
        if (!found) return undefined;
        // What the person says counts at once, however old the list is.
        return (shown = withhold(found, await pinned(entry, pinsIn(found))));
      } catch {
        return undefined;
      }
    },
  };
}

/** `undefined` where it takes longer than `ms`: every decision waits for this. */
async function within<T>(ms: number, coming: Promise<T>, clock: NodeHost["clock"]): Promise<T | undefined> {
  const over = new AbortController();
  try {
    return await Promise.race([coming, clock.sleep(ms, over.signal).then(() => undefined)]);
  } finally {
    over.abort();
  }
}

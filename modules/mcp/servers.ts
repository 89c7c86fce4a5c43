// The servers of one process: which there are, and the one connection to each.

import type { NodeHost } from "../../src/domain/authoring/host.ts";
import type { ServerStatus } from "../../src/domain/authoring/server-status.ts";
import type { Entry } from "./config/entry.ts";
import { keepConnected, type Connection } from "./life/connection.ts";
import { openServer } from "./life/open-server.ts";
import { refusal, type McpSettings, type ServerNames } from "./settings.ts";
import { listOffers } from "./tools/list.ts";
import { pinsIn, withhold } from "./tools/pins.ts";
import type { Found, Listing } from "./tools/offer.ts";

export interface ServerTimes {
  readonly connectMs: number;
  /** Of one page of a list. */
  readonly listMs: number;
}

export const SERVER_TIMES: ServerTimes = { connectMs: 10_000, listMs: 10_000 };

export interface Servers {
  /** What those of `names` have, side by side; the first time it waits until each has answered or failed. */
  find(names: ServerNames, signal: AbortSignal): Promise<readonly Found[]>;
  /** Rejects, with what would help, if there is none of that name among `names`. */
  connection(name: string, names: ServerNames): Promise<Connection>;
}

/** A list is asked for again after this. */
const FRESH_MS = 30_000;

export function openServers(node: NodeHost, settings: McpSettings, times: ServerTimes): Servers {
  const { trusted, isAllowed } = settings;
  const begun = settings.servers();
  const connected = new Map<string, Connected>();
  /** Those that are being ended, too. */
  const open = new Set<Connection>();
  const over = new AbortController();
  node.onStatus(() => [...connected.values()].map((server) => server.status()));
  node.onClose(async () => {
    over.abort();
    await Promise.all([...open].map((connection) => connection.close()));
  });
  /** What a person takes back ends, whether or not an agent asks for it. */
  const endOnceForbidden = async (entry: Entry, { connection }: Connected): Promise<void> => {
    do await node.clock.sleep(FRESH_MS, over.signal);
    while (!over.signal.aborted && (await isAllowed(entry).catch(() => false)));
    if (over.signal.aborted) return;
    connected.delete(entry.name);
    await connection.close();
    open.delete(connection);
  };
  /** Those of `names`, once it began those that a person has allowed by now. */
  const allowed = async (names: ServerNames): Promise<readonly Connected[]> => {
    const entries = (await begun).entries.filter(({ name }) => names === "all" || names.includes(name));
    const areAllowed = await Promise.all(
      entries.map(async (entry) => connected.has(entry.name) || (await isAllowed(entry))),
    );
    return entries.flatMap((entry, index) => {
      const known = connected.get(entry.name);
      if (known || over.signal.aborted || !areAllowed[index]) return known ?? [];
      const added = connect(entry, { node, times, pinned: settings.pinned });
      connected.set(entry.name, added);
      open.add(added.connection);
      void endOnceForbidden(entry, added);
      return added;
    });
  };
  return {
    async find(names, signal) {
      return Promise.all(
        (await allowed(names)).map(async ({ name, connection, list }) => {
          await connection.settled(signal);
          return { name, isTrusted: trusted.includes(name), listing: await list() };
        }),
      );
    },
    async connection(wanted, names) {
      const servers = await allowed(names);
      const found = servers.find(({ name }) => name === wanted);
      if (found) return found.connection;
      const entry = (await begun).entries.find(({ name }) => name === wanted);
      if (entry && (names === "all" || names.includes(wanted))) throw new Error(refusal(entry));
      const known = servers.map(({ name }) => name).join(", ") || "none";
      throw new Error(`There is no MCP server ${JSON.stringify(wanted)}; there are: ${known}.`);
    },
  };
}

interface Connected {
  readonly name: string;
  readonly connection: Connection;
  /** `undefined` where it is away, or does not say. */
  list(): Promise<Listing | undefined>;
  status(): ServerStatus;
}

function statusOf(
  name: string,
  { standing, restarts }: Connection,
  known: Listing | undefined,
): ServerStatus {
  const { state, sinceMs } = standing;
  return {
    ...{ name, state, restarts },
    since: new Date(sinceMs).toISOString(),
    reason: "why" in standing ? standing.why : "",
    tools: known?.tools.length ?? null,
    withheld: known?.withheld ?? [],
  };
}

interface Connecting extends Pick<McpSettings, "pinned"> {
  readonly node: NodeHost;
  readonly times: ServerTimes;
}

function connect(entry: Entry, { node, times, pinned }: Connecting): Connected {
  const { name } = entry;
  const { connectMs, listMs } = times;
  const connection = keepConnected(
    name,
    (attempt) => openServer(entry, node, { ...attempt, connectMs }),
    node.clock,
  );
  let listing: { readonly of: object; readonly atMs: number; readonly listed: Promise<Listing> } | undefined;
  /** The newest that it told. */
  let known: Listing | undefined;
  return {
    name,
    connection,
    status: () => statusOf(name, connection, known),
    async list() {
      const { standing } = connection;
      if (standing.state !== "ready") return undefined;
      if (listing?.of !== standing.link || node.clock.now() - listing.atMs >= FRESH_MS) {
        const listed = connection.use((client) => listOffers(client, listMs));
        listing = { of: standing.link, atMs: node.clock.now(), listed };
      }
      try {
        const found = await listing.listed;
        // What the person says counts at once, however old the list is.
        return (known = withhold(found, await pinned(entry, pinsIn(found))));
      } catch {
        return undefined;
      }
    },
  };
}

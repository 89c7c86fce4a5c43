// The servers of one process: which there are, and the one connection to each.

import { setMaxListeners } from "node:events";
import type { NodeHost } from "../../src/domain/authoring/host.ts";
import { hasServer, type Entry } from "./config/entry.ts";
import { connect, FRESH_MS, type Connected, type ServerTimes } from "./connected.ts";
import type { Connection } from "./life/connection.ts";
import { placeFor, type ServerPlace } from "./life/start.ts";
import { refusal, type Asking, type McpSettings } from "./settings.ts";
import type { Found } from "./tools/offer.ts";

export const SERVER_TIMES: ServerTimes = { connectMs: 10_000, listMs: 10_000 };

export interface Servers {
  /** What those of the agent have, side by side; the first time it waits until each has answered or failed. */
  find(asking: Asking, signal: AbortSignal): Promise<readonly Found[]>;
  /** As after `find`, also where this is the first that is asked for. Rejects, with what would help, if the agent has none of that name. */
  connection(name: string, asking: Asking, signal: AbortSignal): Promise<Connection>;
}

export function openServers(node: NodeHost, settings: McpSettings, times: ServerTimes): Servers {
  const { trusted } = settings;
  const begun = settings.servers();
  const connections = openConnections(node, settings, times);
  const connectedTo = (entry: Entry, { programs }: Asking): Promise<Connected | undefined> =>
    connections.to(entry, placeFor(entry, settings.confinement, programs));
  /** Those of the agent, once it began those that a person has allowed by now. */
  const allowed = async (asking: Asking): Promise<readonly Connected[]> => {
    const entries = (await begun).entries.filter((entry) => hasServer(asking.choice, entry));
    const found = await Promise.all(entries.map((entry) => connectedTo(entry, asking)));
    return found.flatMap((connected) => connected ?? []);
  };
  return {
    async find(asking, signal) {
      return Promise.all(
        (await allowed(asking)).map(async ({ name, connection, list }) => {
          await connection.settled(signal);
          return { name, isTrusted: trusted.includes(name), listing: await list() };
        }),
      );
    },
    async connection(wanted, asking, signal) {
      const named = (await begun).entries.find(({ name }) => name === wanted);
      const entry = named && hasServer(asking.choice, named) ? named : undefined;
      const found = entry && (await connectedTo(entry, asking));
      if (found?.connection.standing.state === "starting") await found.connection.settled(signal);
      if (found) return found.connection;
      if (entry) throw new Error(refusal(entry));
      const known = (await allowed(asking)).map(({ name }) => name).join(", ") || "none";
      throw new Error(`There is no MCP server ${JSON.stringify(wanted)}; there are: ${known}.`);
    },
  };
}

/** All that were begun, until the node closes or a person takes back that they may run. */
function openConnections(node: NodeHost, { isAllowed, pinned }: McpSettings, times: ServerTimes) {
  /** By name and place: agents of the same sandbox share one. */
  const connected = new Map<string, Connected>();
  /** Those that are being ended, too. */
  const open = new Set<Connection>();
  const over = new AbortController();
  // Each server waits for it.
  setMaxListeners(0, over.signal);
  node.onStatus(() => [...connected.values()].map((server) => server.status()));
  node.onClose(async () => {
    over.abort();
    await Promise.all([...open].map((connection) => connection.close()));
  });
  /** What a person takes back ends, whether or not an agent asks for it. */
  const endOnceForbidden = async (entry: Entry, key: string, { connection }: Connected): Promise<void> => {
    do await node.clock.sleep(FRESH_MS, over.signal);
    while (!over.signal.aborted && (await isAllowed(entry).catch(() => false)));
    if (over.signal.aborted) return;
    connected.delete(key);
    await connection.close();
    open.delete(connection);
  };
  return {
    /** The one to this server from that place; `undefined` if nobody allowed it. */
    async to(entry: Entry, place: ServerPlace): Promise<Connected | undefined> {
      const key = JSON.stringify([entry.name, place.key]);
      if (!connected.has(key) && !(await isAllowed(entry))) return undefined;
      // Somebody else may have begun it meanwhile.
      if (connected.has(key) || over.signal.aborted) return connected.get(key);
      const added = connect(entry, { node, place, times, pinned });
      connected.set(key, added);
      open.add(added.connection);
      void endOnceForbidden(entry, key, added);
      return added;
    },
  };
}

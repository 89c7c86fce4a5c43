// The servers of one process: which there are, and the one connection to each.

import type { NodeHost } from "../../src/domain/authoring/host.ts";
import type { Entry } from "./config/entry.ts";
import { readServers } from "./config/read.ts";
import { keepConnected, type Connection } from "./life/connection.ts";
import { openStdio } from "./life/stdio.ts";
import { permission, type McpSettings } from "./settings.ts";
import { listOffers } from "./tools/list.ts";
import type { Found, Listing } from "./tools/offer.ts";

export interface ServerTimes {
  readonly connectMs: number;
  /** Of one page of a list. */
  readonly listMs: number;
}

export interface Servers {
  /** What all of them have, side by side; the first time it waits until each has answered or failed. */
  find(signal: AbortSignal): Promise<readonly Found[]>;
  /** Rejects, with what would help, if there is none of that name. */
  connection(name: string): Promise<Connection>;
}

/** A list is asked for again after this. */
const FRESH_MS = 30_000;

export function openServers(node: NodeHost, settings: McpSettings, times: ServerTimes): Servers {
  const { trusted } = settings;
  const begun = begin(node, settings, times);
  const one = async (name: string): Promise<Connected> => {
    const { connected, refusals } = await begun;
    const found = connected.get(name);
    if (found) return found;
    const known = [...connected.keys()].join(", ") || "none";
    throw new Error(
      refusals.get(name) ?? `There is no MCP server ${JSON.stringify(name)}; there are: ${known}.`,
    );
  };
  return {
    async find(signal) {
      const { connected } = await begun;
      return Promise.all(
        [...connected.values()].map(async ({ name, connection, list }) => {
          await connection.settled(signal);
          return { name, isTrusted: trusted.includes(name), listing: await list() };
        }),
      );
    },
    connection: async (name) => (await one(name)).connection,
  };
}

interface Connected {
  readonly name: string;
  readonly connection: Connection;
  /** `undefined` where it is away, or does not say. */
  list(): Promise<Listing | undefined>;
}

interface Begun {
  readonly connected: ReadonlyMap<string, Connected>;
  /** Why others were not begun, by name. */
  readonly refusals: ReadonlyMap<string, string>;
}

async function begin(node: NodeHost, settings: McpSettings, times: ServerTimes): Promise<Begun> {
  let isOver = false;
  const connected = new Map<string, Connected>();
  const refusals = new Map<string, string>();
  node.onClose(async () => {
    isOver = true;
    await Promise.all([...connected.values()].map(({ connection }) => connection.close()));
  });
  const { entries } = await readServers(settings);
  if (isOver) return { connected, refusals };
  for (const entry of entries) {
    const refusal = permission(entry, settings);
    if (refusal === undefined) connected.set(entry.name, connect(entry, node, times));
    else refusals.set(entry.name, refusal);
  }
  return { connected, refusals };
}

function connect({ name, way }: Entry, node: NodeHost, { connectMs, listMs }: ServerTimes): Connected {
  const connection = keepConnected(
    name,
    (attempt) =>
      way.kind === "stdio"
        ? openStdio({ name, way }, node, { ...attempt, connectMs })
        : Promise.reject(new Error("Servers behind a URL cannot be used yet.")),
    node.clock,
  );
  let listing:
    { readonly of: object; readonly atMs: number; readonly listed: Promise<Listing | undefined> } | undefined;
  return {
    name,
    connection,
    async list() {
      const { standing } = connection;
      if (standing.state !== "ready") return undefined;
      if (listing?.of !== standing.link || node.clock.now() - listing.atMs >= FRESH_MS) {
        const listed = connection.use((client) => listOffers(client, listMs)).catch(() => undefined);
        listing = { of: standing.link, atMs: node.clock.now(), listed };
      }
      return listing.listed;
    },
  };
}

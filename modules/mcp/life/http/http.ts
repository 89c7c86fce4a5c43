// A server behind a URL, spoken with over streamable HTTP or, as older ones are, over a stream of events (SSE).

import type { NodeHost } from "../../../../src/domain/authoring/host.ts";
import { greet } from "../client.ts";
import type { Attempt, Link } from "../link.ts";
import { createReach, type Site } from "./reach.ts";

/** When a server's stream has ended: no sooner and no later is it asked to go on, whatever it says. */
const LEAST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 60_000;

/** Rejects with why not, in a sentence or two; then nothing of it is left. */
export async function openHttp(
  { way }: Site,
  { network, clock }: Pick<NodeHost, "network" | "clock">,
  attempt: Attempt & { readonly connectMs: number },
): Promise<Link> {
  const { StreamableHTTPClientTransport, SSEClientTransport } = await import("@modelcontextprotocol/client");
  if (attempt.signal.aborted) throw new Error("The legion is stopping.");
  const reach = createReach(way, { network, clock, connectMs: attempt.connectMs });
  const ended = new AbortController();
  const reconnectionScheduler = (reconnect: () => void, wantedMs: number): void => {
    const pauseMs = Math.min(LONGEST_PAUSE_MS, Math.max(LEAST_PAUSE_MS, wantedMs));
    void clock.sleep(pauseMs, ended.signal).then(reconnect);
  };
  const url = new URL(way.url);
  const transport =
    way.kind === "http"
      ? new StreamableHTTPClientTransport(url, { fetch: reach.fetch, reconnectionScheduler })
      : new SSEClientTransport(url, { fetch: reach.fetch });
  const end = async (): Promise<void> => {
    ended.abort();
    // It may keep something for us.
    if ("terminateSession" in transport) await transport.terminateSession().catch(() => undefined);
    await transport.close();
  };
  try {
    // Servers of events know the older protocol only.
    const failed = way.kind === "sse" ? 1 : attempt.failed;
    const client = await greet(transport, reach.gone, { ...attempt, failed, clock });
    return { client, gone: reach.gone, end };
  } catch (error) {
    const why = reach.trouble() ?? (error as Error).message;
    await end();
    throw new Error(why, { cause: error });
  }
}

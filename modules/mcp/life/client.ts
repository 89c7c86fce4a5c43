// The first words with a server, whatever it is spoken with over.

import type { Client, JsonSchemaValidator, Transport } from "@modelcontextprotocol/client";
import type { NodeHost } from "../../../src/domain/authoring/host.ts";
import type { Attempt } from "./link.ts";

export interface Greeting extends Attempt {
  readonly connectMs: number;
  readonly clock: NodeHost["clock"];
}

/** Of the time to connect, what the question for a newer protocol may take over pipes: servers of the older one may stay silent. */
const PROBE_SHARE = 1 / 4;

/** Rejects with why not, in one sentence, at once where the server goes. The transport may be open then. */
export async function greet(
  transport: Transport,
  gone: Promise<string>,
  greeting: Greeting,
): Promise<Client> {
  const { connectMs, clock, failed, signal } = greeting;
  const { Client } = await import("@modelcontextprotocol/client");
  // Over HTTP everything is answered, and some servers begin to run only then.
  const probeMs = "pid" in transport ? connectMs * PROBE_SHARE : connectMs;
  const client = new Client(
    { name: "ai-legion", version: "1" },
    {
      capabilities: {},
      // Servers that end at a question that they do not know are asked for the older protocol only, the second time.
      versionNegotiation: failed % 2 === 1 ? undefined : { mode: "auto", probe: { timeoutMs: probeMs } },
      // What a server describes is checked by what we make of it; no expression of its own runs here.
      jsonSchemaValidator: { getValidator },
      inputRequired: { autoFulfill: false },
    },
  );
  const stop = new AbortController();
  const end = (): void => stop.abort();
  signal.addEventListener("abort", end, { once: true });
  if (signal.aborted) end();
  const late = clock.sleep(connectMs, stop.signal).then(() => {
    throw new Error(
      signal.aborted ? "The legion is stopping." : `It did not answer within ${connectMs / 1_000} s.`,
    );
  });
  late.catch(() => undefined);
  const left = gone.then((why) => {
    throw new Error(why);
  });
  left.catch(() => undefined);
  try {
    const connecting = client.connect(transport, { timeout: connectMs });
    connecting.catch(() => undefined);
    await Promise.race([connecting, left, late]);
    return client;
  } catch (error) {
    // That it is gone says more than what the library makes of it.
    const now = await Promise.race([gone, Promise.resolve(undefined)]);
    throw now === undefined ? error : new Error(now, { cause: error });
  } finally {
    signal.removeEventListener("abort", end);
    stop.abort();
  }
}

function getValidator<T>(): JsonSchemaValidator<T> {
  return (input) => ({ valid: true, data: input as T, errorMessage: undefined });
}

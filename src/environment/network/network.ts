import { setMaxListeners } from "node:events";
import type { Network } from "../../domain/authoring/network.ts";
import { NO_SECRETS, type Redactor } from "../../base/redaction/redactor.ts";
import { refuseSecrets } from "./secrets.ts";
import { SHUTDOWN } from "../../base/process/signals.ts";
import { createDial, systemLookup, type Lookup } from "./dial.ts";
import { dialOnly, dialPermitted } from "./proxy/hosts.ts";
import { parseGrant } from "./destination.ts";

export interface NetworkOptions {
  /** Entries as `parseGrant` reads them. */
  readonly allowPrivate: readonly string[];
  /** Knows the secrets that are sent to nobody but to whom they are meant for. Absent: there are none. */
  readonly redactor?: Redactor;
  /** For tests; absent: the operating system says which addresses a name has. */
  readonly lookup?: Lookup;
  /** For tests: PEM certificates of the authorities that hold instead of the public ones. */
  readonly authorities?: readonly string[];
}

export interface ClosableNetwork extends Network {
  /** Ends everything that is under way, with the reason SHUTDOWN, and refuses what comes later. */
  close(): Promise<void>;
}

/** Throws USAGE if an entry of `allowPrivate` is malformed. */
export function createNetwork({
  allowPrivate,
  redactor = NO_SECRETS,
  lookup = systemLookup,
  authorities,
}: NetworkOptions): ClosableNetwork {
  const life = new AbortController();
  // Of every fetch that is under way.
  setMaxListeners(0, life.signal);
  const ownPorts = new Set<number>();
  const closings = new Set<() => Promise<void>>();
  const dial = createDial({ grants: allowPrivate.map(parseGrant), ownPorts, lookup });
  const tls = authorities ? { ca: [...authorities] } : {};

  return {
    async fetch(url, request) {
      refuseSecrets(url, request, redactor);
      const { fetchPage } = await import("./fetch.ts");
      return fetchPage(url, request, { dial, life: life.signal, tls });
    },

    async open(url, request) {
      refuseSecrets(url, request, redactor);
      const { openStream } = await import("./stream.ts");
      return openStream(url, request, { dial, life: life.signal, tls });
    },

    async openProxy({ hosts, permits, ...limits }) {
      const { openProxy } = await import("./proxy/proxy.ts");
      const listed = hosts ? dialOnly(hosts, dial) : dial;
      const { port, ...proxy } = await openProxy({
        dial: permits ? dialPermitted(permits, listed) : listed,
        ...limits,
      });
      const close = async () => {
        await proxy.close();
        if (port !== undefined) ownPorts.delete(port);
        closings.delete(close);
      };
      if (port !== undefined) ownPorts.add(port);
      closings.add(close);
      if (life.signal.aborted) await close();
      life.signal.throwIfAborted();
      return { ...proxy, close };
    },

    async close() {
      life.abort(SHUTDOWN);
      await Promise.all([...closings].map((close) => close()));
    },
  };
}

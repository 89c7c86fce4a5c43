// Every connection to the web begins here, that of a fetch and that of a browser behind a proxy.
//
//   H1. The addresses that were checked are the ones that are connected to: a name is resolved once for a connection.
//   H2. One address that is not allowed is enough to refuse a name; metadata services never are.
//   H3. Nothing connects to one of our own proxies.

import { lookup } from "node:dns/promises";
import { connect, isIP, isIPv6, type Socket } from "node:net";
import { quote } from "../../base/text/wording.ts";
import { METADATA, plainAddress, whyNotPublic } from "./address.ts";
import { explainFailure } from "./failure.ts";
import { checkPort, refusal, type AddressGrant, type Target } from "./destination.ts";

/** How long the first of several addresses may keep the others waiting. */
const NEXT_ADDRESS_MS = 1_000;

/**
 * A TCP connection to a target, if that is allowed; whoever gets it learns by `close` that it was lost. When `signal` aborts,
 * then or later, it is destroyed. Rejects with REFUSED, NETWORK or what `signal` aborted with.
 */
export type Dial = (target: Target, options: DialOptions) => Promise<Socket>;

export interface DialOptions {
  readonly signal: AbortSignal;
  /** Holds for this connection, besides what holds for all. */
  readonly trusted?: AddressGrant;
}

export interface DialPolicy {
  /** What is allowed though it is not public. */
  readonly grants: readonly AddressGrant[];
  /** Ports on which our own proxies listen; it may change. */
  readonly ownPorts: ReadonlySet<number>;
  readonly lookup: Lookup;
}

/** All addresses of a name. */
export type Lookup = (host: string) => Promise<readonly string[]>;

/** As every other program of this machine resolves names. */
export const systemLookup: Lookup = async (host) =>
  (await lookup(host, { all: true })).map(({ address }) => address);

export function createDial(policy: DialPolicy): Dial {
  return async (target, { signal, trusted }) => {
    signal.throwIfAborted();
    checkPort(target);
    const grants = trusted ? [...policy.grants, trusted] : policy.grants;
    try {
      const addresses = await resolve(target.host, policy.lookup, signal);
      for (const address of addresses) check(address, target, { ...policy, grants });
      return await connectTo(target, addresses, signal);
    } catch (error) {
      signal.throwIfAborted();
      throw explainFailure(error, target);
    }
  };
}

/** At least one address. Gives up when `signal` aborts: the operating system lets nobody call back a lookup. */
async function resolve(host: string, find: Lookup, signal: AbortSignal): Promise<readonly string[]> {
  if (isIP(host) !== 0) return [host];
  let leave = (): void => undefined;
  const left = new Promise<undefined>((resolve) => (leave = () => resolve(undefined)));
  // Off again, as a fetch that is led from name to name asks with one signal each time.
  signal.addEventListener("abort", leave, { once: true });
  const found = await Promise.race([find(host), left]).finally(() =>
    signal.removeEventListener("abort", leave),
  );
  signal.throwIfAborted();
  if (!found || found.length === 0) throw Object.assign(new Error("no address"), { code: "ENOTFOUND" });
  return found;
}

function check(address: string, target: Target, { grants, ownPorts }: DialPolicy): void {
  const plain = plainAddress(address);
  if (plain === undefined)
    throw refusal(`${quote(target.host)} resolves to ${quote(address)}, which is no address.`);
  const why = whyNotPublic(plain);
  if (why === undefined) return;
  if (ownPorts.has(target.port)) throw refusal("A proxy of this process is no place to read from.");
  const subject = plain === target.host ? plain : `${quote(target.host)} resolves to ${plain}, which`;
  // Whoever lists a name or a range does not mean this, and a name server could.
  if (why === METADATA) throw refusal(`${subject} is ${why}, which no setting opens.`);
  if (grants.some((grant) => grant(target, plain))) return;
  throw refusal(
    `${subject} is ${why}: only the person can allow it, under web.allowPrivate in .ai-legion/config.yaml.`,
  );
}

function connectTo(target: Target, addresses: readonly string[], signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const found = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
    const socket = connect({
      ...target,
      signal,
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS,
      // For an address it is not called, and the host is what was checked.
      lookup: (_, { all }, done) => {
        if (all) done(null, found);
        else done(null, found[0]!.address, found[0]!.family);
      },
    });
    socket.once("connect", () => resolve(socket));
    // For as long as it lives: an error that nobody listens to would end the process.
    socket.on("error", reject);
  });
}

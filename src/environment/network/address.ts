// Which addresses are no part of the public web.

import { BlockList, isIP, isIPv6 } from "node:net";
import { networkInterfaces } from "node:os";

/** The addresses that share the first bits of one. */
export interface Range {
  /** `address` is plain. */
  has(address: string): boolean;
}

/** IPv6 that only carries IPv4: to a socket of this machine, or through the NAT64 gateway of its network (RFC 6052). */
const CARRIED = /^(?:::ffff|64:ff9b:):([0-9a-f]{1,4}):([0-9a-f]{1,4})$/;

/**
 * `text` as addresses are compared: the shortest form, without a zone, and IPv4 where IPv6 only carries it. `undefined`
 * if it is no address.
 */
export function plainAddress(text: string): string | undefined {
  const [address = ""] = text.split("%", 1);
  if (isIP(address) !== 6) return isIP(address) === 4 ? address : undefined;
  const short = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [, high, low] = CARRIED.exec(short) ?? [];
  if (high === undefined || low === undefined) return short;
  const bits = parseInt(high, 16) * 0x10000 + parseInt(low, 16);
  return [24, 16, 8, 0].map((shift) => (bits >>> shift) & 255).join(".");
}

/** The range of `network`, such as `10.0.0.0/8`; of a single address if it says no length. `undefined` if it is malformed. */
export function parseRange(network: string): Range | undefined {
  const [, address = "", digits] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(network) ?? [];
  const plain = plainAddress(address);
  // A range of carried addresses has a length that means nothing for what they carry.
  if (plain === undefined || (digits !== undefined && isIP(plain) !== isIP(address))) return undefined;
  const longest = isIPv6(plain) ? 128 : 32;
  const length = Number(digits ?? longest);
  return length <= longest ? rangeOf([`${plain}/${length}`]) : undefined;
}

function rangeOf(networks: readonly string[]): Range {
  // One list for each: in a list of both, `::/0` holds every IPv4 address as well.
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const network of networks) {
    const [address = "", length] = network.split("/");
    lists[familyOf(address)].addSubnet(address, Number(length), familyOf(address));
  }
  return { has: (address) => lists[familyOf(address)].check(address, familyOf(address)) };
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIPv6(address) ? "ipv6" : "ipv4";
}

/** Gives its machine's keys to whoever asks. */
export const METADATA = "the metadata service of a cloud";

/**
 * The first that holds an address says what it is.
 *
 * @see https://www.iana.org/assignments/iana-ipv4-special-registry
 * @see https://www.iana.org/assignments/iana-ipv6-special-registry
 */
const KINDS = [
  kind(METADATA, [
    "169.254.169.254/32",
    "169.254.170.2/32",
    "100.100.100.200/32",
    "192.0.0.192/32",
    // Azure's, the one among public addresses.
    "168.63.129.16/32",
    "fd00:ec2::254/128",
    "fd20:ce::254/128",
  ]),
  kind("an address of this machine", ["0.0.0.0/8", "127.0.0.0/8", "::/127"]),
  kind("a private address", ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7", "fec0::/10"]),
  kind("an address inside a provider's network", ["100.64.0.0/10"]),
  kind("a link-local address", ["169.254.0.0/16", "fe80::/10"]),
  kind("a multicast address", ["224.0.0.0/4", "ff00::/8"]),
  kind("an address for documentation", [
    "192.0.2.0/24",
    "198.51.100.0/24",
    "203.0.113.0/24",
    "2001:db8::/32",
    "3fff::/20",
  ]),
  kind("a reserved address", [
    "192.0.0.0/24",
    "192.31.196.0/24",
    "192.52.193.0/24",
    "192.88.99.0/24",
    "192.175.48.0/24",
    "198.18.0.0/15",
    "240.0.0.0/4",
    "2001::/23",
    "2002::/16",
    "2620:4f:8000::/48",
  ]),
];
const ALLOCATED = rangeOf(["2000::/3"]);

function kind(name: string, networks: readonly string[]) {
  return { name, range: rangeOf(networks) };
}

/** What a plain address is instead of a public one, such as `a private address`; `undefined` if it is public. */
export function whyNotPublic(address: string): string | undefined {
  const special = KINDS.find(({ range }) => range.has(address));
  if (special) return special.name;
  if (isIPv6(address) && !ALLOCATED.has(address)) return "a reserved address";
  return whyOwn(address);
}

/** Bits of an IPv6 address that name a network at most: the rest is chosen by the machines in it (RFC 4291 2.5.4). */
const NETWORK_BITS = 64;

/**
 * What a public address is if it is this machine's or, with IPv6, of the network that it is in: what listens only to
 * friends may listen there.
 */
function whyOwn(address: string): string | undefined {
  const own = Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .map((entry) => plainAddress(entry.address) ?? "");
  if (own.includes(address)) return "an address of this machine";
  if (!isIPv6(address)) return undefined;
  const networks = own.filter(isIPv6).map((mine) => `${mine}/${NETWORK_BITS}`);
  return rangeOf(networks).has(address) ? "an address of this machine's own network" : undefined;
}

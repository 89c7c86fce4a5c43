import { syncBuiltinESMExports } from "node:module";
import os from "node:os";
import fc from "fast-check";
import ipaddr from "ipaddr.js";
import { afterEach, describe, expect, it, vi } from "vitest";
import { parseRange, plainAddress, whyNotPublic } from "../../../src/environment/network/address.ts";
import { readUrl, targetOf } from "../../../src/environment/network/destination.ts";

/** Bytes that often fall into, and just beside, what is special. */
const byte = fc.oneof(
  fc.constantFrom(
    0,
    1,
    2,
    10,
    63,
    64,
    88,
    99,
    100,
    113,
    127,
    128,
    168,
    169,
    172,
    192,
    198,
    203,
    223,
    224,
    240,
    254,
    255,
  ),
  fc.nat(255),
);
const four = fc.tuple(byte, byte, byte, byte);
const group = fc.oneof(
  fc.constantFrom(
    0,
    0,
    0,
    1,
    0x64,
    0xff9b,
    0xffff,
    0x2001,
    0x2002,
    0xdb8,
    0x1ff,
    0x200,
    0x3fff,
    0xfe80,
    0xfebf,
    0xfec0,
    0xfc00,
  ),
  fc.nat(0xffff),
);
const eight = fc.array(group, { minLength: 8, maxLength: 8 });

type Bytes = readonly number[];
const number = (bytes: Bytes) => bytes.reduce((sum, part) => sum * 256 + part, 0);
const hex = (bytes: Bytes) =>
  `${(bytes[0]! * 256 + bytes[1]!).toString(16)}:${(bytes[2]! * 256 + bytes[3]!).toString(16)}`;
const radix = (part: number, base: number) =>
  base === 16 ? `0x${part.toString(16)}` : base === 8 ? `0${part.toString(8)}` : String(part);

/** One address of IPv4 as URLs may write it. */
const spellings: readonly ((bytes: Bytes) => string)[] = [
  (bytes) => bytes.join("."),
  (bytes) => `${bytes.join(".")}.`,
  (bytes) => bytes.join("。"),
  (bytes) => String(number(bytes)),
  (bytes) => radix(number(bytes), 16),
  (bytes) => radix(number(bytes), 8),
  (bytes) => bytes.map((part, index) => radix(part, [8, 16, 10, 16][index]!)).join("."),
  (bytes) => `${bytes[0]}.${number(bytes.slice(1))}`,
  (bytes) => `${bytes[0]}.${bytes[1]}.${radix(number(bytes.slice(2)), 16)}`,
  (bytes) => encodeURIComponent(bytes.join(".")).replace(/\d/g, (digit) => `%3${digit}`),
  (bytes) => `[::ffff:${bytes.join(".")}]`,
  (bytes) => `[0:0:0:0:0:FFFF:${hex(bytes)}]`,
  (bytes) => `[64:ff9b::${bytes.join(".")}]`,
  (bytes) => `[0064:ff9b:0:0:0:0:${hex(bytes)}]`,
];

/** What another library says of an address, by the ranges that it knows. */
function isPublic(address: string): boolean {
  const parsed = ipaddr.process(address);
  if (parsed.kind() === "ipv4") return parsed.range() === "unicast" && address !== "168.63.129.16";
  if (parsed.range() === "rfc6052" && parsed.match(ipaddr.parseCIDR("64:ff9b::/96"))) {
    return isPublic(parsed.toByteArray().slice(12).join("."));
  }
  return parsed.range() === "unicast" && parsed.match(ipaddr.parseCIDR("2000::/3"));
}

/** As a request goes: from the text of a URL to the verdict. */
function isLetThrough(host: string): boolean {
  const plain = plainAddress(targetOf(readUrl(`http://${host}/`)).host);
  return plain !== undefined && whyNotPublic(plain) === undefined;
}

describe("a public address", () => {
  it("is told from all others in every spelling of IPv4", () => {
    fc.assert(
      fc.property(four, fc.constantFrom(...spellings), (bytes, spell) => {
        expect(isLetThrough(spell(bytes))).toBe(isPublic(bytes.join(".")));
      }),
      { numRuns: 3_000 },
    );
  });

  it("is told from all others in IPv6", () => {
    const spelt = fc.tuple(eight, fc.boolean()).map(([groups, isLong]) => {
      const long = groups.map((part) => part.toString(16).padStart(isLong ? 4 : 1, "0")).join(":");
      return isLong ? long.toUpperCase() : ipaddr.parse(long).toString();
    });
    fc.assert(
      fc.property(spelt, (address) => {
        expect(isLetThrough(`[${address}]`)).toBe(isPublic(address));
      }),
      { numRuns: 3_000 },
    );
  });

  it.each([
    "8.8.8.8",
    "93.184.216.34",
    "172.32.0.1",
    "[2606:4700::1111]",
    "[64:ff9b::808:808]",
    "[::ffff:8.8.8.8]",
  ])("is %s", (host) => {
    expect(isLetThrough(host)).toBe(true);
  });

  it("loses a zone and keeps nothing that is no address", () => {
    expect(plainAddress("fe80::1%eth0")).toBe("fe80::1");
    expect(["", "::g", "1.2.3", "0x7f.0.0.1", "1.2.3.4 ", "%lo", "::ffff:1.2.3"].map(plainAddress)).toEqual(
      Array(7).fill(undefined),
    );
  });
});

describe("this machine's own address", () => {
  afterEach(() => {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
  });

  it("is not public, whatever it is", () => {
    expect(whyNotPublic("2600::5")).toBeUndefined();
    const entry = { netmask: "", mac: "", internal: false, cidr: null };
    vi.spyOn(os, "networkInterfaces").mockReturnValue({
      lan: [
        { ...entry, address: "93.184.216.34", family: "IPv4" },
        { ...entry, address: "2600:0::5", family: "IPv6", scopeid: 0 },
      ],
    });
    syncBuiltinESMExports();
    expect(["2600::5", "93.184.216.34"].map(whyNotPublic)).toEqual(
      Array(2).fill("an address of this machine"),
    );
    expect(whyNotPublic("93.184.216.35")).toBeUndefined();
    // Neighbours in an IPv6 network of its own.
    expect(["2600::6", "2600::1:2:3:4"].map(whyNotPublic)).toEqual(
      Array(2).fill("an address of this machine's own network"),
    );
    expect(whyNotPublic("2600:0:0:1::5")).toBeUndefined();
  });
});

describe("a range", () => {
  it.each([
    ["10.0.0.0/8", "10.255.0.1", "11.0.0.0"],
    ["10.9.9.9/8", "10.0.0.1", "9.9.9.9"],
    ["192.168.1.0/25", "192.168.1.127", "192.168.1.128"],
    ["10.0.0.5", "10.0.0.5", "10.0.0.6"],
    ["fd00::/8", "fdff::1", "fc00::1"],
    ["fe80::/10", "febf::1", "fec0::1"],
    ["0.0.0.0/0", "255.0.0.1", "::1"],
    ["::/0", "::1", "127.0.0.1"],
  ])("%s holds %s and not %s", (range, inside, outside) => {
    expect([inside, outside].map((address) => parseRange(range)?.has(address))).toEqual([true, false]);
  });

  it.each([
    "10.0.0.0/33",
    "::/129",
    "10.0.0.0/",
    "10/8",
    "/8",
    "10.0.0.0/8/8",
    "10.0.0.0/-1",
    "::ffff:10.0.0.0/104",
    "a/8",
  ])("is not made of %s", (text) => {
    expect(parseRange(text)).toBeUndefined();
  });
});

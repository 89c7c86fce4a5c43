import { describe, expect, it } from "vitest";
import {
  parseGrant,
  parseTrusted,
  readAuthority,
  readUrl,
  targetOf,
} from "../../../src/environment/network/destination.ts";

const target = (host: string, port = 80) => ({ host, port });

describe("an entry of web.allowPrivate", () => {
  it.each([
    ["localhost", target("localhost", 8080), "127.0.0.1"],
    ["Wiki.Corp.", target("wiki.corp"), "10.0.0.1"],
    ["wiki.corp:8443", target("wiki.corp", 8443), "10.0.0.1"],
    ["bücher.corp", target("xn--bcher-kva.corp"), "10.0.0.1"],
    ["my_host", target("my_host"), "10.0.0.1"],
    ["10.0.0.5", target("wiki.corp"), "10.0.0.5"],
    ["10.0.0.5:81", target("10.0.0.5", 81), "10.0.0.5"],
    ["::1", target("::1", 3000), "::1"],
    ["[::1]", target("::1", 3000), "::1"],
    ["[::1]:3000", target("::1", 3000), "::1"],
    ["0:0::1", target("localhost"), "::1"],
    ["::ffff:10.0.0.5", target("10.0.0.5"), "10.0.0.5"],
    ["192.168.0.0/16", target("nas"), "192.168.7.7"],
    ["fd00::/8", target("nas"), "fd12::1"],
  ])("%s allows what it says", (entry, place, address) => {
    expect(parseGrant(entry)(place, address)).toBe(true);
  });

  it.each([
    ["localhost", target("127.0.0.1"), "127.0.0.1"],
    ["localhost", target("a.localhost"), "127.0.0.1"],
    ["wiki.corp:8443", target("wiki.corp", 443), "10.0.0.1"],
    ["10.0.0.5:81", target("10.0.0.5", 80), "10.0.0.5"],
    ["10.0.0.5", target("10.0.0.5"), "10.0.0.6"],
    ["[::1]:3000", target("::1", 3001), "::1"],
  ])("%s allows nothing else", (entry, place, address) => {
    expect(parseGrant(entry)(place, address)).toBe(false);
  });

  it.each([
    "",
    " ",
    "*",
    "*.corp",
    "http://wiki.corp",
    "wiki.corp/path",
    "user@wiki.corp",
    "wiki.corp:",
    "wiki.corp:0",
    "wiki.corp:65536",
    "wiki.corp:80:80",
    "wiki corp",
    ".corp",
    "-corp",
    "10.0.0.0/33",
    "10.0.0",
    "010.0.0.1",
    "0x0a000001",
    "10.0.0.256",
    "[10.0.0.1]",
    "[wiki.corp]",
    "[::1",
    "::1]",
    "fe80::/129",
    "10.0.0.0/8:80",
    "a,b",
  ])("is not %s", (entry) => {
    expect(() => parseGrant(entry)).toThrow(
      / is no place in a network; write a host such as wiki\.corp [^\n]{1,120}$/,
    );
  });
});

it("reads an entry of any length in no time worth mentioning", () => {
  expect(() => parseGrant(`${"a.-".repeat(1_000_000)}!`)).toThrow(/^.{1,300}$/);
});

describe("the trusted host of a request", () => {
  it.each([
    ["searx.lan", target("searx.lan", 80), true],
    ["searx.lan", target("searx.lan", 443), true],
    ["searx.lan", target("searx.lan", 8888), false],
    ["searx.lan:8888", target("searx.lan", 8888), true],
    ["searx.lan:8888", target("searx.lan", 80), false],
    ["127.0.0.1:8888", target("127.0.0.1", 8888), true],
    ["127.0.0.1:8888", target("localhost", 8888), false],
    ["localhost:8888", target("127.0.0.1", 8888), false],
    ["[::1]:8888", target("::1", 8888), true],
  ])("%s is %o: %s", (text, place, expected) => {
    expect(parseTrusted(text)(place, "127.0.0.1")).toBe(expected);
  });
});

describe("a URL", () => {
  it.each([
    ["file:///etc/passwd", "Only http and https URLs can be read, and `file:///etc/passwd` is none."],
    ["data:text/html,x", "Only http and https URLs can be read, and `data:text/html,x` is none."],
    ["ftp://example.com/", "Only http and https URLs can be read, and `ftp://example.com/` is none."],
    ["localhost:80", "Only http and https URLs can be read, and `localhost:80` is none."],
    ["javascript:alert(1)", "Only http and https URLs can be read, and `javascript:alert(1)` is none."],
    ["blob:http://x/y", "Only http and https URLs can be read, and `blob:http://x/y` is none."],
    ["example.com", "`example.com` is no URL: write all of it, such as https://example.com/page."],
    ["", "`` is no URL: write all of it, such as https://example.com/page."],
    ["http://user@example.com", /user name or a password.*leave out what stands before the @/],
    ["http://:secret@example.com", /user name or a password/],
    ["http://.", "`http://./` names no host."],
  ])("%s is refused", (url, message) => {
    expect(() => readUrl(url)).toThrow(message);
  });

  it.each([
    ["http://Example.COM./a?b#c", target("example.com", 80)],
    ["https://example.com", target("example.com", 443)],
    ["https://example.com:8443", target("example.com", 8443)],
    ["http://[::1]:3000", target("::1", 3000)],
    ["http:example.com", target("example.com", 80)],
  ])("%s leads to %o", (url, expected) => {
    expect(targetOf(readUrl(url))).toEqual(expected);
  });
});

describe("what CONNECT asks for", () => {
  it.each([
    ["example.com:443", target("example.com", 443)],
    ["example.com:80", target("example.com", 80)],
    ["[::1]:443", target("::1", 443)],
    ["0x7f.1:443", target("127.0.0.1", 443)],
  ])("%s leads to %o", (text, expected) => {
    expect(readAuthority(text)).toEqual(expected);
  });

  it.each([
    "",
    "example.com",
    "http://example.com:80",
    "a:80/x",
    "a@b:80",
    "a:99999",
    "/",
    "a b:80",
    ":80",
    "a:80 ",
    "a:80?b:80",
  ])("%s is refused", (text) => {
    expect(() => readAuthority(text)).toThrow();
  });
});

import { describe, expect, it } from "vitest";
import { parseRule, type RuleUse, type Touch } from "../../../src/domain/policy/rule.ts";

const PLACES = { workspace: "/srv/space", home: "/home/me" };

function path(kind: "read" | "write", asked: string, real = asked): Touch {
  return { kind, asked, real };
}
const net = (host: string, port = 443): Touch => ({ kind: "net", host, port, by: "agent" });

function fits(rule: string, touch: Touch, use: RuleUse): boolean {
  return parseRule(rule, PLACES).fits(touch, use);
}

describe("parseRule", () => {
  it.each([
    ["rn npm test", '"rn npm test" is no rule; did you mean run ...?'],
    ["read", '"read" is no rule; say what after it, such as read secrets/**'],
    [
      "open door",
      '"open door" is no rule; write one of action mcp__*, read secrets/**, write docs/**, run npm test, ' +
        "net *.example.com, send 2",
    ],
    [
      "",
      '"" is no rule; write one of action mcp__*, read secrets/**, write docs/**, run npm test, net *.example.com, send 2',
    ],
    [
      "net http://x",
      '"net http://x" is no rule; write a host such as example.com, *.example.com or [::1]:8080',
    ],
    [
      "net wildcard0.com",
      '"net wildcard0.com" is no rule; write a host such as example.com, *.example.com or [::1]:8080',
    ],
    ["net a:0", '"net a:0" is no rule; write a host such as example.com, *.example.com or [::1]:8080'],
    [
      "net a:70000",
      '"net a:70000" is no rule; write a host such as example.com, *.example.com or [::1]:8080',
    ],
  ])("refuses %j and says what would be right", (text, message) => {
    expect(() => parseRule(text, PLACES)).toThrow(expect.objectContaining({ code: "USAGE", message }));
  });
});

describe("a rule about paths", () => {
  it.each([
    ["write docs/*.md", "/srv/space/docs/a.md", true],
    ["write docs/*.md", "/srv/space/docs/x/a.md", false],
    ["write docs/**", "/srv/space/docs/x/a.md", true],
    ["write docs", "/srv/space/docs/x/a.md", true],
    ["write docs/", "/srv/space/docs", true],
    ["write **/secret*", "/srv/space/a/b/secrets/x", true],
    ["write /etc/**", "/etc/passwd", true],
    ["write ~/notes", "/home/me/notes/a", true],
    ["write ~", "/home/me/x", true],
    ["write ~old", "/srv/space/~old", true],
    ["write ~old", "/srv/space/old", false],
    ["write ../other", "/srv/other/x", true],
    ["write docs", "/srv/space/docs2", false],
    ["write .", "/srv/space/a", true],
    ["write **", "/etc/passwd", false],
    ["write /**", "/etc/passwd", true],
  ])("%s of %s: %s", (rule, at, expected) => {
    expect(fits(rule, path("write", at), "allow")).toBe(expected);
    expect(fits(rule, path("write", at), "deny")).toBe(expected);
    expect(fits(rule, path("read", at), "deny")).toBe(false);
  });

  it("denies if either the path asked for or where it leads fits, allows if both do", () => {
    const link = path("read", "/srv/space/docs/link", "/srv/space/secret/key");
    expect(fits("read secret", link, "deny")).toBe(true);
    expect(fits("read docs", link, "deny")).toBe(true);
    expect(fits("read docs", link, "allow")).toBe(false);
    expect(fits("read secret", link, "allow")).toBe(false);
    expect(fits("read .", link, "allow")).toBe(true);
  });

  it("denies what a file system may take for the same name", () => {
    expect(fits("read secret", path("read", "/srv/space/SECRET/x"), "deny")).toBe(true);
    expect(fits("read secret", path("read", "/srv/space/SECRET/x"), "allow")).toBe(false);
  });

  it("takes no longer than others can wait, whatever pattern and path there are", () => {
    const rule = parseRule(`read ${"*a".repeat(2_000)}b/${"**/a*/".repeat(600)}b`, PLACES);
    expect(rule.fits(path("read", `/srv/space/${"a".repeat(255)}/${"a/".repeat(2_000)}`), "deny")).toBe(
      false,
    );
  });
});

describe("a rule about hosts", () => {
  it.each([
    ["net example.com", net("example.com"), true],
    ["net EXAMPLE.com", net("example.com"), true],
    ["net example.com", net("www.example.com"), false],
    ["net *.example.com", net("www.example.com"), true],
    ["net *.example.com", net("a.b.example.com"), false],
    ["net **.example.com", net("a.b.example.com"), true],
    ["net *.example.com", net("example.com.evil.org"), false],
    ["net example.com:8080", net("example.com", 8080), true],
    ["net example.com:8080", net("example.com"), false],
    ["net [::1]:80", net("::1", 80), true],
    ["net 0x7f.1", net("127.0.0.1"), true],
    ["net bücher.de", net("xn--bcher-kva.de"), true],
    ["net **", net("a.b.c"), true],
  ] as const)("%s of %o: %s", (rule, touch, expected) => {
    expect(fits(rule, touch, "allow")).toBe(expected);
  });
});

describe("a rule about names", () => {
  it("fits actions and recipients by name", () => {
    expect(fits("action mcp__*", { kind: "action", name: "mcp__files" }, "deny")).toBe(true);
    expect(fits("action mcp__*", { kind: "action", name: "readFile" }, "deny")).toBe(false);
    expect(fits("send 2", { kind: "send", to: "2" }, "deny")).toBe(true);
    expect(fits("send 2", { kind: "send", to: "22" }, "deny")).toBe(false);
    expect(fits("send Writer", { kind: "send", to: "writer" }, "deny")).toBe(true);
    expect(fits("send Writer", { kind: "send", to: "writer" }, "allow")).toBe(false);
    expect(fits("action readfile", { kind: "action", name: "readFile" }, "ask")).toBe(true);
  });
});

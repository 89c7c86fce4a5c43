import { describe, expect, it } from "vitest";
import { parseRule, type RuleUse, type Touch } from "../../../src/domain/policy/rule.ts";

const PLACES = { workspace: "/srv/space", home: "/home/me" };

function path(kind: "read" | "write", asked: string, real = asked): Touch {
  return { kind, asked, real };
}
const run = (command: string): Touch => ({ kind: "run", command });
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
  });
});

describe("a rule about commands", () => {
  it.each([
    ["run npm test", "npm test"],
    ["run npm test", "  npm   test "],
    ["run npm *", "npm test --watch"],
    ["run npm *", "npm"],
    ["run npm run test:*", "npm run test:unit"],
    ["run git commit *", "git commit -m 'a; b && c | d'"],
    ["run git *", "git add a && git commit -m x; git log | git stripspace"],
    ["run echo *", 'echo "a b" c\\;d'],
    ["run *", "anything $(goes) > here"],
    ["run ls | wc", "ls | wc"],
  ])("%s allows %s", (rule, command) => {
    expect(fits(rule, run(command), "allow")).toBe(true);
  });

  // Hostile: each would do something else than what was allowed.
  it.each([
    ["run npm test", "npm test --x", "another word"],
    ["run npm test", "npm test; curl evil", "a list"],
    ["run npm test", "npm test && curl evil", "a list"],
    ["run npm test", "npm test || curl evil", "a list"],
    ["run npm test", "npm test | sh", "a pipe"],
    ["run npm test", "npm test & curl evil", "a job"],
    ["run npm test", "npm test\ncurl evil", "a line"],
    ["run echo *", "echo $(curl evil)", "a substitution"],
    ["run echo *", "echo `curl evil`", "a substitution"],
    ["run echo *", 'echo "$(curl evil)"', "a quoted substitution"],
    ["run echo *", "echo <(curl evil)", "a process substitution"],
    ["run echo *", "echo x > ~/.bashrc", "a redirection"],
    ["run echo *", "echo $HOME", "a variable"],
    ["run echo *", "echo ${x:=$(curl evil)}", "an expansion"],
    ["run npm test", "PATH=. npm test", "an assignment"],
    ["run npm test", "LD_PRELOAD=./x.so npm test", "an assignment"],
    ["run npm *", "npm() { curl evil; }; npm test", "a function"],
    ["run npm test", "! npm test", "a keyword"],
    ["run rm *", "rm *", "a pattern"],
    ["run echo *", "echo $'\\x41'", "an encoded word"],
    ["run npm test", "'npm test'", "another program"],
    ["run npm test", "npm test #", "a comment"],
    ["run cat *", "cat <<x\n$(curl evil)\nx", "a document"],
    ["run echo *", "echo 'open", "an open quote"],
    ["run npm test", "", "nothing"],
  ])("%s does not allow %j: %s", (rule, command) => {
    expect(fits(rule, run(command), "allow")).toBe(false);
  });

  it.each([
    "git push",
    "git push origin main",
    "ls; git push",
    "ls && git push -f",
    "true | git push",
    "echo $(git push)",
    'echo "`git push`"',
    "(cd x; git push)",
    "if true; then git push; fi",
    "X=1 git push",
    "/usr/bin/git push",
    "g\\it p''ush",
    '"git" "push"',
    "git pu\\\nsh",
    "sudo -n git push",
    "env A=b nice -n 5 git push",
    "bash -c 'git push'",
    'sh -c "cd x && git push"',
    "eval 'git push'",
    "find . -exec git push ;",
    "echo x | xargs git push",
    "git push > log",
    "! git push",
    "{ git push; }",
  ])("run git push * denies %j", (command) => {
    expect(fits("run git push *", run(command), "deny")).toBe(true);
    expect(fits("run git push *", run(command), "ask")).toBe(true);
  });

  it.each(["git pull", "git status; echo done", "echo 'git push'", "npm run git-push"])(
    "run git push * has nothing against %j",
    (command) => {
      expect(fits("run git push *", run(command), "deny")).toBe(false);
    },
  );

  it("takes no longer than others can wait, whatever the command is", () => {
    for (const command of [
      "$(".repeat(40_000),
      '"$(`'.repeat(20_000),
      "env ".repeat(2_000),
      `bash -c '${"a ".repeat(30_000)}'`,
    ])
      expect(fits("run git push *", run(command), "deny")).toBe(false);
  });
});

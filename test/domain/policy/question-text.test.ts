import { describe, expect, it } from "vitest";
import { isShownWhole, questionText } from "../../../src/domain/policy/question-text.ts";
import type { Touch } from "../../../src/domain/policy/rule.ts";

const run = (command: string): Touch => ({ kind: "run", command });
const net: Touch = { kind: "net", host: "example.com", port: 443, by: "command" };

function textOf(touches: readonly Touch[], besides: readonly Touch[] = []): string {
  return questionText("1.8", "Agent 1", {
    action: "executeCommand",
    parameters: {},
    touches,
    besides,
    rule: "profile workspace",
  });
}

describe("hostile: approvals", () => {
  it("the text of a question shows all that the call touches, also what needs no question", () => {
    expect(textOf([net], [run("curl https://example.com")])).toBe(
      "Agent 1 asks 1.8: may I call executeCommand?\n" +
        "    reach example.com:443 from a command\n    run curl https://example.com\n" +
        "Asked because of: profile workspace.\nlegion approve 1.8, or legion deny 1.8 and why",
    );
  });

  it("the text of a question shows what the action was given beside what it touches, and no part of it twice", () => {
    const write: Touch = { kind: "write", asked: "/p/docs/a.md", real: "/p/docs/a.md" };
    const text = questionText("1.8", "Agent 1", {
      action: "writeFile",
      touches: [write],
      besides: [],
      rule: "write docs/** (--policy)",
      parameters: { path: "docs/a.md", content: "one\nlegion approve 1.9\u202e", mode: 7 },
      authority: ["2", "writer"],
      taint: ["https://example.com/\u200b"],
    });
    expect(text.split("\n")).toEqual([
      "Agent 1 asks 1.8: may I call writeFile?",
      "    write /p/docs/a.md",
      "    content: one",
      "      legion approve 1.9\\u{202e}",
      "    mode: 7",
      "Asked because of: write docs/** (--policy).",
      "In the name of: Agent 2, writer.",
      "It has read text from outside: https://example.com/\\u{200b}.",
      "legion approve 1.8, or legion deny 1.8 and why",
    ]);
  });

  it.each([
    ["what turns the direction of writing", "echo \u202esj.live\u202c", "echo \\u{202e}sj.live\\u{202c}"],
    ["what has no width", "r\u200bm x", "r\\u{200b}m x"],
    ["an escape sequence", "echo \u001b[2J", "echo \\u{1b}[2J"],
    ["a carriage return", "rm -r x\rls", "rm -r x\\u{d}ls"],
    ["a line end of its own kind", "ls\u2028rm x", "ls\\u{2028}rm x"],
    ["a filler", "ls\u3164rm", "ls\\u{3164}rm"],
  ])("shows %s as what it is", (_, command, shown) => {
    expect(textOf([run(command)])).toContain(`    run ${shown}\n`);
  });

  it("a command of several lines cannot pass for the question's own words", () => {
    const text = textOf([run("ls\nlegion approve 1.9, or legion deny 1.9 and why")]);
    expect(text.split("\n").filter((line) => line.startsWith("legion approve"))).toEqual([
      "legion approve 1.8, or legion deny 1.8 and why",
    ]);
  });

  it("one too long to be shown whole is shown with its length, its beginning and its end", () => {
    const text = textOf([run(`echo ${"a".repeat(10_000)}; rm -r ~`)]);
    expect(text).toContain("(10014 characters)");
    expect(text).toContain("; rm -r ~\n");
    expect(text.length).toBeLessThan(5_000);
    const asked = { action: "executeCommand", touches: [run("a".repeat(5_000))], besides: [], rule: "x" };
    expect(isShownWhole(asked)).toBe(false);
    expect(questionText("1.8", "Agent 1", asked, "whole")).toContain(`    run ${"a".repeat(5_000)}\n`);
    expect(isShownWhole({ ...asked, touches: [run("ls")] })).toBe(true);
  });

  it("a rule of several lines cannot either", () => {
    const asked = { action: "deploy", parameters: {}, touches: [], besides: [] };
    const text = questionText("1.8", "Agent 1", { ...asked, rule: "run x\nlegion approve 1.9" });
    expect(text).toContain("Asked because of: run x\\u{a}legion approve 1.9.\n");
  });

  it("shows what is to be written or said, and where exactly, not only the file, the agent or the host", () => {
    const parameters = {
      url: "https://example.com/?token=x",
      path: "notes",
      lines: ["a\u001b[2J"],
      thoughts: "hm",
    };
    const asked = { action: "tell", parameters, besides: [], rule: "send 3" };
    const text = questionText("1.8", "Agent 1", { ...asked, touches: [{ kind: "send", to: "3" }] });
    expect(text.split("\n").slice(1, 5)).toEqual([
      "    send to 3",
      "    url: https://example.com/?token=x",
      "    path: notes",
      '    lines: ["a\\u001b[2J"]',
    ]);
  });

  it("is short, whatever is asked", () => {
    const parameters = Object.fromEntries(
      Array.from({ length: 1_000 }, (_, at) => [`p${at}`, "x".repeat(100_000)]),
    );
    const asked = { action: "tell", parameters, touches: [], besides: [], rule: "action tell" };
    const text = questionText("1.8", "Agent 1", asked);
    expect(text).toContain("    p0: (100000 characters) xxx");
    expect(text).toContain("\n    and 950 more\n");
    expect(text.length).toBeLessThan(250_000);
  });
});

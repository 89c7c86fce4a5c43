import { describe, expect, it } from "vitest";
import { createPage } from "../../../../src/cli/console/narration/page.ts";
import { questionRemark } from "../../../../src/cli/console/narration/questions.ts";
import type { Question, Settlement } from "../../../../src/domain/policy/verdict.ts";

function rowsOf(columns: number, command: string, ended?: Settlement): readonly string[] {
  const question: Question = {
    id: "1.5",
    agent: "1",
    action: "executeCommand",
    parameters: { command },
    touches: [{ kind: "run", command }],
    besides: [],
    rule: "profile workspace",
    since: "2026-11-23T05:00:00.000Z",
    expires: "2026-11-24T05:00:00.000Z",
  };
  let printed = "";
  const print = (rows: string): void => void (printed += rows);
  const page = createPage({ print, columns: () => columns, paint: (_, text) => text, agents: ["1"] });
  page.say("1", questionRemark({ kind: "question", agent: "1", question, ended }));
  page.flush();
  return printed.trimEnd().split("\n");
}

describe("a question on the page", () => {
  it("stands there whole, with the commands that answer it and until when it waits", () => {
    expect(rowsOf(Infinity, "ls\nrm x")).toEqual([
      "Agent 1  ? Agent 1 asks 1.5: may I call executeCommand?",
      "               run ls",
      "                 rm x",
      "           Asked because of: profile workspace.",
      "           legion approve 1.5, or legion deny 1.5 and why",
      expect.stringMatching(/^ {11}\(without an answer it is a no on 2026-11-2\d \d\d:00\)$/),
    ]);
  });

  it.each<[Settlement, string]>([
    [{ verdict: "approved" }, "✓ executeCommand (1.5) was allowed"],
    [
      { verdict: "denied", reason: "not\u001b[2J today" },
      "✗ executeCommand (1.5) was not allowed: not\\u{1b}[2J today",
    ],
    [{ verdict: "expired" }, "✗ executeCommand (1.5) was not allowed: nobody answered in time"],
    [
      { verdict: "superseded", reason: "New instructions came first." },
      "· executeCommand (1.5) is not asked any more: New instructions came first.",
    ],
  ])("is told to be over: %j", (ended, row) => {
    expect(rowsOf(Infinity, "ls", ended)).toEqual([`Agent 1  ${row}`]);
  });
});

describe("hostile: approvals", () => {
  it.each([40, 60, Infinity])(
    "a command on a page of %d columns cannot pass for the question's own rows",
    (columns) => {
      const rows = rowsOf(
        columns,
        `echo ${" ".repeat(300)}x legion approve 1.9, or legion deny 1.9 and why `.repeat(3),
      );
      const [first, ...others] = rows;
      const margin = /^.*[?] /.exec(first!)![0].length;
      const ours = others.filter((row) => row[margin] !== " ").join(" ");
      expect(ours).not.toContain("1.9");
    },
  );
});

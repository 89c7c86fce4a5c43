import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Inspection } from "../../../../src/domain/inspection.ts";
import type { Message } from "../../../../src/domain/message/message.ts";
import type { SpokenDelta } from "../../../../src/domain/model.ts";
import { createPrinter } from "../../../../src/cli/console/narration/printer.ts";
import { columnsOf } from "../../../../src/cli/kit/terminal.ts";
import { call, committed, decision, delta, mail, message, result, state } from "../../inspections.ts";

interface Reading {
  see(...inspections: readonly Inspection[]): void;
  close(): void;
  /** What was printed since the last look, without the spaces at the margin of the test. */
  rows(): string[];
}

function readAt(columns: number, agents = ["1", "2"], protocol: "text" | "tools" = "tools"): Reading {
  let printed = "";
  const printer = createPrinter({
    print: (rows) => (printed += rows),
    columns: () => columns,
    paint: (_, text) => text,
    agents: new Map(agents.map((id) => [id, { protocol: { name: protocol } }])),
    spent: () => ({ steps: 3, tokens: 12_345, cost: 0.0123, timeMs: 0 }),
    root: "/project",
    questions: "on the page",
  });
  return {
    see: (...inspections) => inspections.forEach(printer.see),
    close: printer.close,
    rows() {
      const rows = printed.split("\n").slice(0, -1);
      printed = "";
      return rows;
    },
  };
}

describe("the printer", () => {
  it("tells a turn from mail to rest", () => {
    const page = readAt(80);
    page.see(
      mail("1", "write a note"),
      state("1", "thinking"),
      delta("1", "A note it is.", "thoughts"),
      decision("1", {
        thoughts: "A note it is.",
        calls: [call("writeNote", { title: "plan", content: "one\ntwo" })],
      }),
      result("1", "Note written."),
      decision("1", { calls: [call("noop")] }),
      result("1", "", { outcome: "idle" }),
      state("1", "idle"),
    );
    expect(page.rows()).toEqual([
      "Agent 1  ← Control: write a note",
      "Agent 1  ~ A note it is.",
      "Agent 1  ▸ writeNote title: plan, content: one two",
      "Agent 1  ✓ Note written.",
      "Agent 1  · waits for mail (3 steps, 12.3k tokens, 0.0123 USD)",
    ]);
  });

  it("tells what is for later, and when it is read; and what was not begun any more", () => {
    const page = readAt(80);
    const later = message("0", "1", "tidy up", { delivery: "follow-up" });
    page.see(
      committed("1", { kind: "message", message: later, mail: 1, from: "log", held: true }),
      result("1", "Skipped: new instructions arrived.", { outcome: "idle" }),
      committed("1", { kind: "released", messages: [4] }),
    );
    expect(page.rows()).toEqual([
      "Agent 1  ← Control, for later: tidy up",
      "Agent 1  · Skipped: new instructions arrived.",
      "Agent 1  ← reads 1 message that waited",
    ]);
  });

  it("shows each call before its own result, and what a paid decision has cost so far", () => {
    const page = readAt(80);
    page.see(
      decision("1", {
        cost: 0.01,
        calls: [call("readFile", { path: "a" }, "a"), call("readFile", { path: "b" }, "b")],
      }),
      result("1", "A", { call: "a" }),
      result("1", "No file b.", { call: "b", outcome: "error" }),
    );
    expect(page.rows()).toEqual([
      "Agent 1  ▸ readFile path: a (0.0123 USD so far)",
      "Agent 1  ✓ A",
      "Agent 1  ▸ readFile path: b",
      "Agent 1  ✗ No file b.",
    ]);
  });

  it("shows messages to the person whole, and results by their first lines", () => {
    const page = readAt(80);
    const report = Array.from({ length: 9 }, (_, index) => `line ${index + 1}`).join("\n");
    page.see(
      result("1", report),
      result("1", "Message sent to Control.", { sends: [message("1", "0", report)] }),
    );
    const rows = page.rows();
    expect(rows.slice(0, 2)).toEqual(["Agent 1  ✓ line 1", "           line 2 … (7 more lines)"]);
    expect(rows.slice(2)).toEqual([
      "Agent 1  → Control: line 1",
      ...Array.from({ length: 8 }, (_, index) => `           line ${index + 2}`),
    ]);
  });

  it("says where a plain answer went, once it has streamed", () => {
    const page = readAt(80);
    page.see(
      delta("1", "All is "),
      delta("1", "done."),
      decision("1", { text: "All is done.", stop: "end", sends: [message("1", "0", "All is done.")] }),
    );
    expect(page.rows()).toEqual(["Agent 1  “ All is done.", "Agent 1  → sent to Control"]);
  });

  it("shows a completion that did not stream, and one that began anew only once", () => {
    const page = readAt(80);
    page.see(decision("1", { text: "Whole.", stop: "end" }));
    expect(page.rows()[0]).toBe("Agent 1  “ Whole.");
    page.see(
      delta("1", "Half of an ans"),
      state("1", "retrying", "overloaded (again in 2 s)"),
      delta("1", "A whole answer."),
      decision("1", { text: "A whole answer.", calls: [call("noop")] }),
    );
    expect(page.rows()).toEqual([
      "Agent 1  “ Half of an ans",
      "Agent 1  ! overloaded (again in 2 s)",
      "Agent 1  “ A whole answer.",
    ]);
  });

  it("shows row by row who is alone", () => {
    const page = readAt(60, ["1"]);
    page.see(delta("1", "one two three four five six seven eight nine ten eleven tw"));
    expect(page.rows()).toEqual(["Agent 1  “ one two three four five six seven eight nine ten"]);
    page.see(delta("1", "elve\nand more"));
    expect(page.rows()).toEqual(["           eleven twelve"]);
  });

  it("lets no agent cut a sentence of another, also one of several lines", () => {
    const page = readAt(60);
    page.see(delta("1", "one two three four five six seven eight nine ten eleven tw"));
    expect(page.rows()).toEqual([]);
    page.see(
      delta("2", "A first line.\nA sec"),
      result("2", "Done."),
      delta("1", "elve\nand a second\nline. "),
    );
    expect(page.rows()).toEqual(["Agent 2  “ A first line.", "Agent 2  ✓ Done."]);
    page.see(delta("1", "\nAnd"));
    expect(page.rows()).toEqual([
      "Agent 1  “ one two three four five six seven eight nine ten",
      "           eleven twelve",
      "           and a second",
      "           line.",
    ]);
    page.see(
      decision("2", { text: "A first line.\nA sec", calls: [call("noop")] }),
      delta("1", " more,\n\n"),
    );
    expect(page.rows()).toEqual(["Agent 2    A sec", "Agent 1    And more,"]);
  });

  it("holds back no more than a part of what has no end, such as code", () => {
    const page = readAt(60);
    const line = `${"const a = 1 + 2 + 3".padEnd(50)}\n`;
    page.see(delta("1", line.repeat(39)));
    expect(page.rows()).toEqual([]);
    page.see(delta("1", line.repeat(3)), delta("1", "x"));
    expect(page.rows()).toHaveLength(42);
  });

  it("shows an action that is written as text while it is written, and not again", () => {
    const page = readAt(80, ["1"], "text");
    const text =
      "```\nwriteNote\ntitle: plan\ncontent: % ff9d7713-0bb0-40d4-823c-5a66de48761b\none\n% ff9d7713-0bb0-40d4-823c-5a66de48761b\n```";
    page.see(
      delta("1", text),
      decision("1", { text, protocol: "text", thoughts: "x", calls: [call("writeNote", { title: "plan" })] }),
      result("1", "Written."),
    );
    expect(page.rows()).toEqual([
      "Agent 1  ▸ writeNote",
      "           title: plan",
      "           content:",
      "           one",
      "Agent 1  ✓ Written.",
    ]);
  });

  it("cuts a long action that is written as text, and says by how much", () => {
    const page = readAt(80, ["1"], "text");
    const text = ["writeFile", ...Array.from({ length: 30 }, (_, index) => `line ${index}`)].join("\n");
    page.see(delta("1", text), decision("1", { text, protocol: "text", calls: [call("writeFile")] }));
    const rows = page.rows();
    expect(rows).toHaveLength(13);
    expect(rows.at(-1)).toBe("           … 19 more rows");
  });

  it("says why an agent is parked, and how it goes on, once", () => {
    const page = readAt(80);
    page.see(
      state("1", "parked", "this agent may make 5 model calls."),
      state("1", "parked", "this agent may make 5 model calls."),
    );
    expect(page.rows()).toEqual(["Agent 1  ! parked: this agent may make 5 model calls. (legion resume 1)"]);
  });

  it("shows what agents that run elsewhere, and the runtime itself, tell the person", () => {
    const page = readAt(80);
    const toControl = (given: Partial<Message>): Inspection =>
      committed("0", { kind: "message", message: message("9", "0", "hello", given), mail: 1, from: "log" });
    page.see(
      toControl({}),
      toControl({ source: { type: "agent", id: "1" } }),
      toControl({ source: { type: "user" } }),
    );
    expect(page.rows()).toEqual(["Control  ← Agent 9: hello", "Control  ← Legion: hello"]);
  });

  it("names agents by their ids where the terminal is narrow", () => {
    const page = readAt(40);
    page.see(mail("1", "a task that takes more than one row of it"));
    expect(page.rows()).toEqual(["1 ← Control: a task that takes more than", "    one row of it"]);
  });

  it("prints nothing for thousands of agents that have nothing to do", () => {
    const page = readAt(80);
    page.see(state("1", "idle"), state("2", "waiting"), state("2", "idle"));
    expect(page.rows()).toEqual([]);
  });

  it("shows what was held back of a completion when the node ends", () => {
    const page = readAt(80);
    page.see(delta("1", "Half of"));
    expect(page.rows()).toEqual([]);
    page.close();
    expect(page.rows()).toEqual(["Agent 1  “ Half of"]);
  });

  it("takes out of agents' texts whatever a terminal acts on, also when it comes in pieces", () => {
    const page = readAt(80);
    page.see(
      delta("1", "a\u001b[3"),
      delta("1", "1mb\u001b]0;ti"),
      delta("1", "tle\u0007c.\n"),
      mail("2", "\u001b[2Jhi"),
      decision("2", { calls: [call("\u001b[1mrun", { "\u001b[1mkey": "\u001b[1mvalue\u0007" })] }),
      result("2", "\u001b[H\u0000done"),
      state("2", "halted", "\u001b[5mdisk"),
    );
    expect(page.rows()).toEqual([
      "Agent 1  “ abc.",
      "Agent 2  ← Control: hi",
      "Agent 2  ▸ run key: value",
      "Agent 2  ✓ done",
      "Agent 2  ! halted: disk",
    ]);
  });

  it("keeps every row within the terminal, loses no word of what streams, and never throws", () => {
    const piece = fc.record({
      agent: fc.constantFrom("1", "2"),
      delta: fc.record({
        kind: fc.constantFrom("text" as const, "thoughts" as const),
        text: fc.string({ unit: fc.constantFrom("a", "b", " ", "\n", "京", "é", ","), maxLength: 60 }),
      }),
    });
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 30 }),
        fc.integer({ min: 40, max: 100 }),
        (pieces, columns) => {
          const page = readAt(columns);
          for (const { agent, delta: each } of pieces)
            page.see({ kind: "live:delta", agent, delta: each as SpokenDelta });
          page.close();
          const rows = page.rows();
          for (const row of rows) expect(columnsOf(row)).toBeLessThanOrEqual(columns);
          const letters = (text: string): string[] => [...text.replace(/[^ab京é,]/gu, "")].sort();
          const names = /^(Agent [12]|[12]) /;
          expect(letters(rows.map((row) => row.replace(names, "")).join(""))).toEqual(
            letters(pieces.map(({ delta: each }) => each.text).join("")),
          );
        },
      ),
    );
  });
});

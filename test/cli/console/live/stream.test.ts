import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createStream } from "../../../../src/cli/console/live/stream.ts";
import type { Inspection } from "../../../../src/domain/inspection.ts";
import { columnsOf } from "../../../../src/cli/kit/terminal.ts";
import { call, decision, delta, live, mail, progress, result, state } from "../../inspections.ts";

function watch(columns = 60) {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance", "Date"] });
  onTestFinished(() => void vi.useRealTimers());
  let printed = "";
  let shown: readonly string[] = [];
  const stream = createStream({
    questions: "at the prompt",
    root: "/project",
    print: (rows) => (printed += rows),
    show: (rows) => (shown = rows),
    columns: () => columns,
    size: () => ({ columns, rows: 24 }),
    paint: (_, text) => text,
    agents: new Map([["1", { protocol: { name: "tools" } }]]),
    hosted: () => ["1"],
    spent: () => ({ steps: 3, tokens: 12_345, cost: 0.5, timeMs: 0 }),
  });
  onTestFinished(stream.close);
  return {
    ...stream,
    see: (...inspections: readonly Inspection[]) => inspections.forEach(stream.see),
    bottom() {
      vi.advanceTimersByTime(200);
      return shown;
    },
    rows() {
      const rows = printed.split("\n").slice(0, -1);
      printed = "";
      return rows;
    },
  };
}

const command = call("executeCommand", { command: "npm test" });

describe("the stream of the one agent that a person talks to", () => {
  it("is all that it thinks, does and says, as it comes", () => {
    const view = watch();
    view.see(
      state("1", "thinking"),
      delta("1", "I run the tests first.", "thoughts"),
      decision("1", { thoughts: "I run the tests first.", calls: [command] }),
      state("1", "acting"),
      live("1", "c1", "executeCommand", {
        phase: "running",
        touches: [{ kind: "run", command: "npm test" }],
      }),
      progress("1", "c1", "12 passed\n"),
    );
    expect(view.rows()).toEqual([
      "Agent 1  ~ I run the tests first.",
      "Agent 1  ▸ executeCommand npm test",
      "           │ 12 passed",
    ]);
    const [rule, row] = view.bottom();
    expect(rule).toBe("─".repeat(60));
    expect(row).toMatch(/^Agent 1 {2}acting {4}│ 12 passed +12\.3k {2}\$0\.5000$/);
    expect(columnsOf(row!)).toBe(60);
    view.see(result("1", "Command executed successfully:\n12 passed"), state("1", "idle"));
    expect(view.bottom()[1]).toMatch(/^Agent 1 {2}idle {6}waits for mail/);
  });

  it("does not repeat what the person said here, and shows what they said elsewhere", () => {
    const view = watch();
    view.expect("do it");
    view.see(mail("1", "do it"), mail("1", "do it"), mail("1", "and this"));
    expect(view.rows()).toEqual(["Agent 1  ← Control: do it", "Agent 1  ← Control: and this"]);
  });

  it("stays within a terminal of 40 columns", () => {
    const view = watch(40);
    view.see(
      delta("1", "words ".repeat(40)),
      progress("1", "c1", `${"x".repeat(200)}\n`),
      state("1", "acting"),
    );
    for (const row of [...view.rows(), ...view.bottom()]) expect(columnsOf(row)).toBeLessThanOrEqual(40);
  });
});

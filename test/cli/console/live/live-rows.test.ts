import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AgentActivity } from "../../../../src/cli/console/live/activity.ts";
import {
  endOf,
  liveRows,
  type LiveAgent,
  type LiveLayout,
} from "../../../../src/cli/console/live/live-rows.ts";
import { columnsOf } from "../../../../src/cli/kit/terminal.ts";

const NOW = Date.parse("2026-11-22T12:00:00Z");
const agent = (id: string, activity: Partial<AgentActivity> = {}): LiveAgent => ({
  id,
  look: "cyan",
  activity: { state: "idle", mark: "", text: "waits for mail", grows: false, ...activity },
});
const spentBy = (tokens: number, cost = 0) => ({ steps: 1, tokens, cost, timeMs: 0 });
const rowsAt = (columns: number, agents: readonly LiveAgent[], given: Partial<LiveLayout> = {}) =>
  liveRows(agents, {
    columns,
    maxRows: 20,
    now: NOW,
    paint: (_, text) => text,
    spent: (id) => spentBy(id === "2" ? 34_500 : 120, id === "2" ? 0.0312 : 0),
    ...given,
  });

const THREE = [
  agent("1"),
  agent("2", { state: "acting", mark: "▸", text: "readFile path: docs/a-long-name/README.md, limit: 120" }),
  agent("writer", { state: "thinking", mark: "~", text: "waits for the first word", since: NOW - 12_900 }),
];

describe("the row of an agent", () => {
  it("has its state, what it does now, its tokens and its cost", () => {
    expect(rowsAt(80, THREE)).toEqual([
      "Agent 1  idle      waits for mail                                   120         ",
      "Agent 2  acting    ▸ readFile path: docs/a-long-name/README.md,…  34.5k  $0.0312",
      "writer   thinking  ~ waits for the first word 12s                   120         ",
    ]);
  });

  it("goes by its id and by marks where the terminal is narrow, and keeps the seconds", () => {
    expect(rowsAt(60, THREE)[1]).toBe("Agent 2  acting    ▸ readFile path: docs/a-…  34.5k  $0.0312");
    expect(rowsAt(40, THREE)).toEqual([
      "1      waits for mail        120        ",
      "2      ▸ readFile path: d… 34.5k $0.0312",
      "writer ~ waits for th… 12s   120        ",
    ]);
  });

  it("shows the newest words of what an agent says, none of them cut", () => {
    const text = "First I look at the readme. Then I walk through all of the folders, one after the other";
    const [row] = rowsAt(60, [agent("1", { state: "thinking", mark: "“", text, grows: true })]);
    expect(row).toBe("Agent 1  thinking  “ … the folders, one after the other  120");
    expect(endOf("one two three", 20)).toBe("one two three");
    expect(endOf("one two three", 9)).toBe("… three");
    expect(endOf("abcdefghijklmnop", 9)).toBe("… jklmnop");
  });

  it("tells minutes from seconds, and no time before there is any", () => {
    const at = (since: number) =>
      rowsAt(80, [agent("1", { state: "acting", text: "x", since: NOW - since })])[0];
    expect(at(999)).toContain("x  ");
    expect(at(1_000)).toContain("x 1s");
    expect(at(125_000)).toContain("x 2m 5s");
  });

  it("fits, whatever an agent says, and holds nothing that a terminal acts on", () => {
    const hostile = fc.string({
      unit: fc.constantFrom("a", " ", "京", "\n", "\r", "\u001b[2J", "\u0007", "é", "👍", "\u202e"),
      maxLength: 80,
    });
    fc.assert(
      fc.property(hostile, fc.integer({ min: 24, max: 120 }), fc.boolean(), (text, columns, grows) => {
        for (const row of rowsAt(columns, [
          agent("1", { state: "thinking", mark: "~", text, grows, since: NOW - 5_000 }),
          THREE[1]!,
        ])) {
          expect(columnsOf(row)).toBeLessThanOrEqual(columns);
          expect(row).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/);
        }
      }),
    );
  });
});

describe("where not all agents fit", () => {
  const many = (count: number, state: AgentActivity["state"], from = 1) =>
    Array.from({ length: count }, (_, index) => agent(String(from + index), { state }));

  it("those are shown that do something, then those that cannot, and how many others there are", () => {
    const agents = [
      ...many(8, "idle"),
      agent("9", { state: "parked" }),
      ...many(2, "acting", 10),
      ...many(3, "idle", 12),
    ];
    const rows = rowsAt(80, agents, { maxRows: 5 });
    expect(rows.map((row) => row.slice(0, 18).trim())).toEqual([
      "Agent 1   idle",
      "Agent 9   parked",
      "Agent 10  acting",
      "Agent 11  acting",
      "… and 10 more: 10",
    ]);
    expect(rows.at(-1)).toBe("… and 10 more: 10 idle");
  });

  it("all are shown that just fit, and nothing where there are none", () => {
    expect(rowsAt(80, many(5, "idle"), { maxRows: 5 })).toHaveLength(5);
    expect(rowsAt(80, many(6, "idle"), { maxRows: 5 }).at(-1)).toBe("… and 2 more: 2 idle");
    expect(rowsAt(80, [])).toEqual([]);
  });
});

import { describe, expect, it } from "vitest";
import { statusTable } from "../../../src/cli/look/status-table.ts";
import type { AgentStatus } from "../../../src/legion/agent-status.ts";

const nowMs = Date.parse("2026-01-02T12:00:00.000Z");
const status: AgentStatus = {
  id: "2",
  name: "Agent 2",
  state: "idle",
  reason: "",
  waitingFor: "mail",
  since: "2026-01-02T11:59:15.000Z",
  unread: 3,
  steps: 12,
  tokens: 45_678,
  cost: 0.01234,
  model: "anthropic/claude-sonnet-5-5",
  node: "4711@here",
};
const parked: AgentStatus = {
  ...status,
  id: "writer",
  state: "parked",
  reason: "sendMessage was called 5 times with the same parameters and the same result, over and over again",
  waitingFor: "mail, resume",
  since: "2026-01-01T09:00:00.000Z",
  cost: 0,
  node: null,
};

describe("statusTable", () => {
  it("shows one line for each agent, with age, cost and count in short forms", () => {
    const [head, row] = statusTable([status], { columns: 100, nowMs, nodes: [] }).split("\n");
    expect(head!.split(/  +/)).toEqual("ID,STATE,SINCE,WAITS FOR,MAIL,STEPS,TOKENS,COST,MODEL".split(","));
    expect(row!.split(/  +/)).toEqual(
      "2,idle,45s,mail,3,12,45.7k,$0.0123,anthropic/claude-sonnet-5-5".split(","),
    );
  });

  it.each([80, 60, 50, 45])("fits into %i columns and still tells who is in what state", (columns) => {
    const table = statusTable([status, parked], { columns, nowMs, nodes: [] });
    for (const line of table.split("\n")) expect(line.length).toBeLessThanOrEqual(columns);
    expect(table).toMatch(/^2 +idle +45s +mail/m);
    expect(table).toMatch(/^writer +parked +27h +mail, resume/m);
  });

  it("says under the line why an agent does not act", () => {
    const table = statusTable([parked], { columns: 80, nowMs, nodes: [] });
    expect(table).toContain("   sendMessage was called 5 times with the same parameters");
  });

  it("tells free from unknown costs", () => {
    const costs = [0, null, 123.456].map((cost) => ({ ...status, cost }));
    const rows = statusTable(costs, { columns: 120, nowMs, nodes: [] }).split("\n").slice(1, 4);
    expect(rows.map((row) => row.split(/  +/)[7])).toEqual(["-", "?", "$123.46"]);
  });

  it("says which node runs how many, or that none does", () => {
    expect(statusTable([status, parked], { columns: 80, nowMs, nodes: [] })).toContain(
      "Node 4711@here runs 1 of 2.",
    );
    expect(statusTable([parked], { columns: 80, nowMs, nodes: [] })).toContain("No node runs");
    const idle = statusTable([status], { columns: 80, nowMs, nodes: ["12@there", "4711@here"] });
    expect(idle).toContain("Node 4711@here runs 1 of 1.\nNode 12@there runs 0 of 1.");
  });

  it("says of each agent which node runs it, where agents are spread over nodes", () => {
    const elsewhere = { ...status, id: "3", node: "12@there" };
    const options = { columns: 100, nowMs, nodes: [], places: "many" } as const;
    const [head, ...rows] = statusTable([status, elsewhere, parked], options).split("\n");
    const at = head!.split(/  +/).indexOf("NODE");
    const agents = rows.filter((row) => /^\S/.test(row)).slice(0, 3);
    expect(agents.map((row) => row.split(/  +/)[at])).toEqual(["4711@here", "12@there", "-"]);
    for (const columns of [80, 60, 45])
      for (const line of statusTable([elsewhere], { ...options, columns }).split("\n"))
        expect(line.length).toBeLessThanOrEqual(columns);
  });

  it("is not led astray by what models write", () => {
    const hostile = { ...status, waitingFor: "\u001b[2Jrun\nCommand", reason: "a\u001b]0;x\u0007b\r\nc" };
    const table = statusTable([hostile], { columns: 80, nowMs, nodes: [] });
    expect(table).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f]/);
    expect(table.split("\n")).toHaveLength(5);
  });

  it("shows a moment that is none as unknown, and a dash where nothing has happened yet", () => {
    const rows = [null, "soon"].map((since) => ({ ...status, since }));
    const table = statusTable(rows, { columns: 80, nowMs, nodes: [] });
    expect(table.match(/idle +[-?] /g)?.map((cell) => cell.at(-2))).toEqual(["-", "?"]);
  });
});

import { describe, expect, it } from "vitest";
import { fits, sorted, whyOf } from "../../page/legion/columns.ts";
import type { AgentStatus } from "../../src/legion/status.ts";

function status(id: string, told: Partial<AgentStatus> = {}): AgentStatus {
  return {
    ...{
      id,
      name: `Agent ${id}`,
      state: "idle",
      reason: "",
      waitingFor: "mail",
      since: null,
      unread: 0,
      held: 0,
    },
    ...{ steps: 0, tokens: 0, cost: 0, model: null, node: null, mode: "usual", waits: [], ...told },
  };
}

describe("the rows of the legion", () => {
  it("say of whom a reply is awaited", () => {
    const waits = [{ for: "reply", agents: ["2", "writer"], since: null, way: "" }] as const;
    expect(whyOf(status("1", { waits }))).toBe("waits for mail · no reply yet of Agent 2, writer");
  });

  const ids = (agents: readonly AgentStatus[]): readonly string[] => agents.map(({ id }) => id);

  it("are in the order of their numbers, not of their letters", () => {
    const agents = ["10", "9", "writer", "1"].map((id) => status(id));
    expect(ids(sorted(agents, { key: "name", way: "up" }))).toEqual(["1", "9", "10", "writer"]);
  });

  it("have those last whose value nobody knows, whichever way they are sorted", () => {
    const agents = [status("1", { cost: null }), status("2", { cost: 3 }), status("3", { cost: 5 })];
    expect(ids(sorted(agents, { key: "cost", way: "down" }))).toEqual(["3", "2", "1"]);
    expect(ids(sorted(agents, { key: "cost", way: "up" }))).toEqual(["2", "3", "1"]);
  });

  it("have those first that need the person, sorted by state", () => {
    const agents = [status("1"), status("2", { state: "thinking" }), status("3", { state: "asking" })];
    expect(ids(sorted(agents, { key: "state", way: "up" }))).toEqual(["3", "2", "1"]);
  });

  it("are found by every word of what they say", () => {
    const agent = status("7", {
      state: "parked",
      reason: "the same call 3 times",
      model: "anthropic/claude",
      node: "11645@box",
    });
    expect(fits(agent, ["parked", "claude"])).toBe(true);
    expect(fits(agent, ["parked", "openai"])).toBe(false);
    expect(fits(agent, ["11645@box"])).toBe(true);
    expect(fits(agent, ["11"])).toBe(false);
  });
});

describe("why an agent does not go on", () => {
  it.each([
    [{}, "waits for mail"],
    [{ state: "asking", waitingFor: "approve 2.417" }, "waits for your answer to 2.417"],
    [{ state: "parked", reason: "stuck", waitingFor: "mail, resume" }, "stuck · waits for mail or resume"],
    [{ state: "stopped", waitingFor: "start, approve 2.4" }, "waits for start, your answer to 2.4"],
    [{ state: "acting", waitingFor: "readFile" }, "readFile"],
  ] as const)("%o: %s", (told, words) => {
    expect(whyOf(status("2", told))).toBe(words);
  });
});

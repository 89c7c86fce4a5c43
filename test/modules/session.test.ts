import { describe, expect, it } from "vitest";
import { session } from "../../modules/session.ts";
import { closedPremises } from "../../src/legion/hosting/shared-host.ts";
import { createTestHost, type TestHost } from "./test-host.ts";

const START = Date.UTC(2026, 0, 2, 3, 4, 5);
const AT = new Date(START).toISOString();

/** An agent whose clock stands still. */
function createAgent(state = {}): TestHost {
  const premises = closedPremises(() => Promise.reject(new Error("no web here")));
  const node = { ...premises, clock: { ...premises.clock, now: () => START } };
  return createTestHost(session, { node, state });
}

describe("the session module", () => {
  it("keeps nothing and shows nothing before the first note", async () => {
    const agent = createAgent();
    expect(session.pinnedMessage!(agent.host)).toBeUndefined();
    expect(await agent.act("recallNotes")).toEqual({ outcome: "ok", content: "No notes recorded yet." });
    expect(agent.state.size).toBe(0);
  });

  it("records notes with their time, and recalls them in order", async () => {
    const agent = createAgent();
    expect(await agent.act("recordNote", { content: " tests run with make " })).toEqual({
      outcome: "ok",
      content: "Recorded note: tests run with make (category: general)",
    });
    await agent.act("recordNote", { content: "tabs, not spaces", category: "style" });
    expect((await agent.act("recallNotes")).content).toBe(
      `Recorded notes:\n1. [general] tests run with make (recorded at ${AT})\n` +
        `2. [style] tabs, not spaces (recorded at ${AT})`,
    );
    expect(session.pinnedMessage!(agent.host)).toBe("You have recorded 2 notes in this session.");
    expect([...agent.state.values()]).toEqual([
      { timestamp: AT, category: "general", content: "tests run with make" },
      { timestamp: AT, category: "style", content: "tabs, not spaces" },
    ]);
  });

  it("recalls those of one category, however it is written, and names the others where there is none", async () => {
    const agent = createAgent();
    await agent.act("recordNote", { content: "a", category: "Style" });
    await agent.act("recordNote", { content: "b" });
    expect((await agent.act("recallNotes", { category: "style" })).content).toBe(
      `Recorded notes:\n1. [Style] a (recorded at ${AT})`,
    );
    expect((await agent.act("recallNotes", { category: "plan" })).content).toBe(
      "No notes of category plan; there are notes of: Style, general.",
    );
  });

  it.each([
    ["no content", { content: " \n" }],
    ["too much content", { content: "x".repeat(10_001) }],
    ["a category of two lines", { content: "a", category: "b\nc" }],
    ["an empty category", { content: "a", category: " " }],
    ["a category that is a text of its own", { content: "a", category: "x".repeat(51) }],
  ])("refuses %s", async (_, parameters) => {
    const agent = createAgent();
    await expect(agent.act("recordNote", parameters)).rejects.toThrow();
    expect(agent.state.size).toBe(0);
  });

  it("refuses notes without end", async () => {
    const note = { timestamp: AT, category: "general", content: "a" };
    const agent = createAgent(
      Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [String(n + 1), note])),
    );
    expect((await agent.act("recordNote", { content: "b" })).outcome).toBe("error");
    expect(agent.state.size).toBe(1_000);
  });
});

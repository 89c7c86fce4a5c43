import { describe, expect, it } from "vitest";
import { digest, planLegion, summaryRequest } from "../../../src/agent/think/compaction.ts";
import type { Event, NewEvent } from "../../../src/domain/event/event.ts";
import { toolsProtocol } from "../../../src/model/protocol/tools.ts";
import { createView, type View } from "../../../src/past/view.ts";

/** Tokens of one event in these tests: `x` weighs 4 bytes a token. */
const TEXT_TOKENS = 100;

/** Each letter is an event: m mail, e a decision with one result (two events), f the same with two calls (three). */
function viewOf(shape: string, tokens = TEXT_TOKENS): View {
  const view = createView({ protocol: toolsProtocol, errors: "keep", window: Infinity });
  let seq = 0;
  const add = (event: NewEvent): void => view.see({ ...event, seq: ++seq, epoch: 1, at: "" } as Event);
  for (const letter of shape) {
    if (letter === "m") {
      const id = `0>1#${seq + 1}`;
      add({
        kind: "message",
        mail: seq,
        from: "l",
        message: {
          id,
          type: "agentToAgent",
          source: { type: "agent", id: "0" },
          targetAgentIds: ["1"],
          content: "x",
          sentAt: "",
          delivery: "normal",
          root: id,
          hops: 0,
        },
      });
    } else {
      const calls = (letter === "e" ? ["a"] : ["a", "b"]).map((id) => ({
        id: `${seq}${id}`,
        action: "act",
        parameters: {},
      }));
      add({
        kind: "decision",
        text: "t",
        calls,
        protocol: "tools",
        model: "m",
        usage: { input: 0, output: 0 },
        stop: "end",
      });
      for (const { id } of calls)
        add({ kind: "result", call: id, outcome: "ok", content: `result of ${id}` });
    }
    view.setTokens(view.items.at(-1)!, tokens);
  }
  return view;
}

function covered(shape: string, threshold: number, introduction = 0): readonly [number, number] | undefined {
  return planLegion(viewOf(shape), introduction, threshold)?.covers;
}

describe("the legion strategy", () => {
  it("takes at least half of the events and, where that is more, what is over the threshold", () => {
    // 1 + 2*10 = 21 events and 1,100 tokens: half of the events are 11, so mail and five exchanges.
    expect(covered("meeeeeeeeee", 1_000)).toEqual([1, 11]);
    // 800 over: eight items.
    expect(covered("meeeeeeeeee", 300)).toEqual([1, 15]);
    // What the introduction takes counts as overrun.
    expect(covered("meeeeeeeeee", 1_000, 700)).toEqual([1, 15]);
  });

  it("leaves the three newest events, however far the view is over the threshold", () => {
    // The newest exchange is two events, so the one before it stays, too.
    expect(covered("meeee", 1)).toEqual([1, 5]);
    // A decision with two results is three events.
    expect(covered("meeef", 1)).toEqual([1, 7]);
    expect(covered("me", 1)).toBeUndefined();
    expect(covered("e", 1)).toBeUndefined();
    expect(covered("", 1)).toBeUndefined();
  });

  it("never parts a call from its result", () => {
    for (let threshold = 1; threshold < 1_500; threshold += 50) {
      const view = viewOf("mefemfeeff");
      const plan = planLegion(view, 0, threshold)!;
      const ends = view.items.map(({ lastSeq }) => lastSeq);
      expect(ends).toContain(plan.covers[1]);
      expect(plan.covers[0]).toBe(1);
    }
  });

  it("never takes mail that no decision has seen", () => {
    expect(covered("meeeemmm", 1)).toEqual([1, 9]);
    expect(covered("mmmmmmmm", 1)).toBeUndefined();
    // Unseen mail counts among the newest events.
    expect(covered("meeeem", 1)).toEqual([1, 7]);
  });

  it("limits the summary to a sixth of the threshold, in words", () => {
    expect(planLegion(viewOf("meeeeeeee"), 0, 3_000)?.wordLimit).toBe(500);
    expect(planLegion(viewOf("meeeeeeee"), 0, 3_005)?.wordLimit).toBe(500);
  });

  it("does not summarise a lone summary again", () => {
    const view = viewOf("meeee");
    view.see({
      kind: "summary",
      covers: [1, 5],
      content: "s",
      strategy: "legion",
      usage: { input: 0, output: 0 },
      seq: 99,
      epoch: 1,
      at: "",
    });
    expect(view.items.map(({ kind }) => kind)).toEqual(["summary", "exchange", "exchange"]);
    expect(planLegion(view, 0, 1)).toBeUndefined();
  });
});

describe("the request for a summary", () => {
  const plan = () => planLegion(viewOf("meeeeeeee"), 0, 3_000)!;

  it("shows the events that go, and asks for plain text with the word limit", () => {
    const request = summaryRequest(plan(), 10_000, "You are Agent 1.");
    expect(request.system).toBe("You are Agent 1.");
    expect(request.tools).toEqual([]);
    expect(request.turns).toHaveLength(1);
    const [turn] = request.turns;
    expect(turn).toMatchObject({ role: "user" });
    const text = turn!.role === "user" ? turn!.text : "";
    expect(text).toMatch(
      /^Received:\n--- MESSAGE FROM CONTROL ---\n\nx\n\nYou:\nt\nact \{\}\n\nResults:\nresult of/,
    );
    expect(text).toContain("result of 1a");
    expect(text).not.toContain("result of 15a");
    expect(request.pinned).toMatch(/^Write a summary of these events in 500 words or less\./);
    expect(request.pinned).toMatch(/Not more than 500 words\.$/);
  });

  it("has a limit of its own on what it shows", () => {
    const long = viewOf("meeeeeeee", 5_000);
    const request = summaryRequest(planLegion(long, 0, 3_000)!, 40, "");
    expect(JSON.stringify(request.turns).length).toBeLessThan(400);
  });
});

describe("a digest", () => {
  it("names every event by its number and says how to reopen it", () => {
    expect(digest(planLegion(viewOf("meeee"), 0, 3_000)!)).toBe(
      [
        "- event 1: --- MESSAGE FROM CONTROL --- x",
        "- event 2-3: t act {} / result of 1a",
        "- event 4-5: t act {} / result of 3a",
        "Use the recall action to reopen any of them by number.",
      ].join("\n"),
    );
  });

  it("says how many of the oldest it leaves out to stay within the word limit", () => {
    const text = digest(planLegion(viewOf("m" + "e".repeat(200)), 0, 600)!);
    expect(text).toMatch(/^\(\d+ older events are not listed\.\)\n- event /);
    expect(text.length / 4).toBeLessThan(150);
  });
});

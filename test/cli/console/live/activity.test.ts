import { describe, expect, it } from "vitest";
import { createAgentActivities } from "../../../../src/cli/console/live/activity.ts";
import type { Inspection } from "../../../../src/domain/inspection.ts";
import { call, committed, decision, delta, live, progress, state } from "../../inspections.ts";

function watch() {
  let nowMs = 1_000;
  const activities = createAgentActivities(() => nowMs);
  return {
    at: (ms: number) => void (nowMs = ms),
    see(...inspections: readonly Inspection[]) {
      inspections.forEach(activities.see);
      const { state: now, mark, text, since } = activities.of("1");
      return [now, `${mark} ${text}`.trim(), since];
    },
  };
}

describe("what an agent does now", () => {
  it("is nothing before anything was seen", () => {
    expect(watch().see()).toEqual(["idle", "waits for mail", undefined]);
  });

  it("is to wait for the first word, as long as that takes, then what is said", () => {
    const { see, at } = watch();
    expect(see(state("1", "waiting"))).toEqual(["waiting", "has something to do", undefined]);
    at(5_000);
    expect(see(state("1", "thinking"))).toEqual(["thinking", "~ waits for the first word", 5_000]);
    at(9_000);
    expect(see(state("1", "thinking"))).toEqual(["thinking", "~ waits for the first word", 5_000]);
    expect(see(delta("1", "Let me ", "thoughts"), delta("1", "see.", "thoughts"))).toEqual([
      "thinking",
      "~ Let me see.",
      undefined,
    ]);
    expect(see(delta("1", "I walk"))).toEqual(["thinking", "“ I walk", undefined]);
    const named: Inspection = {
      kind: "live:call",
      agent: "1",
      call: "a",
      action: "readFile",
      phase: "written",
    };
    expect(see(named)).toEqual(["thinking", "▸ readFile …", undefined]);
  });

  it("is the newest call that runs, what it tells, and what came of the last", () => {
    const { see, at } = watch();
    const calls = [call("readFile", { path: "a" }, "a"), call("readFile", { path: "b" }, "b")];
    see(state("1", "thinking"), decision("1", { calls }));
    expect(see(state("1", "acting"))).toEqual(["acting", "acts", undefined]);
    at(7_000);
    const runs = (id: string): Inspection => live("1", id, "readFile", { phase: "running", touches: [] });
    const ends = (id: string, outcome: "ok" | "error"): Inspection =>
      live("1", id, "readFile", { phase: "ended", outcome, touches: [] });
    expect(see(runs("a"))).toEqual(["acting", "▸ readFile path: a", 7_000]);
    at(8_000);
    expect(see(progress("1", "a", "one\ntwo\n"))).toEqual(["acting", "│ two", 7_000]);
    expect(see(runs("b"))).toEqual(["acting", "▸ readFile path: b", 8_000]);
    expect(see(ends("a", "ok"))).toEqual(["acting", "▸ readFile path: b", 8_000]);
    expect(see(ends("b", "error"))).toEqual(["acting", "✗ readFile path: b", undefined]);
    expect(see(state("1", "waiting"))).toEqual(["waiting", "✗ readFile path: b", undefined]);
    expect(see(state("1", "idle"))).toEqual(["idle", "waits for mail", undefined]);
  });

  it("is what a compaction came to, until the model says something", () => {
    const { see, at } = watch();
    see(state("1", "thinking"));
    at(6_000);
    const event = {
      kind: "summary",
      covers: [2, 40],
      content: "c",
      strategy: "rounds",
      usage: { input: 1, output: 1 },
      tokens: { before: 85_000, after: 45_000 },
      stays: { messages: 12, decisions: 1, summaries: 9 },
    } as const;
    expect(see(committed("1", event))).toEqual([
      "thinking",
      "· compacted: 85,000 -> 45,000 tokens, 12 messages, 1 decision and 9 summaries stay",
      6_000,
    ]);
    expect(see(delta("1", "I go on"))).toEqual(["thinking", "“ I go on", undefined]);
  });

  it("is the reason why it rests, or tries again", () => {
    const { see } = watch();
    expect(see(state("1", "retrying", "overloaded"))).toEqual(["retrying", "overloaded", undefined]);
    expect(see(state("1", "parked", "The key is wrong."))).toEqual([
      "parked",
      "The key is wrong.",
      undefined,
    ]);
    expect(see(state("1", "stopped"))[1]).toBe("stopped; the next start runs it again");
  });

  it("is kept of no more than a row could show", () => {
    const { see } = watch();
    for (let piece = 0; piece < 100; piece++) see(delta("1", "x".repeat(10_000)));
    expect(String(see()[1]).length).toBeLessThan(3_000);
  });
});

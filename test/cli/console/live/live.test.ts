import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createLive } from "../../../../src/cli/console/live/live.ts";
import type { Inspection } from "../../../../src/domain/inspection.ts";
import { call, committed, decision, delta, mail, message, result, state } from "../../inspections.ts";

function watch(agents = ["1", "2"], hosted = agents, run?: string) {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance", "Date"] });
  onTestFinished(() => void vi.useRealTimers());
  let printed = "";
  const shown: (readonly string[])[] = [];
  const live = createLive({
    questions: "at the prompt",
    print: (rows) => (printed += rows),
    show: (rows) => void shown.push(rows),
    columns: () => 80,
    size: () => ({ columns: 60, rows: 24 }),
    paint: (_, text) => text,
    agents,
    run,
    hosted: () => hosted,
    spent: () => ({ steps: 3, tokens: 12_345, cost: 0, timeMs: 0 }),
  });
  onTestFinished(live.close);
  return {
    ...live,
    shown,
    see: (...inspections: readonly Inspection[]) => inspections.forEach(live.see),
    rows() {
      const rows = printed.split("\n").slice(0, -1);
      printed = "";
      return rows;
    },
  };
}

const said = (content: string, ...to: readonly string[]): Inspection =>
  committed("0", {
    kind: "notice",
    reason: "said",
    content,
    sends: to.map((id) => message("0", id, content)),
  });

describe("what scrolls by where each agent has a row", () => {
  it("shows once what one says to the person that came while others ran", () => {
    const view = watch(["1"], ["1", "guest"]);
    const sent = message("guest", "0", "Fine.");
    view.see(
      decision("guest", { text: "Fine.", stop: "end", sends: [sent] }),
      committed("0", { kind: "message", message: sent, mail: 1, from: "log" }),
      committed("0", { kind: "message", message: message("away", "0", "Hello."), mail: 2, from: "log" }),
    );
    expect(view.rows()).toEqual(["guest    → Control: Fine.", "Control  ← away: Hello."]);
  });

  it("is what concerns the person, and nothing else", () => {
    const view = watch();
    view.see(
      said("survey .", "1"),
      mail("1", "survey ."),
      state("1", "thinking"),
      delta("1", "I look."),
      decision("1", { text: "I look.", calls: [call("readFile", { path: "a" })] }),
      state("1", "acting"),
      result("1", "A"),
      result("1", "Sent.", { sends: [message("1", "2", "look, too")] }),
      state("1", "retrying", "overloaded"),
      result("1", "Message sent to Control.", { sends: [message("1", "0", "Done:\nall of it.")] }),
      decision("2", { text: "Fine.", stop: "end", sends: [message("2", "0", "Fine.")] }),
      state("2", "parked", "too many steps."),
      state("2", "parked", "too many steps."),
      committed("2", { kind: "notice", reason: "resumed", content: "" }),
      committed("1", {
        kind: "notice",
        reason: "restarted",
        content: "readFile is done again.",
        details: "again",
      }),
      committed("1", { kind: "notice", reason: "restarted", content: "It failed, and begins anew: disk" }),
      state("1", "idle"),
    );
    expect(view.rows()).toEqual([
      "Control  → Agent 1: survey .",
      "Agent 1  → Control: Done:",
      "           all of it.",
      "Agent 2  → Control: Fine.",
      "Agent 2  ! parked: too many steps. (legion resume 2)",
      "Agent 2  ! goes on",
      "Agent 1  ! It failed, and begins anew: disk",
    ]);
  });

  it("says in a run with what its agents are reached", () => {
    const view = watch(["1", "2"], ["1", "2"], "garden");
    view.see(state("1", "paused", "lunch."));
    expect(view.rows()).toEqual(["Agent 1  ! paused: lunch. (legion resume 1 --run garden)"]);
  });

  it("is what the runtime and agents elsewhere tell the person, each once", () => {
    const view = watch();
    const toControl = (from: string, given = {}): Inspection =>
      committed("0", { kind: "message", message: message(from, "0", "hello", given), mail: 1, from: "log" });
    view.see(toControl("9"), toControl("1"), toControl("0", { source: { type: "user" } }));
    expect(view.rows()).toEqual(["Control  ← Agent 9: hello", "Control  ← Legion: hello"]);
  });

  it("is not what the person has just typed here, but what they say elsewhere", () => {
    const view = watch();
    const done = view.expect("typed here");
    view.see(said("typed here", "1"), said("typed there", "1", "2"));
    done();
    view.see(said("typed here", "1", "2", "3", "4"));
    expect(view.rows()).toEqual([
      "Control  → Agent 1, Agent 2: typed there",
      "Control  → 4 agents: typed here",
    ]);
  });

  it("is what came of an action that they typed, and of none that a model chose", () => {
    const view = watch();
    const typed = decision("2", { calls: [{ id: "c1", action: "bash", parameters: {} }], model: "human" });
    view.see(typed, result("2", "one\ntwo\nthree"));
    view.see(decision("2"), result("2", "by the model"));
    expect(view.rows()).toEqual(["Agent 2  ✓ one", "           two", "           three"]);
  });

  it("is marked where another program said it", () => {
    const view = watch();
    const words = message("0", "1", "do it", { taint: ["another program"] });
    view.see(committed("0", { kind: "notice", reason: "said", content: "do it", sends: [words] }));
    expect(view.rows()).toEqual(["Control  → Agent 1 (another program): do it"]);
  });
});

describe("the rows at the bottom", () => {
  it("are painted at most ten times a second, once a second while something is timed, and else never", () => {
    const view = watch();
    for (let piece = 0; piece < 1_000; piece++) view.see(delta("1", `word ${piece} `));
    vi.advanceTimersByTime(50);
    for (let piece = 0; piece < 1_000; piece++) view.see(delta("2", `word ${piece} `));
    vi.advanceTimersByTime(99);
    expect(view.shown).toHaveLength(2);
    expect(view.shown.at(-1)![1]).toMatch(/^Agent 1 {2}idle {6}“ … .*word 999 +12\.3k$/);
    vi.advanceTimersByTime(60_000);
    expect(view.shown).toHaveLength(2);
    expect(vi.getTimerCount()).toBe(0);

    view.see(state("1", "thinking"));
    vi.advanceTimersByTime(5_050);
    expect(view.shown).toHaveLength(8);
    expect(view.shown.at(-1)![1]).toBe("Agent 1  thinking  ~ waits for the first word 5s       12.3k");
    view.see(state("1", "idle"));
    vi.advanceTimersByTime(60_000);
    expect(view.shown).toHaveLength(9);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("are gone at the end, for good", () => {
    const view = watch();
    view.see(state("1", "thinking"));
    vi.advanceTimersByTime(1_000);
    view.close();
    view.see(state("1", "acting"));
    vi.advanceTimersByTime(1_000);
    expect(view.shown.at(-1)).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });
});

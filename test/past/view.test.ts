import { describe, expect, it } from "vitest";
import type { Event, NewEvent } from "../../src/domain/event/event.ts";
import {
  FORGET,
  KEEP,
  decision,
  folded,
  message,
  result,
  summary,
  texts,
  unparsed,
} from "../domain/event/event-lines.ts";
import type { Message } from "../../src/domain/message/message.ts";
import { toolsProtocol } from "../../src/model/protocol/tools.ts";
import { SUMMARY_OPENING, createView } from "../../src/past/view.ts";

describe("what the model is shown", () => {
  it("is a message under its sender's name, and everything else without a header", () => {
    const { view } = folded(KEEP, [
      message("Hello.", "2"),
      message("Hi.", "writer"),
      message("Work."),
      decision("I will.", "a"),
      result("a", "ok", "worked"),
      { kind: "notice", reason: "gap", content: "Something is missing." },
      { kind: "notice", reason: "paused", content: "lunch" },
    ]);
    expect(view.turns).toEqual([
      { role: "user", text: "--- MESSAGE FROM AGENT 2 ---\n\nHello." },
      { role: "user", text: "--- MESSAGE FROM WRITER ---\n\nHi." },
      { role: "user", text: "--- MESSAGE FROM CONTROL ---\n\nWork." },
      {
        role: "assistant",
        text: "I will.",
        calls: [{ id: "a", action: "work", parameters: {} }],
        model: "m",
      },
      { role: "results", results: [{ call: "a", content: "worked", isError: false }] },
      { role: "user", text: "Something is missing." },
    ]);
  });

  it("is an error under its header also where an earlier version imported it as a message", () => {
    const said = { ...message("Unknown action.") };
    Object.assign(said, { message: { content: "Unknown action.", type: "error", source: { type: "user" } } });
    const { view } = folded(KEEP, [said]);
    expect(view.turns).toEqual([{ role: "user", text: "--- ERROR ---\n\nUnknown action." }]);
  });

  it("has a result for a call that has none yet (V1)", () => {
    const { view } = folded(KEEP, [message("Go."), decision("", "a", "b"), result("a", "ok", "done")]);
    expect(view.turns.at(-1)).toEqual({
      role: "results",
      results: [
        { call: "a", content: "done", isError: false },
        { call: "b", content: "(no result yet)", isError: false },
      ],
    });
  });

  it("shows errors under a header in text, and no empty turn for an idle result", () => {
    const { view } = folded({ ...FORGET, errors: "keep" }, [
      message("Go."),
      decision("work", "a"),
      result("a", "error", "it broke"),
      decision("work", "b"),
      result("b", "idle", ""),
    ]);
    expect(view.turns.map((turn) => (turn.role === "results" ? "" : turn.text))).toEqual([
      "--- MESSAGE FROM CONTROL ---\n\nGo.",
      "work",
      "--- ERROR ---\n\nit broke",
      "work",
    ]);
  });

  it("shows nothing of a decision that was aborted before the model said anything", () => {
    const { view } = folded(KEEP, [
      message("Go."),
      { ...decision(""), stop: "aborted" } as NewEvent,
      message("Stop."),
    ]);
    expect(view.turns).toHaveLength(2);
  });

  it("leaves out the middle of a huge message and says where the whole is", () => {
    const { view } = folded(KEEP, [message(`begin ${"word ".repeat(30_000)} end`)]);
    expect(texts(view)).toMatch(
      /begin .* \[\.\.\. \d+ characters left out \.\.\.\] .* end\n\n\(Too long .* as event 1\.\)$/,
    );
    expect(view.tokens).toBeLessThan(17_000);
  });
});

describe("forgetting errors", () => {
  it("takes a failed decision and its errors away as soon as something works", () => {
    const { view } = folded(FORGET, [
      message("Go."),
      decision("first try", "a"),
      result("a", "error"),
      unparsed("second try"),
      result(null, "error", "no action in it"),
      decision("third try", "c"),
      result("c", "ok", "worked"),
    ]);
    expect(texts(view)).toBe("--- MESSAGE FROM CONTROL ---\n\nGo.\nwork\nthoughts: third try\nworked");
    expect(texts(view)).not.toMatch(/first|second|no action/);
  });

  it("keeps errors until then, and those of a decision of which a part worked", () => {
    const events = [
      message("Go."),
      decision("try", "a", "b"),
      result("a", "error", "broke"),
      result("b", "ok", "fine"),
    ];
    const { view } = folded(FORGET, [...events, decision("again", "c"), result("c", "error", "still")]);
    expect(texts(view)).toContain("broke");
    expect(texts(view)).toContain("still");
    const { view: later } = folded(FORGET, [...events, decision("more", "d"), result("d", "ok")]);
    expect(texts(later)).toContain("broke");
  });

  it("neither forgets for nor because of interrupted and idle results", () => {
    const { view } = folded(FORGET, [
      message("Go."),
      decision("one", "a"),
      result("a", "interrupted", "unknown outcome"),
      decision("two", "b"),
      result("b", "error", "broke"),
      decision("three", "c"),
      result("c", "idle", "resting"),
    ]);
    for (const text of ["unknown outcome", "broke", "resting"]) expect(texts(view)).toContain(text);
    const { view: after } = folded(FORGET, [
      decision("one", "a"),
      result("a", "interrupted", "unknown outcome"),
      decision("x", "b"),
      result("b", "ok"),
    ]);
    expect(texts(after)).toContain("unknown outcome");
  });

  it("does not happen where errors are kept", () => {
    const { view } = folded(KEEP, [
      decision("one", "a"),
      result("a", "error", "broke"),
      decision("two", "b"),
      result("b", "ok"),
    ]);
    expect(texts(view)).toContain("broke");
  });
});

describe("a summary", () => {
  it("stands in place of what it covers", () => {
    const { view } = folded(KEEP, [
      message("Go."),
      decision("one", "a"),
      result("a", "ok", "first result"),
      decision("two", "b"),
      result("b", "ok", "second result"),
      summary([1, 3], "You began."),
    ]);
    expect(view.turns[0]).toEqual({ role: "user", text: `${SUMMARY_OPENING}\n\nYou began.` });
    expect(texts(view)).not.toContain("first result");
    expect(texts(view)).toContain("second result");
    expect(view.items.map(({ kind }) => kind)).toEqual(["summary", "exchange"]);
  });

  it("can be covered by the next one", () => {
    const { view } = folded(KEEP, [
      message("a"),
      decision("b"),
      summary([1, 2], "old"),
      decision("c"),
      summary([1, 4], "new"),
    ]);
    expect(texts(view)).toBe(`${SUMMARY_OPENING}\n\nnew`);
  });

  it("leaves the hash over what was shown before it as it was", () => {
    const events = [message("a"), decision("b"), message("c")];
    const { view } = folded(KEEP, events);
    const { chain } = view;
    view.see({ ...summary([2, 2]), seq: 4, epoch: 1, at: "" } as Event);
    expect(view.chain).not.toBe(chain);
    expect(view.items[0]!.chain).toBe(folded(KEEP, events.slice(0, 1)).view.chain);
  });
});

describe("a message that is long for the model's window", () => {
  it.each([
    [8_000, 9_000],
    [200_000, 100_000],
  ])("is shown without its middle, window %i", (window, most) => {
    const view = createView({ protocol: toolsProtocol, errors: "keep", window });
    const content = `first ${"word ".repeat(40_000)} last`;
    const long: Message = {
      id: "0>1#1",
      type: "agentToAgent",
      source: { type: "agent", id: "0" },
      targetAgentIds: ["1"],
      content,
      sentAt: "",
      delivery: "normal",
      root: "0>1#1",
      hops: 0,
    };
    view.see({ kind: "message", message: long, mail: 1, from: "log", seq: 1, epoch: 1, at: "" });
    const shown = JSON.stringify(view.turns);
    expect(shown.length).toBeLessThan(most);
    expect(shown).toContain("first word");
    expect(shown).toContain("last");
    expect(shown).toContain("recall");
  });
});

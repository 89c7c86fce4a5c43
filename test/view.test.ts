import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { planLegion } from "../src/compaction.ts";
import type { Call, Event, NewEvent, Outcome } from "../src/event.ts";
import { CONTROL, type AgentId } from "../src/message.ts";
import type { Turn } from "../src/model/model.ts";
import { textProtocol } from "../src/protocol/text.ts";
import { toolsProtocol } from "../src/protocol/tools.ts";
import { SUMMARY_OPENING, createView, renderMessage, type View, type ViewOptions } from "../src/view.ts";

const KEEP: ViewOptions = { protocol: toolsProtocol, errors: "keep" };
const FORGET: ViewOptions = { protocol: textProtocol, errors: "forget" };

/** A view with a log's numbering in front of it. */
function folded(
  options: ViewOptions,
  events: readonly NewEvent[],
): { readonly view: View; readonly log: Event[] } {
  const view = createView(options);
  const log = events.map((event, index): Event => ({
    ...event,
    seq: index + 1,
    epoch: 1,
    at: "2026-01-01T00:00:00.000Z",
  }));
  for (const event of log) view.see(event);
  return { view, log };
}

let sent = 0;

function message(content: string, from: AgentId = CONTROL): NewEvent {
  const id = `${from}>1#${++sent}`;
  return {
    kind: "message",
    mail: sent,
    from: "log",
    message: {
      id,
      type: "agentToAgent",
      source: { type: "agent", id: from },
      targetAgentIds: ["1"],
      content,
      sentAt: "2026-01-01T00:00:00.000Z",
      delivery: "normal",
      root: id,
      hops: 0,
    },
  };
}

function decision(text: string, ...ids: readonly string[]): NewEvent {
  const calls = ids.map((id): Call => ({ id, action: "work", parameters: {} }));
  return {
    kind: "decision",
    text,
    calls,
    protocol: "tools",
    model: "m",
    usage: { input: 1, output: 1 },
    stop: "end",
  };
}

function unparsed(text: string): NewEvent {
  return {
    kind: "decision",
    text,
    calls: [],
    protocol: "text",
    model: "m",
    usage: { input: 1, output: 1 },
    stop: "unparsed",
  };
}

function result(call: string | null, outcome: Outcome, content = `${outcome} of ${call}`): NewEvent {
  return { kind: "result", call, outcome, content };
}

function summary(covers: readonly [number, number], content = "what happened"): NewEvent {
  return { kind: "summary", covers, content, strategy: "legion", usage: { input: 1, output: 1 } };
}

function texts({ turns }: View): string {
  return turns
    .map((turn) =>
      turn.role === "results" ? turn.results.map(({ content }) => content).join("\n") : turn.text,
    )
    .join("\n");
}

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

describe("for any sequence of events", () => {
  const outcome = fc.constantFrom<Outcome>("ok", "error", "idle", "interrupted");
  const step = fc.oneof(
    fc.record({ kind: fc.constant("message" as const) }),
    fc.record({
      kind: fc.constant("decision" as const),
      calls: fc.integer({ min: 0, max: 3 }),
      stop: fc.constantFrom("end", "unparsed", "aborted"),
    }),
    fc.record({ kind: fc.constant("result" as const), of: fc.integer({ min: 0, max: 4 }), outcome }),
    fc.record({ kind: fc.constant("summary" as const), from: fc.nat(), length: fc.nat(8) }),
    fc.record({ kind: fc.constant("compaction" as const) }),
    fc.record({ kind: fc.constant("notice" as const) }),
  );
  const options = fc.constantFrom(
    KEEP,
    FORGET,
    { ...KEEP, errors: "forget" } as const,
    { ...FORGET, errors: "keep" } as const,
  );

  /** Plays the steps as the runtime, a crash, or a hand-edited log could have written them. */
  function play(
    view: View,
    steps: readonly (typeof step extends fc.Arbitrary<infer S> ? S : never)[],
  ): Event[] {
    const log: Event[] = [];
    let open: readonly string[] = [];
    const add = (event: NewEvent): void => {
      const stamped: Event = { ...event, seq: log.length + 1, epoch: 1, at: "2026-01-01T00:00:00.000Z" };
      log.push(stamped);
      view.see(stamped);
    };
    for (const each of steps) {
      const n = log.length + 1;
      if (each.kind === "message") add(message(`m${n}.`));
      else if (each.kind === "notice") add({ kind: "notice", reason: "gap", content: "gap" });
      else if (each.kind === "decision") {
        open = each.stop === "end" ? Array.from({ length: each.calls }, (_, i) => `d${n}c${i}`) : [];
        if (each.stop === "unparsed") add(unparsed(`d${n}`));
        else add({ ...decision(`d${n}`, ...open), stop: each.stop as "end" | "aborted" } as NewEvent);
      } else if (each.kind === "result") add(result(open[each.of] ?? null, each.outcome));
      else if (each.kind === "compaction") {
        const plan = planLegion(view, 0, 1);
        if (plan) add(summary(plan.covers));
      } else if (n > 1) {
        const first = 1 + (each.from % (n - 1));
        add(summary([first, Math.min(n - 1, first + each.length)]));
      }
    }
    return log;
  }

  function calls(turn: Turn): readonly string[] {
    return turn.role === "assistant" ? turn.calls.map(({ id }) => id) : [];
  }

  it("every call that is shown is followed by exactly one result (V1)", () => {
    fc.assert(
      fc.property(options, fc.array(step, { maxLength: 40 }), (chosen, steps) => {
        const view = createView(chosen);
        play(view, steps);
        if (chosen.protocol.name !== "tools") return;
        view.turns.forEach((turn, index) => {
          const next = view.turns[index + 1];
          if (calls(turn).length > 0) {
            expect(next?.role === "results" ? next.results.map(({ call }) => call) : undefined).toEqual(
              calls(turn),
            );
          } else if (next?.role === "results") expect(next.results).toEqual([]);
        });
      }),
      { numRuns: 500 },
    );
  });

  it("every message is shown, or lies in a range that a shown summary covers (V2)", () => {
    fc.assert(
      fc.property(options, fc.array(step, { maxLength: 40 }), (chosen, steps) => {
        const view = createView(chosen);
        const log = play(view, steps);
        const summaries = view.items.filter(({ kind }) => kind === "summary");
        const shown = new Set(view.turns.map((turn) => (turn.role === "user" ? turn.text : "")));
        for (const event of log) {
          if (event.kind !== "message") continue;
          const isCovered = summaries.some(
            ({ firstSeq, lastSeq }) => firstSeq <= event.seq && event.seq <= lastSeq,
          );
          expect(isCovered || shown.has(renderMessage(event.message))).toBe(true);
        }
      }),
      { numRuns: 500 },
    );
  });

  it("turns, tokens and hash are those of a view that saw only what is shown", () => {
    fc.assert(
      fc.property(options, fc.array(step, { maxLength: 40 }), (chosen, steps) => {
        const view = createView(chosen);
        play(view, steps);
        expect(view.turns).toEqual(view.items.flatMap(({ turns }) => turns));
        expect(view.tokens).toBe(view.items.reduce((sum, { tokens }) => sum + tokens, 0));
        const { chain } = view;
        const again = createView(chosen);
        play(again, steps);
        expect(again.chain).toBe(chain);
      }),
    );
  });
});

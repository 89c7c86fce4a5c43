import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Event, NewEvent } from "../../../src/domain/event/event.ts";
import type { MailLane } from "../../../src/domain/message/message.ts";
import { account, createLedger } from "../../../src/past/ledger.ts";
import { followNewest, type RootId } from "../../../src/past/shares/by-cause.ts";
import { createShares } from "../../../src/past/shares/shares.ts";
import { NOTHING, add, spentOf, type Spent } from "../../../src/past/limits/spending.ts";

/** Message `n` of Control, which begins a chain of its own unless it belongs to `root`. */
function mail(n: number, more: { root?: string; lane?: MailLane; held?: true } = {}): NewEvent {
  const { root = `0>1#${n}`, lane = "normal", held } = more;
  const message = {
    id: `0>1#${n}`,
    type: "agentToAgent" as const,
    source: { type: "agent" as const, id: "0" },
    targetAgentIds: ["1"],
    content: `Task ${n}`,
    sentAt: "2026-01-01T00:00:00.000Z",
    delivery: lane,
    root,
    hops: 0,
  };
  return { kind: "message", message, mail: n, from: "log of 0", ...(held && { held }) };
}

function prompted(input: number, call?: string): NewEvent {
  return { kind: "prompted", model: "m", prompt: "", introduction: "", reserved: { input, output: 9 }, call };
}

function decision(input: number, ...calls: readonly string[]): NewEvent {
  const usage = { input, output: 1, cost: input / 1_000 };
  const asked = calls.map((id) => ({ id, action: "work", parameters: {} }));
  const stop = calls.length > 0 ? "calls" : "end";
  return { kind: "decision", text: "", calls: asked, protocol: "tools", model: "m", usage, stop };
}

function result(call: string, input = 0): NewEvent {
  const usage = input > 0 ? { input, output: 0, cost: input / 1_000 } : undefined;
  return { kind: "result", call, outcome: "ok", content: "", usage };
}

/** As a log numbers them, one a second. */
function numbered(events: readonly NewEvent[], epochs: readonly number[] = []): readonly Event[] {
  return events.map((event, index) => {
    const seq = index + 1;
    return { ...event, seq, epoch: epochs[index] ?? 1, at: new Date(seq * 1_000).toISOString() };
  });
}

function createCauses() {
  const newest = followNewest();
  return createShares((event) => {
    newest.see(event);
    return newest.root();
  });
}

function spentFor(...events: readonly NewEvent[]): Record<string, number> {
  const log = createCauses();
  for (const event of numbered(events)) log.see(event);
  return Object.fromEntries([...log.parts].map(([root, { tokens }]) => [String(root), tokens]));
}

describe("what an agent does counts to the first message", () => {
  it("of the newest that it was shown, whoever sent that", () => {
    const answer = mail(3, { root: "0>1#1" });
    expect(
      spentFor(
        mail(1),
        prompted(5),
        decision(10),
        mail(2),
        prompted(5),
        decision(100),
        answer,
        decision(1_000),
      ),
    ).toEqual({ "0>1#1": 11 + 1_001, "0>1#2": 101 });
  });

  it("until mail that waits is shown", () => {
    const waiting = mail(2, { lane: "follow-up", held: true });
    const shown: NewEvent = { kind: "released", messages: [2] };
    expect(spentFor(mail(1), waiting, decision(10), shown, decision(100))).toEqual({
      "0>1#1": 11,
      "0>1#2": 101,
    });
  });

  it("not of an abort or a verdict, which no model is shown", () => {
    const abort = mail(2, { lane: "abort" });
    const verdict = mail(3, { lane: "verdict" });
    expect(spentFor(mail(1), decision(10), abort, decision(10), verdict, decision(10))).toEqual({
      "0>1#1": 33,
    });
  });

  it("also where it summarises, where an action asks the model, and where nothing came of a prompt", () => {
    const summary: NewEvent = {
      kind: "summary",
      covers: [1, 1],
      content: "",
      strategy: "legion",
      usage: { input: 1_000, output: 0 },
    };
    const refused: NewEvent = { kind: "refused", prompted: 7, status: 429 };
    const stranded = prompted(7);
    expect(
      spentFor(
        ...[mail(1), prompted(1), summary, prompted(1), decision(9, "a"), prompted(50, "a"), prompted(3)],
        ...[refused, result("a", 60), stranded, mail(2), prompted(5), decision(10)],
      ),
    ).toEqual({ "0>1#1": 1_000 + 10 + 60 + 7, "0>1#2": 11 });
  });

  it("of what a fork goes back to", () => {
    const back: NewEvent = { kind: "branch", to: 2 };
    expect(spentFor(mail(1), decision(10), mail(2), decision(100), back, decision(1_000))).toEqual({
      "0>1#1": 11 + 1_001,
      "0>1#2": 101,
    });
  });

  it("and not what stands in the past of the agent that it is a copy of", () => {
    const copied: NewEvent = { kind: "branch", to: 2, origin: "other" };
    expect(spentFor(mail(1), decision(10), copied, decision(100))).toEqual({ "0>1#1": 101 });
  });

  it("or to none, before it was shown any", () => {
    expect(spentFor(decision(10), mail(1), decision(100))).toEqual({ undefined: 11, "0>1#1": 101 });
  });
});

it("whatever happens: the causes in a log add up to what its agent spent", () => {
  const anyEvent = fc.oneof(
    fc.integer({ min: 1, max: 9 }).map((n) => mail(n)),
    fc.integer({ min: 1, max: 9 }).map((n) => mail(n, { lane: "follow-up", held: true })),
    fc.integer({ min: 1, max: 30 }).map((seq): NewEvent => ({ kind: "released", messages: [seq] })),
    fc.tuple(fc.nat(99), fc.constantFrom(undefined, "a", "b")).map(([input, call]) => prompted(input, call)),
    fc.integer({ min: 1, max: 30 }).map((seq): NewEvent => ({ kind: "refused", prompted: seq })),
    fc.nat(99).map((input) => decision(input, "a", "b")),
    fc.tuple(fc.constantFrom("a", "b"), fc.nat(99)).map(([call, input]) => result(call, input)),
    fc
      .tuple(fc.integer({ min: 1, max: 30 }), fc.constantFrom(undefined, "other"))
      .map(([to, origin]): NewEvent => ({ kind: "branch", to, origin })),
  );
  fc.assert(
    fc.property(
      fc.array(anyEvent, { maxLength: 30 }),
      fc.array(fc.nat(1), { minLength: 30, maxLength: 30 }),
      (events, restarts) => {
        let epoch = 1;
        const epochs = restarts.map((restart) => (epoch += restart));
        const log = createCauses();
        const ledger = createLedger();
        for (const event of numbered(events, epochs)) {
          log.see(event);
          account(ledger, event);
        }
        const sum = sumOf(log.parts);
        const whole = spentOf(ledger);
        expect({ ...sum, cost: 0 }).toEqual({ ...whole, cost: 0 });
        expect(sum.cost).toBeCloseTo(whole.cost, 9);
      },
    ),
  );
});

function sumOf(parts: ReadonlyMap<RootId, Spent>): Spent {
  return [...parts.values()].reduce(add, NOTHING);
}

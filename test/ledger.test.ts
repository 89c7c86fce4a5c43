import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Event, NewEvent, OpenedEvent, Outcome, Stop } from "../src/event.ts";
import {
  account,
  createLedger,
  hasWork,
  mayDecide,
  openCalls,
  totalUsage,
  type Ledger,
} from "../src/ledger.ts";
import { CONTROL, type AgentId, type Message } from "../src/message.ts";

/** Folds events as a log numbers them; `at` says which numbers they have where some are gone. */
function fold(events: readonly (NewEvent | OpenedEvent)[], at: readonly number[] = []): Ledger {
  const ledger = createLedger();
  for (const [index, event] of events.entries()) {
    const seq = at[index] ?? index + 1;
    account(ledger, { seq, epoch: 1, at: new Date(seq * 1_000).toISOString(), ...event } satisfies Event);
  }
  return ledger;
}

const opened = (log: string): OpenedEvent => ({ kind: "opened", format: 1, log, seals: {} });
const letter = (from: AgentId, to: AgentId, n: number, more: Partial<Message> = {}): Message => ({
  id: `${from}>${to}#${n}`,
  type: "agentToAgent",
  source: { type: "agent", id: from },
  targetAgentIds: [to],
  content: "",
  sentAt: "",
  delivery: "normal",
  root: `${from}>${to}#${n}`,
  hops: 1,
  ...more,
});
const mail = (from: AgentId, n: number, position: number, more: Partial<Message> = {}): NewEvent => ({
  kind: "message",
  message: letter(from, "1", n, more),
  mail: position,
  from: `log of ${from}`,
});
const said = (...sends: readonly Message[]): NewEvent => ({
  kind: "notice",
  reason: "said",
  content: "",
  sends,
});
const decision = (stop: Stop, ...calls: readonly string[]): NewEvent => ({
  kind: "decision",
  text: "",
  calls: calls.map((id) => ({ id, action: "work", parameters: { of: id } })),
  protocol: "tools",
  model: "m",
  usage: { input: 10, output: 5, cost: 0.5 },
  stop,
});
const result = (call: string | null, outcome: Outcome, content = ""): NewEvent => ({
  kind: "result",
  call,
  outcome,
  content,
});
const prompted: NewEvent = {
  kind: "prompted",
  model: "m",
  prompt: "",
  introduction: "",
  reserved: { input: 7, output: 100 },
};

describe("the numbers of a ledger", () => {
  it("go on per recipient, and begin again under a new log", () => {
    const events = [opened("a"), said(letter("1", "2", 1), letter("1", "3", 1)), said(letter("1", "2", 2))];
    expect(Object.fromEntries(fold(events).numbers)).toEqual({ 2: 2, 3: 1 });
    expect(Object.fromEntries(fold([...events, opened("a")]).numbers)).toEqual({ 2: 2, 3: 1 });
    expect(Object.fromEntries(fold([...events, opened("b")]).numbers)).toEqual({});
  });

  it("know which mail was taken in, by sender's log and by position", () => {
    const ledger = fold([mail("x", 1, 2), mail("y", 7, 3), mail("x", 2, 9)]);
    expect([Object.fromEntries(ledger.seen), ledger.taken]).toEqual([{ "log of x": 2, "log of y": 7 }, 9]);
  });
});

describe("what is undelivered", () => {
  const events = [opened("a"), said(letter("1", "2", 1), letter("1", "3", 1)), said(letter("1", "2", 2))];

  it("is every committed send, oldest first, under the log that numbered it", () => {
    const ledger = fold([...events, opened("b"), said(letter("1", "2", 1))]);
    expect(ledger.undelivered.map(({ from, message, seq }) => [from, message.id, seq])).toEqual([
      ["a", "1>2#1", 2],
      ["a", "1>3#1", 2],
      ["a", "1>2#2", 3],
      ["b", "1>2#1", 5],
    ]);
  });

  it("is no more what the log says is sent", () => {
    expect(fold([...events, { kind: "sent", upTo: 2 }]).undelivered).toMatchObject([{ n: 2 }]);
    expect(fold([...events, { kind: "sent", upTo: 3 }]).undelivered).toEqual([]);
  });

  it("stays so when an event before it is lost", () => {
    const log = [...events, { kind: "sent", upTo: 2 } as const];
    const ids = (ledger: Ledger): string[] => ledger.undelivered.map(({ message }) => message.id);
    expect(ids(fold(log))).toEqual(["1>2#2"]);
    // Without the second event: the position still says which sends it speaks of.
    expect(ids(fold([log[0]!, ...log.slice(2)], [1, 3, 4]))).toEqual(["1>2#2"]);
  });
});

describe("whether there is something to decide", () => {
  const decided = (outcome: Outcome, ...rest: readonly Outcome[]): NewEvent[] => [
    mail(CONTROL, 1, 1),
    decision("calls", ...[outcome, ...rest].map((_, index) => `c${index}`)),
    ...[outcome, ...rest].map((each, index) => result(`c${index}`, each)),
  ];

  it.each<[string, NewEvent[], boolean]>([
    ["nothing happened", [], false],
    ["mail came", [mail("x", 1, 1)], true],
    ["mail was answered", [mail("x", 1, 1), decision("end")], false],
    ["a call worked", decided("ok"), true],
    ["a call failed", decided("error"), true],
    ["a call was interrupted", decided("interrupted"), true],
    ["a call idled", decided("idle"), false],
    ["one of two idled", decided("idle", "ok"), true],
    ["an answer could not be read", [decision("unparsed"), result(null, "error")], true],
    [
      "an abort came after a call worked",
      [...decided("ok"), mail(CONTROL, 2, 2, { delivery: "abort" })],
      false,
    ],
    [
      "mail came after an abort",
      [...decided("ok"), mail(CONTROL, 2, 2, { delivery: "abort" }), mail(CONTROL, 3, 3)],
      true,
    ],
    ["it was paused", [...decided("ok"), { kind: "notice", reason: "paused", content: "" }], false],
    [
      "it was paused and resumed",
      [
        ...decided("ok"),
        { kind: "notice", reason: "paused", content: "" },
        { kind: "notice", reason: "resumed", content: "" },
      ],
      true,
    ],
    [
      "it was parked",
      [...decided("ok"), { kind: "notice", reason: "parked", content: "" }, mail("x", 1, 2)],
      false,
    ],
    [
      "mail came after it was parked until then",
      [...decided("ok"), { kind: "notice", reason: "parked-mail", content: "" }, mail("x", 1, 2)],
      true,
    ],
  ])("after %s: %#", (_, events, expected) => expect(mayDecide(fold(events))).toBe(expected));

  it("counts mail that waits, unless only a person can wake the agent", () => {
    expect(hasWork(fold([]), 1)).toBe(true);
    for (const [reason, expected] of [
      ["paused", false],
      ["parked", false],
      ["parked-limit", false],
      ["parked-mail", true],
    ] as const)
      expect(hasWork(fold([{ kind: "notice", reason, content: "" }]), 1)).toBe(expected);
  });
});

describe("what a decision leaves open", () => {
  it("is every call without a result, or the missing reason of one that could not be read", () => {
    const ids = (...events: NewEvent[]) => openCalls(fold(events)).map((call) => call?.id ?? null);
    expect(ids(decision("calls", "a", "b", "c"))).toEqual(["a", "b", "c"]);
    expect(ids(decision("calls", "a", "b", "c"), result("b", "ok"))).toEqual(["a", "c"]);
    expect(ids(decision("unparsed"))).toEqual([null]);
    expect(ids(decision("unparsed"), result(null, "error"))).toEqual([]);
    expect(ids()).toEqual([]);
  });
});

describe("what was spent", () => {
  it("is what answers came to, and the reserved input of prompts without one", () => {
    const ledger = fold([prompted, prompted, decision("end"), prompted]);
    expect(ledger.spent.steps).toBe(3);
    expect(totalUsage(ledger)).toMatchObject({ input: 7 + 10 + 7, output: 5 });
  });
});

describe("repeated calls", () => {
  it("are counted by call and result until a message comes, and idle ones never", () => {
    const again = (outcome: Outcome, content = "same"): NewEvent[] => [
      decision("calls", "a"),
      result("a", outcome, content),
    ];
    const counts = (events: readonly NewEvent[]): number[] =>
      [...fold(events).repeats.values()].map(({ count }) => count);
    expect(counts([...again("ok"), ...again("ok"), ...again("ok", "other")])).toEqual([2, 1]);
    expect(counts([...again("ok"), mail("x", 1, 1), ...again("ok")])).toEqual([1]);
    expect(counts(again("idle"))).toEqual([]);
    expect(counts([...again("ok"), { kind: "notice", reason: "resumed", content: "" }])).toEqual([]);
  });

  it("are remembered in bounded number", () => {
    const many = Array.from({ length: 500 }, (_, n) => [
      decision("calls", "a"),
      result("a", "ok", String(n)),
    ]).flat();
    expect(fold(many).repeats.size).toBeLessThanOrEqual(64);
  });
});

it("a ledger keeps what it has taken in, whatever comes (property)", () => {
  const event = fc.oneof(
    fc.record({ from: fc.constantFrom("x", "y") }).map(({ from }) => ({ mailFrom: from })),
    fc.constant(said(letter("1", "2", 1))),
    fc.constant(decision("calls", "a")),
    fc.constant(result("a", "ok")),
  );
  fc.assert(
    fc.property(fc.array(event), (steps) => {
      let position = 0;
      const counts = new Map<string, number>();
      const events = steps.map((step): NewEvent => {
        if (!("mailFrom" in step)) return step;
        const n = (counts.get(step.mailFrom) ?? 0) + 1;
        counts.set(step.mailFrom, n);
        return mail(step.mailFrom, n, ++position);
      });
      const ledger = fold(events);
      expect(ledger.taken).toBe(position);
      expect(new Map([...ledger.seen].map(([log, n]) => [log.slice(7), n]))).toEqual(counts);
      expect(ledger.last).toBe(events.length);
    }),
  );
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Event, NewEvent, OpenedEvent, Outcome, Stop } from "../../src/domain/event/event.ts";
import type { RestartDetails } from "../../src/domain/event/notice.ts";
import { account, createLedger, totalUsage, type Ledger } from "../../src/past/ledger.ts";
import type { AgentId, Message } from "../../src/domain/message/message.ts";

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

describe("what was spent", () => {
  it("is what answers came to, and the reserved input of prompts without one", () => {
    const ledger = fold([prompted, prompted, decision("end"), prompted]);
    expect(ledger.spent.steps).toBe(3);
    expect(totalUsage(ledger)).toMatchObject({ input: 7 + 10 + 7, output: 5 });
  });

  it("is the reserve of what an action asks when its result is in the log, whatever comes first", () => {
    const late: NewEvent = { ...prompted, reserved: { input: 3, output: 100 }, call: "a" };
    const acted = [prompted, decision("calls", "a"), result("a", "ok")];
    for (const next of [
      [late, prompted],
      [prompted, late],
    ])
      expect(totalUsage(fold([...acted, ...next, decision("end")])).input).toBe(10 + 3 + 10);
  });

  it("is nothing for a prompt that was refused; one of which nobody knows stays charged", () => {
    const refused = (seq: number): NewEvent => ({ kind: "refused", prompted: seq, status: 429 });
    const ledger = fold([prompted, prompted, refused(1), refused(1), refused(9)]);
    expect(ledger.spent.steps).toBe(1);
    expect(totalUsage(ledger)).toMatchObject({ input: 7, output: 0 });
    // What was answered is not given back.
    const answered = fold([prompted, decision("end"), refused(1)]);
    expect([answered.spent.steps, totalUsage(answered).input]).toEqual([1, 10]);
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

const restarted = (details?: RestartDetails): NewEvent => ({
  kind: "notice",
  reason: "restarted",
  content: "",
  ...(details && { details }),
});
const starts = fc.array(fc.nat(4), { minLength: 1 });
/** The processes of events, numbered: a new one begins where `steps` says so. */
function fromProcesses(events: readonly NewEvent[], steps: readonly number[]): Event[] {
  let epoch = 1;
  return events.map((event, index) => {
    if (steps[index % steps.length] === 0) epoch++;
    return { seq: index + 1, epoch, at: new Date((index + 1) * 1_000).toISOString(), ...event };
  });
}

it("what was spent is what was not refused, over any number of processes (property)", () => {
  const event = fc.oneof(
    fc.constant(prompted),
    fc.nat(40).map((seq): NewEvent => ({ kind: "refused", prompted: seq + 1 })),
    fc.constant(decision("calls", "a")),
    fc.constant({ ...result("a", "ok"), usage: { input: 3, output: 1 } } as NewEvent),
    fc.constantFrom(undefined, "lost" as const, "again" as const, "alone" as const).map(restarted),
  );
  fc.assert(
    fc.property(fc.array(event, { maxLength: 40 }), starts, (events, steps) => {
      const ledger = createLedger();
      let open: number[] = [];
      let [calls, input] = [0, 0];
      for (const each of fromProcesses(events, steps)) {
        account(ledger, each);
        if (each.kind === "prompted") calls = open.push(each.seq) && calls + 1;
        else if (each.kind === "refused" && open.includes(each.prompted)) {
          open = open.filter((seq) => seq !== each.prompted);
          calls--;
        } else if (each.kind === "decision") {
          input += Math.max(0, open.length - 1) * 7 + 10;
          open = [];
        } else if (each.kind === "result" && each.usage) {
          input += each.usage.input;
          open = [];
        }
        expect([ledger.spent.steps, totalUsage(ledger).input]).toEqual([calls, input + open.length * 7]);
      }
      const spanMs = Math.max(0, events.length - 1) * 1_000;
      expect(ledger.spent.workingMs).toBeGreaterThanOrEqual(0);
      expect(ledger.spent.workingMs).toBeLessThanOrEqual(spanMs);
    }),
  );
});

it("only a process that ended alone in a call of the agent makes it the one that took three down (property)", () => {
  const event = fc.oneof(
    fc.constant(prompted),
    fc.constant(decision("calls", "a")),
    fc.constant(result("a", "interrupted")),
    fc.constant(result("a", "ok")),
    fc
      .constantFrom(undefined, "lost", "again", "alone", "beside", "ending" as const)
      .map((details) => restarted(details as RestartDetails | undefined)),
  );
  fc.assert(
    fc.property(fc.array(event, { maxLength: 60 }), starts, (events, steps) => {
      const ledger = createLedger();
      let wasPoisonous = false;
      for (const each of fromProcesses(events, steps)) {
        const { start, pending, epoch } = { ...ledger };
        const mayEndSo =
          start.isAlone && start.hasActed && pending > 0 && !start.isEnding && !start.hasResult;
        account(ledger, each);
        if (each.epoch !== epoch && ledger.fruitless >= 3 && !wasPoisonous) expect(mayEndSo).toBe(true);
        wasPoisonous = ledger.fruitless >= 3;
        expect(ledger.fruitless).toBeLessThanOrEqual(3);
      }
    }),
  );
});

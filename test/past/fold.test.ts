import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { undeliverable } from "../../src/past/mail/dead-letters.ts";
import { isOn, pathTo, type Fork } from "../../src/past/branch.ts";
import type { Event, NewEvent, Outcome } from "../../src/domain/event/event.ts";
import { account, createLedger, totalUsage, type Ledger } from "../../src/past/ledger.ts";
import { createFold, type Fold } from "../../src/past/kept/reading.ts";
import { followLog } from "../../src/past/fold.ts";
import { earlierStates } from "../../src/past/state.ts";
import { KEEP, decision, message, result, summary } from "../domain/event/event-lines.ts";

const fold = (): Fold => createFold(KEEP);

const stamp = (event: NewEvent, index: number): Event => ({
  ...event,
  seq: index + 1,
  epoch: 1,
  at: new Date(index * 1_000).toISOString(),
});

async function* again(events: readonly Event[]): AsyncGenerator<Event> {
  yield* events;
}

async function follow(log: readonly Event[]): Promise<Fold> {
  const follower = followLog(fold);
  for (const event of log) follower.see(event);
  return follower.settle(() => again(log));
}

const pathOf = (log: readonly Event[]): readonly Event[] => {
  const forks = log.flatMap((event): Fork[] => (event.kind === "branch" ? [event] : []));
  const path = pathTo(forks, log.length);
  return log.filter(({ seq }) => isOn(path, seq));
};

const outcome = fc.constantFrom<Outcome>("ok", "error", "idle", "interrupted");
const value = fc.option(fc.integer({ min: 0, max: 3 }), { nil: null });
const step = fc.oneof(
  { weight: 3, arbitrary: fc.constant(() => message("mail")) },
  { weight: 3, arbitrary: fc.nat(2).map((n) => () => decision("d", ...["a", "b"].slice(0, n))) },
  {
    weight: 4,
    arbitrary: fc.tuple(outcome, fc.constantFrom("a", "b"), value).map(([of, call, to]) => () => ({
      ...result(call, of),
      state: [["notes", call, to] as const],
    })),
  },
  { weight: 1, arbitrary: fc.nat().map((n) => (seq: number) => summary([1, 1 + (n % seq)])) },
  {
    weight: 1,
    arbitrary: fc.constantFrom("paused" as const, "resumed" as const).map((reason) => () => ({
      kind: "notice" as const,
      reason,
      content: "",
    })),
  },
  {
    weight: 1,
    arbitrary: value.map((to) => () => ({
      kind: "edited" as const,
      module: "goals",
      key: "goals",
      value: to,
    })),
  },
  { weight: 3, arbitrary: fc.nat().map((n) => (seq: number) => ({ kind: "branch" as const, to: n % seq })) },
);
const logs = fc
  .array(step as fc.Arbitrary<(seq: number) => NewEvent>, { maxLength: 40 })
  .map((steps) => steps.map((make, index) => stamp(make(index + 1), index)));

describe("a log with forks", () => {
  it("shows the agent what the log of its active branch alone would show it (property)", async () => {
    await fc.assert(
      fc.asyncProperty(logs, async (log) => {
        const followed = await follow(log);
        const straight = fold();
        for (const event of pathOf(log)) straight.see(event);
        expect(followed.conversation).toEqual(straight.conversation);
        expect(followed.view.items).toEqual(straight.view.items);
        expect(followed.view.chain).toEqual(straight.view.chain);
        expect(followed.state.modules).toEqual(straight.state.modules);
      }),
    );
  });

  it("counts as a whole, whatever was left (property)", () => {
    fc.assert(
      fc.property(logs, (log) => {
        const counted = (events: readonly Event[]): Partial<Ledger> => {
          const ledger = createLedger();
          for (const event of events) account(ledger, event);
          const { numbers, seen, taken, undelivered, spent, prompts } = ledger;
          return {
            numbers,
            seen,
            taken,
            undelivered,
            prompts,
            spent: { ...spent, usage: totalUsage(ledger) },
          };
        };
        const straight = log.filter(({ kind }) => kind !== "branch");
        const { spent, ...counts } = counted(log);
        const { spent: spentStraight, ...expected } = counted(straight);
        expect(counts).toEqual(expected);
        expect([spent!.steps, spent!.usage]).toEqual([spentStraight!.steps, spentStraight!.usage]);
      }),
    );
  });

  it("is read once if it has none, and once more if it has some", async () => {
    const log = [message("one"), decision("d"), message("two")].map(stamp);
    let readings = 0;
    const read = (events: readonly Event[]) => (): AsyncIterable<Event> => {
      readings++;
      return again(events);
    };
    const straight = followLog(fold);
    for (const event of log) straight.see(event);
    await straight.settle(read(log));
    expect(readings).toBe(0);
    const forked = [...log, stamp({ kind: "branch", to: 2 }, 3)];
    const follower = followLog(fold);
    for (const event of forked) follower.see(event);
    const { view } = await follower.settle(read(forked));
    expect([readings, view.items.length]).toEqual([1, 2]);
  });

  it("leaves out what came into the log since it was first read", async () => {
    const log = [message("one"), decision("d"), { kind: "branch" as const, to: 1 }].map(stamp);
    const follower = followLog(fold);
    for (const event of log) follower.see(event);
    const { view } = await follower.settle(() => again([...log, stamp(message("late"), 3)]));
    expect(view.items).toHaveLength(1);
  });
});

/** Mail that is held, what becomes of it, and a past that was another agent's until then. */
const mailStep = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom("follow-up" as const, "normal" as const).map((delivery) => (seq: number) => {
      const { message: said, ...event } = message(`mail ${seq}.`);
      const id = `${delivery === "normal" ? "2" : "0"}>1#${seq}`;
      return { ...event, message: { ...said, id, delivery }, held: true as const };
    }),
  },
  { weight: 1, arbitrary: fc.constant((seq: number) => message(`mail ${seq}.`)) },
  { weight: 1, arbitrary: fc.constant(() => decision("d")) },
  { weight: 3, arbitrary: fc.nat().map((n) => (seq: number) => released(1 + (n % seq))) },
  { weight: 2, arbitrary: fc.nat().map((n) => (seq: number) => withdrawn(1 + (n % seq))) },
  { weight: 2, arbitrary: fc.nat().map((n) => (seq: number) => ({ kind: "branch" as const, to: n % seq })) },
  { weight: 1, arbitrary: fc.constant((seq: number) => copied(seq - 1)) },
);

function released(seq: number): NewEvent {
  return { kind: "released", messages: [seq] };
}

function withdrawn(seq: number): NewEvent {
  const { message: said } = message("");
  return undeliverable({ ...said, id: `0>1#${seq}`, delivery: "follow-up" }, "Not now.");
}

function copied(to: number): NewEvent {
  return { kind: "branch", to, origin: "7" };
}

describe("held mail in a log with forks", () => {
  const heldLogs = fc
    .array(mailStep as fc.Arbitrary<(seq: number) => NewEvent>, { maxLength: 40 })
    .map((steps) => steps.map((make, index) => stamp(make(index + 1), index)));

  it("is counted as it is held, and shown where it is not (property)", async () => {
    await fc.assert(
      fc.asyncProperty(heldLogs, async (log) => {
        const { conversation, view } = await follow(log);
        const ledger = createLedger();
        for (const event of log) account(ledger, event);
        const held = [...conversation.held.followUps.keys(), ...conversation.held.overflow.keys()];
        expect(new Set(ledger.heldMail.now.keys())).toEqual(new Set(held));
        const shown = view.turns.map((turn) => (turn.role === "user" ? turn.text : "")).join("\n");
        for (const seq of [...held, ...conversation.held.withdrawn])
          expect(shown).not.toContain(`mail ${seq}.`);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe("what files may still show after a fork", () => {
  const note = (key: string, to: string | null): NewEvent =>
    ({
      ...result("a", "ok"),
      state: [["notes", key, to]],
    }) as NewEvent;
  const earlier = async (...events: readonly NewEvent[]): Promise<readonly unknown[]> => {
    const { state } = await follow(events.map(stamp));
    return earlierStates(state).map(({ modules }) => Object.fromEntries(modules.get("notes") ?? []));
  };
  const branch = (to: number): NewEvent => ({ kind: "branch", to });

  it("is the branch that was left, and what its newest commit replaced", async () => {
    expect(await earlier(note("a", "1"), note("a", "2"), note("b", "3"), branch(1))).toEqual([
      { a: "2", b: "3" },
      { a: "2" },
    ]);
  });

  it("is every branch that was left without anything being done in between", async () => {
    const log = [note("a", "1"), note("a", "2"), decision("d"), branch(1), branch(0)];
    expect(await earlier(...log)).toEqual([{ a: "1" }, { a: "2" }]);
    expect(await earlier(...log, { kind: "notice", reason: "paused", content: "" })).toEqual([
      { a: "1" },
      { a: "2" },
    ]);
  });

  it("is over as soon as the agent does something", async () => {
    const log = [note("a", "1"), note("a", "2"), branch(1)];
    expect(await earlier(...log, message("x"))).toEqual([]);
    expect(await earlier(...log, note("b", "1"))).toEqual([{ a: "1" }]);
  });

  it("is nothing at all, where the past is another agent's", async () => {
    const log = [note("a", "1"), note("a", "2")];
    expect(await earlier(...log, { kind: "branch", to: 2, origin: "7" })).toEqual([{}]);
    expect(await earlier(...log, { kind: "branch", to: 2 })).toEqual([{ a: "1" }]);
  });
});

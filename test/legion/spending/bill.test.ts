import fc from "fast-check";
import { expect, it } from "vitest";
import type { Event } from "../../../src/domain/event/event.ts";
import { BILL_WAYS, billBy, type Bill } from "../../../src/legion/spending/bill.ts";
import { NO_CHARGE, addCharge, chargedIn } from "../../../src/past/digest/charges/charge.ts";
import { createDigest, type Digest } from "../../../src/past/digest/digest.ts";
import { account, createLedger } from "../../../src/past/ledger.ts";
import { letter } from "../../mail/letter.ts";
import { anyLog, decided, taken } from "../../past/digest/any-log.ts";

async function* each(events: readonly Event[]): AsyncGenerator<Event> {
  for (const event of events) yield await Promise.resolve(event);
}

async function digestOf(log: readonly Event[]): Promise<Digest> {
  const fold = createDigest();
  for (const event of log) fold.see(event);
  await fold.settle(() => each(log));
  return fold.digest;
}

/** Of agents 1, 2 and so on. */
function readerOf(logs: readonly (readonly Event[])[]): Parameters<typeof billBy>[1] {
  return {
    known: () => Promise.resolve(logs.map((_, index) => String(index + 1))),
    digest: (agent) => digestOf(logs[Number(agent) - 1]!),
  };
}

it("a bill equals the ledgers, whatever stands in the logs and whichever way it goes", () =>
  fc.assert(
    fc.asyncProperty(fc.array(anyLog, { maxLength: 3 }), fc.constantFrom(...BILL_WAYS), async (logs, way) => {
      const ledgers = logs.map((log) => {
        const ledger = createLedger();
        for (const event of log) account(ledger, event);
        return chargedIn(ledger);
      });
      const whole = ledgers.reduce(addCharge, NO_CHARGE);
      const { lines, unanswered, total, waste } = await billBy(way, readerOf(logs));
      expect([total.steps, total.input, total.output]).toEqual([whole.steps, whole.input, whole.output]);
      expect(total.cost).toBeCloseTo(whole.cost, 9);
      const sum = lines.map(({ charge }) => charge).reduce(addCharge, NO_CHARGE);
      expect(sum.input + sum.output + unanswered.tokens).toBe(whole.input + whole.output);
      expect(sum.cost + unanswered.cost).toBeCloseTo(whole.cost, 9);
      for (const { charge, parts } of lines) {
        const all = parts.map((part) => part.charge).reduce(addCharge, NO_CHARGE);
        expect([all.steps, all.input, all.output]).toEqual([charge.steps, charge.input, charge.output]);
      }
      for (const { tokens } of waste.values()) expect(tokens).toBeLessThanOrEqual(whole.input + whole.output);
    }),
    { numRuns: 1_000 },
  ));

/** One a second. */
function logOf(id: string, ...events: readonly object[]): readonly Event[] {
  const opened = { kind: "opened", format: 2, log: `log of ${id}`, seals: {} };
  return [opened, ...events].map((event, index) => {
    const at = new Date(Date.parse("2026-01-01T00:00:00.000Z") + index * 1_000).toISOString();
    return { ...event, seq: index + 1, epoch: 1, at } as Event;
  });
}

const answer = (n: number) => decided(10, { sends: [letter("2", n, { from: "1" }).message] });

it("answers are in vain that no agent took in, and not those of which nobody knows", async () => {
  const unreadIn = async (...logs: Parameters<typeof readerOf>[0]): Promise<Bill["waste"]> =>
    (await billBy("agent", readerOf(logs))).waste;
  const sender = logOf("1", answer(1), answer(2), answer(3));
  const { message } = letter("2", 2, { from: "1" });
  const reader = logOf("2", { kind: "message", message, mail: 1, from: "log of 1" });
  expect((await unreadIn(sender, reader)).get("untaken")).toEqual({ tokens: 11, cost: 0.01 });
  expect((await unreadIn(sender, logOf("2", taken(1)))).get("untaken")?.tokens).toBe(33);
  // That one came to be after they were sent: another of that name may have read them.
  const later = logOf("2").map((event): Event => ({ ...event, at: "2027-01-01T00:00:00.000Z" }));
  expect((await unreadIn(sender, later)).get("untaken")).toBe(undefined);
  expect((await unreadIn(sender)).get("untaken")).toBe(undefined);
  const toBoth = (...to: readonly string[]) =>
    decided(10, { sends: to.map((id) => letter(id, 2, { from: "1" }).message) });
  expect((await unreadIn(logOf("1", toBoth("2", "2")), logOf("2"))).get("untaken")?.tokens).toBe(11);
  expect((await unreadIn(logOf("1", toBoth("2", "0")), logOf("2"))).get("untaken")).toBe(undefined);
});

it("an agent whose log cannot be read is told of, and the others are billed", async () => {
  const reader = readerOf([logOf("1", answer(1))]);
  const bill = await billBy("agent", {
    known: () => Promise.resolve(["1", "2"]),
    digest: async (agent) => {
      if (agent === "2") throw new Error("it is damaged");
      return reader.digest(agent);
    },
  });
  expect(bill.unread).toEqual([{ agent: "2", reason: "it is damaged" }]);
  expect(bill.lines).toMatchObject([{ name: "1", charge: { input: 10 } }]);
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  NO_USAGE,
  addUsage,
  type Event,
  type NewEvent,
  type Usage,
} from "../../../src/domain/event/event.ts";
import { addCharge, chargedIn, NO_CHARGE, spentIn } from "../../../src/past/digest/charges/charge.ts";
import { createDigest, readPacked } from "../../../src/past/digest/digest.ts";
import type { Digest, PackedDigest } from "../../../src/past/digest/digest.ts";
import { MAX_CHANGES } from "../../../src/past/digest/file-changes.ts";
import { createBranch, followLog } from "../../../src/past/fold.ts";
import { account, createLedger, type Ledger } from "../../../src/past/ledger.ts";
import { followNewest, type RootId } from "../../../src/past/shares/by-cause.ts";
import { createShares } from "../../../src/past/shares/shares.ts";
import type { Spent } from "../../../src/past/limits/spending.ts";
import { letter } from "../../mail/letter.ts";
import { anyLog, decided, noticed, prompted, taken } from "./any-log.ts";

async function* each(events: readonly Event[]): AsyncGenerator<Event> {
  for (const event of events) yield await Promise.resolve(event);
}

async function digested(log: readonly Event[], kept?: PackedDigest, from = 0) {
  const fold = createDigest(kept);
  for (const event of log.slice(from)) fold.see(event);
  await fold.settle(() => each(log));
  return fold;
}

/** As it comes out of a file. */
function stored(packed: PackedDigest): PackedDigest {
  const read = readPacked(JSON.parse(JSON.stringify(packed)));
  expect(read).toBeDefined();
  return read!;
}

/** One a second. */
function logOf(...events: readonly NewEvent[]): readonly Event[] {
  return events.map((event, index) => {
    const at = new Date(Date.parse("2026-01-01T00:00:00.000Z") + index * 1_000).toISOString();
    return { ...event, seq: index + 1, epoch: 1, at };
  });
}

async function digestOf(...events: readonly NewEvent[]): Promise<Digest> {
  return (await digested(logOf(...events))).digest;
}

describe("whatever stands in a log", () => {
  it("a digest that is gone on from is the one of the whole, wherever it was left", () =>
    fc.assert(
      fc.asyncProperty(anyLog, fc.nat(60), fc.nat(60), async (log, one, other) => {
        const [early, late] = [one, other].map((cut) => cut % (log.length + 1)).sort((a, b) => a - b) as [
          number,
          number,
        ];
        const whole = (await digested(log)).pack();
        const first = stored((await digested(log.slice(0, early))).pack());
        const second = stored((await digested(log.slice(0, late), first, early)).pack());
        expect(stored((await digested(log, second, late)).pack())).toEqual(stored(whole));
      }),
      { numRuns: 400 },
    ));

  it("it says what all other folds of the same log say", () =>
    fc.assert(
      fc.asyncProperty(anyLog, fc.nat(60), async (log, at) => {
        const cut = at % (log.length + 1);
        const kept = stored((await digested(log.slice(0, cut))).pack());
        const { digest } = await digested(log, kept, cut);
        const follower = followLog(createBranch);
        const ledger = createLedger();
        const newest = followNewest();
        const causes = createShares(newest.root);
        for (const event of log) {
          follower.see(event);
          account(ledger, event);
          newest.see(event);
          causes.see(event);
        }
        const { conversation } = await follower.settle(() => each(log));
        expect({ ...digest.ledger, undelivered: [] }).toEqual({ ...ledger, undelivered: [] });
        expect(addressesIn(digest.ledger)).toEqual(addressesIn(ledger));
        expect(digest.conversation.halt).toEqual(conversation.halt);
        expect(digest.conversation.run).toMatchObject({
          mode: conversation.run.mode,
          modeBy: conversation.run.modeBy,
        });
        expect(outlineOf(digest.conversation.questions.newest)).toEqual(
          outlineOf(conversation.questions.newest),
        );
        expectCauses(digest, causes.parts);
        expectSums(digest, ledger, log);
      }),
      { numRuns: 400 },
    ));
});

function addressesIn({ undelivered }: Digest["ledger"]): readonly unknown[] {
  return undelivered.map(({ from, to, n, seq }) => ({ from, to, n, seq }));
}

function outlineOf(question: Digest["conversation"]["questions"]["newest"]): object | undefined {
  if (!question) return undefined;
  const { seq, call, asked, at, isSent, isElsewhere, verdict } = question;
  return { seq, call: call.id, action: asked.action, at, isSent, isElsewhere, verdict };
}

function expectCauses({ charges }: Digest, causes: ReadonlyMap<RootId, Spent>): void {
  const counts = [...charges.causes].map(
    ([root, { charge }]) => [root, { ...spentIn(charge), cost: 0 }] as const,
  );
  expect(new Map(counts)).toEqual(new Map([...causes].map(([root, spent]) => [root, { ...spent, cost: 0 }])));
  for (const [root, { cost }] of causes) expect(charges.causes.get(root)!.charge.cost).toBeCloseTo(cost, 9);
}

/** Each way of parting it parts the whole, and what no answer told of is what is reserved. */
function expectSums({ charges }: Digest, ledger: Ledger, log: readonly Event[]): void {
  const { cost, ...whole } = chargedIn(ledger);
  const told = toldIn(log);
  const unanswered = { input: whole.input - told.input, cost: cost - (told.cost ?? 0) };
  const ways = [
    [...charges.causes.values()].map(({ charge }) => charge),
    [...charges.models.values()].map(({ charge }) => charge),
    [...charges.actions.values()].map(({ charge }) => charge),
    charges.spans.map(({ charge }) => charge),
  ];
  for (const parts of ways) {
    const sum = parts.reduce(addCharge, NO_CHARGE);
    const { unparsed, retried, reserved, unpriced, reservedCost } = sum;
    expect(sum).toMatchObject({ ...whole, unparsed, retried, reserved, unpriced, reservedCost });
    expect(sum.cost).toBeCloseTo(cost, 9);
    expect(reserved).toBe(unanswered.input);
    expect(reservedCost).toBeCloseTo(unanswered.cost, 9);
  }
}

/** What answers told of their use, since the log is its agent's own. */
function toldIn(log: readonly Event[]): Usage {
  const began = log.findLastIndex((event) => event.kind === "branch" && event.origin !== undefined);
  return log.slice(began + 1).reduce((sum, event) => {
    const usage = "usage" in event ? event.usage : undefined;
    return usage ? addUsage(sum, usage) : sum;
  }, NO_USAGE);
}

const call = (id: string, action: string, parameters: object) => ({ id, action, parameters });
const done = (id: string, details?: object): NewEvent => ({
  kind: "result",
  call: id,
  outcome: "ok",
  content: "",
  details,
});

it("counts what came of a call to its model, and to the minute in which the call began", async () => {
  const waiting = Array.from({ length: 70 }, () => noticed("restarted"));
  const { charges } = await digestOf(
    ...[taken(1), prompted(5), ...waiting, decided(100)],
    ...[prompted(7, { model: "small" }), decided(10, { model: "small", stop: "unparsed" })],
    decided(0, { model: "human", calls: [call("a", "noop", {})], usage: { input: 0, output: 0 } }),
    done("a"),
  );
  expect(charges.models.get("big")?.charge).toMatchObject({
    steps: 1,
    input: 100,
    output: 1,
    cacheRead: 50,
    unparsed: 0,
  });
  expect(charges.models.get("small")?.charge).toMatchObject({ steps: 1, input: 10, unparsed: 1 });
  expect(charges.models.get("human")?.charge).toMatchObject({ steps: 0, input: 0, timeMs: 1_000 });
  expect(charges.spans).toMatchObject([
    { at: "2026-01-01T00:00:00.000Z", minutes: 1, charge: { steps: 1, input: 100 } },
    { at: "2026-01-01T00:01:00.000Z", minutes: 1, charge: { steps: 1, input: 10 } },
  ]);
});

it("counts calls that were made again: refused ones, and those of which nobody knows", async () => {
  const refused: NewEvent = { kind: "refused", prompted: 1 };
  const { charges } = await digestOf(prompted(5), refused, prompted(6), prompted(7), decided(7));
  expect(charges.models.get("big")?.charge).toMatchObject({ steps: 2, input: 6 + 7, retried: 2 });
});

it("tells who was written to and heard from, and when last", async () => {
  const answer = letter("2", 1, { from: "1" }).message;
  const { peers } = await digestOf(
    taken(1),
    taken(2),
    decided(1, { sends: [answer] }),
    taken(1, { from: "2" }),
  );
  expect(peers).toEqual(
    new Map([
      ["0", { sent: 0, sentAt: "", taken: 2, takenAt: "2026-01-01T00:00:01.000Z" }],
      ["2", { sent: 1, sentAt: "2026-01-01T00:00:02.000Z", taken: 1, takenAt: "2026-01-01T00:00:03.000Z" }],
    ]),
  );
});

it("tells which files were changed, for what, and where the difference stands", async () => {
  const calls = [
    call("a", "writeFile", { path: "new.txt", content: "x" }),
    call("b", "editFile", { path: "old.txt", oldText: "a", newText: "b" }),
    call("c", "moveFile", { sourcePath: "old.txt", destinationPath: "moved.txt" }),
    call("d", "deleteFile", { path: "gone.txt" }),
    call("e", "readFile", { path: "read.txt" }),
    call("f", "deleteFile", { path: "there.txt" }),
  ];
  const failed: NewEvent = { kind: "result", call: "f", outcome: "error", content: "No." };
  const { changes } = await digestOf(
    ...[taken(1), decided(1, { calls }), done("a", { created: true, diff: "+x" })],
    ...[done("b", { created: false, diff: "-a" }), done("c", { created: true, diff: "rename" })],
    ...[done("d"), done("e"), failed],
  );
  expect(changes.map(({ path, from, does, seq, cause }) => [path, from, does, seq, cause])).toEqual([
    ["new.txt", undefined, "created", 3, "0>1#1"],
    ["old.txt", undefined, "changed", 4, "0>1#1"],
    ["moved.txt", "old.txt", "moved", 5, "0>1#1"],
    ["gone.txt", undefined, "deleted", 6, "0>1#1"],
  ]);
});

it("keeps the newest changes of many", async () => {
  const writes = Array.from({ length: MAX_CHANGES + 5 }, (_, n) => [
    decided(1, { calls: [call("a", "writeFile", { path: `${n}.txt` })] }),
    done("a", { created: true, diff: "+" }),
  ]).flat();
  const { changes } = await digestOf(...writes);
  expect(changes).toHaveLength(MAX_CHANGES);
  expect([changes[0]?.path, changes.at(-1)?.path]).toEqual(["5.txt", `${MAX_CHANGES + 4}.txt`]);
});

it("takes nothing of another agent's past for its own", async () => {
  const copied: NewEvent = { kind: "branch", to: 3, origin: "2" };
  const { charges, peers, changes } = await digestOf(
    ...[taken(1), decided(1, { calls: [call("a", "deleteFile", { path: "x" })] }), done("a"), copied],
  );
  expect([charges.causes.size, charges.models.size, charges.spans.length]).toEqual([0, 0, 0]);
  expect([peers.size, changes.length]).toEqual([0, 0]);
});

it("is none where anything in it is not what it was", async () => {
  const packed = stored((await digested(logOf(taken(1), prompted(1), decided(5)))).pack());
  const { head, rest } = packed;
  for (const wrong of [
    { ...head, version: 0 },
    { ...head, traffic: [["0", 1]] },
    { ...head, ledger: { ...head.ledger, taken: -1 } },
    ...Object.keys(head).map((part) => ({ ...head, [part]: undefined })),
  ])
    expect(readPacked({ head: wrong, rest })).toBe(undefined);
  for (const wrong of [...Object.keys(rest).map((part) => ({ ...rest, [part]: undefined }))])
    expect(readPacked({ head, rest: wrong })).toBe(undefined);
  expect(readPacked("{}")).toBe(undefined);
});

import fc from "fast-check";
import { expect, it } from "vitest";
import type { Event } from "../../../src/domain/event/event.ts";
import { createDigest } from "../../../src/past/digest/digest.ts";
import {
  readPackedStanding,
  unpackStanding,
  type PackedStanding,
  type StandingAtRest,
} from "../../../src/past/digest/standing.ts";
import { KEEP } from "../../domain/event/event-lines.ts";
import { anyWholeLog, grow, readUpTo, told } from "../kept/kept-log.ts";

async function digestOf(log: readonly Event[]) {
  const fold = createDigest();
  for (const event of log) fold.see(event);
  await fold.settle(() => told(log));
  return fold.pack();
}

const stored = (packed: PackedStanding): unknown => JSON.parse(JSON.stringify(packed));

it("an agent stands, for whoever ran it, as its log says (property)", async () => {
  let kept = 0;
  await fc.assert(
    fc.asyncProperty(anyWholeLog, fc.nat(40), fc.nat(40), async (log, one, other) => {
      const [read, written] = [one, other].map((cut) => Math.min(cut, log.length)).sort((a, b) => a - b);
      const ran = await readUpTo(KEEP, { log, upTo: read! });
      grow(ran, log.slice(read, written));
      const newest = log[written! - 1];
      // An opening is written together with what follows it.
      const isWritten = newest && newest.kind !== "opened";
      const standing = isWritten && ran.read.stand(ran.ledger);
      if (!standing) return;
      kept++;
      const { head } = await digestOf(log.slice(0, written));
      expect(toldBy(stored(standing))).toEqual(toldBy(stored(head)));
    }),
    { numRuns: 1_000 },
  );
  expect(kept).toBeGreaterThan(300);
});

it("how an agent stands is unknown where anything that was kept of it is not what it was", async () => {
  const { head } = await digestOf([]);
  expect(readPackedStanding(head)).toBeDefined();
  for (const wrong of [
    { ...head, version: 0 },
    { ...head, traffic: [["0", 1]] },
    { ...head, ledger: { ...head.ledger, taken: -1 } },
    ...["version", "ledger", "conversation", "traffic"].map((part) => ({ ...head, [part]: undefined })),
  ])
    expect(readPackedStanding(wrong)).toBe(undefined);
});

function toldBy(kept: unknown): StandingAtRest {
  return unpackStanding(readPackedStanding(kept)!);
}

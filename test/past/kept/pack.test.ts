import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { deserialize } from "node:v8";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PAST_VERSION, unpackPast } from "../../../src/past/kept/pack.ts";
import { wayOf, type ViewOptions } from "../../../src/past/view.ts";
import type { Event } from "../../../src/domain/event/event.ts";
import { KEEP } from "../../domain/event/event-lines.ts";
import { decided } from "../digest/any-log.ts";
import { all, VIEWS, anyWholeLog, grow, readUpTo } from "./kept-log.ts";

describe("a past that was kept", () => {
  it("is gone on from to what the whole log comes to, wherever it was kept (L9, property)", async () => {
    let gone = 0;
    const places = fc.tuple(...[0, 1, 2].map(() => fc.nat(40)));
    await fc.assert(
      fc.asyncProperty(anyWholeLog, fc.constantFrom(...VIEWS), places, async (log, view, cuts) => {
        const [read, written, opened] = cuts.map((cut) => Math.min(cut, log.length)).sort((a, b) => a - b);
        const first = await readUpTo(view, { log, upTo: read! });
        grow(first, log.slice(read, written));
        // An opening is written together with what follows it.
        const kept = log[written! - 1]?.kind === "opened" ? undefined : first.read.pack(first.ledger);
        if (!kept) return;
        gone++;
        const again = await readUpTo(view, { log, upTo: opened!, kept });
        const whole = await readUpTo(view, { log, upTo: opened! });
        expect(all(again)).toEqual(all(whole));
        const fork = log.findIndex(({ kind, seq }) => kind === "branch" && seq > opened!);
        const more = log.slice(opened, fork === -1 ? log.length : fork);
        for (const past of [again, whole]) grow(past, more);
        expect(all(again)).toEqual(all(whole));
      }),
      { numRuns: 2_000 },
    );
    expect(gone).toBeGreaterThan(1_000);
  });

  it("is not kept while files may still show a branch that was left", async () => {
    const said = { epoch: 1, at: "2026-01-01T00:00:00.000Z" };
    const opened = { kind: "opened", format: 2, log: "log of 1", seals: {} } as const;
    const changed = { kind: "edited", module: "m", key: "k", value: 1 } as const;
    const events = [opened, changed, changed, { kind: "branch", to: 2 } as const, decided(1)];
    const log = events.map((event, index): Event => ({ ...event, ...said, seq: index + 1 }));
    for (const [upTo, isKept] of [
      [3, true],
      [4, false],
      [5, true],
    ] as const) {
      const { read, ledger } = await readUpTo(KEEP, { log, upTo });
      expect(read.pack(ledger) !== undefined).toBe(isKept);
    }
  });

  it("counts for views of the same way alone, and for the version that kept it", async () => {
    const { read, ledger } = await readUpTo(KEEP, { log: [], upTo: 0 });
    const packed = read.pack(ledger)!;
    expect(unpackPast(packed, wayOf(KEEP))).toBeDefined();
    for (const other of [{ errors: "forget" } as const, { window: 9 }, { shows: "nothing" } as const])
      expect(unpackPast(packed, wayOf({ ...KEEP, ...other }))).toBeUndefined();
    expect(unpackPast(packed.slice(0, 20), wayOf(KEEP))).toBeUndefined();
  });

  it("is of another version where the same log comes to something else, or is packed otherwise", async () => {
    const hash = createHash("sha256");
    for (const log of await referenceLogs())
      for (const view of VIEWS) hash.update(await packedAsText(view, log));
    // Whoever changes what is folded of a log, or how it is shown, gives PAST_VERSION another number, and this hash with it.
    expect([PAST_VERSION, hash.digest("hex")]).toEqual([
      4,
      "26369e28f02852a40e4f786001c7e08d0b1c4a17b9d1b0e3d55f1dfcc6971423",
    ]);
  });
});

const REFERENCE = join(import.meta.dirname, "../../fixtures/kept/reference.jsonl");

/** Each begins with number 1. */
async function referenceLogs(): Promise<readonly (readonly Event[])[]> {
  const logs: Event[][] = [];
  for (const line of (await readFile(REFERENCE, "utf8")).trim().split("\n")) {
    const event = JSON.parse(line) as Event;
    if (event.seq === 1) logs.push([]);
    logs.at(-1)!.push(event);
  }
  return logs;
}

async function packedAsText(view: ViewOptions, log: readonly Event[]): Promise<string> {
  const { read, ledger } = await readUpTo(view, { log, upTo: log.length });
  void read.fold.view.chain;
  const packed = read.pack(ledger);
  return packed === undefined ? "" : JSON.stringify(deserialize(packed), asPlain);
}

function asPlain(_: string, value: unknown): unknown {
  if (value instanceof Map) return { map: [...value] };
  return value instanceof Set ? { set: [...value] } : value;
}

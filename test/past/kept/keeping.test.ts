import { describe, expect, it } from "vitest";
import { createKeeping } from "../../../src/past/kept/keeping.ts";
import { createLedger } from "../../../src/past/ledger.ts";
import { readUpTo } from "./kept-log.ts";
import { KEEP } from "../../domain/event/event-lines.ts";

interface Moment {
  /** Numbers of events: in the log, folded, durable, known from an earlier reading. */
  readonly log?: number;
  readonly folded?: number;
  readonly safe?: number;
  readonly known?: number;
  readonly isDead?: boolean;
}

/** How often a past was kept when its log was closed at that moment. */
async function keptAt({ log = 300, folded = 300, safe = 300, known = 0, isDead = false }: Moment) {
  const { read } = await readUpTo(KEEP, { log: [], upTo: 0 });
  let kept = 0;
  const keepPast = (): Promise<void> => Promise.resolve(void kept++);
  const reading = { ...read, log: { last: log }, keepPast, known };
  const ledger = { ...createLedger(), last: folded };
  await createKeeping({ safe: () => safe, isDead: () => isDead }, () => reading, ledger).last();
  return kept;
}

describe("what a log comes to is kept when it is closed", () => {
  it("where that is worthwhile", async () => {
    expect(await keptAt({})).toBe(1);
    expect(await keptAt({ known: 44 })).toBe(1);
    expect(await keptAt({ known: 45 })).toBe(0);
  });

  it("never beyond what is durable, or beside what is folded", async () => {
    expect(await keptAt({ safe: 299 })).toBe(0);
    expect(await keptAt({ log: 301 })).toBe(0);
    expect(await keptAt({ isDead: true })).toBe(0);
  });
});

// Real processes that write to one memory at once, some of them killed.

import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createRandom } from "../../../faults/files.ts";
import { numbers } from "../../../mail/letter.ts";
import { entry, ID } from "../../contract/memory/memory-letters.ts";
import { filePlace, said, type FilePlace } from "./file-place.ts";
import type { MemoryOrder } from "./memory-process.ts";

const COUNT = 150;

interface Writer {
  readonly child: ChildProcess;
  /** Numbers that were accepted. */
  readonly accepted: number[];
  /** Resolves when so many were, or it has ended. */
  untilAccepted(count: number): Promise<void>;
  readonly ended: Promise<void>;
}

function startWriter(order: MemoryOrder): Writer {
  const child = fork(join(import.meta.dirname, "memory-process.ts"), { execArgv: ["--import", "tsx"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const accepted: number[] = [];
  const waiting = new Set<() => void>();
  child.on("message", (n) => {
    accepted.push(Number(n));
    for (const look of waiting) look();
  });
  const ended = once(child, "exit").then(() => undefined);
  child.send(order);
  return {
    child,
    accepted,
    ended,
    async untilAccepted(count) {
      const reached = new Promise<void>((resolve) => {
        waiting.add(() => accepted.length >= count && resolve());
        if (accepted.length >= count) resolve();
      });
      await Promise.race([reached, ended]);
    },
  };
}

async function kill({ child, ended }: Writer): Promise<void> {
  child.kill("SIGKILL");
  await ended;
}

const orderOf = ({ project }: FilePlace, more: Partial<MemoryOrder> = {}): MemoryOrder => ({
  ...{ project, from: "a", first: 1, count: COUNT, atOnce: 5 },
  ...more,
});

const textsOf = (from: string, count: number): readonly string[] =>
  numbers(count).map((n) => `${from} ${n} ${"long ".repeat(n % 50)}`.trimEnd());

describe("a memory that several processes write to at once", () => {
  it("has each entry once, in its sender's order and with its words, also of those that were killed (M5)", async () => {
    const place = await filePlace();
    const random = createRandom(3);
    const steady = ["a", "b"].map((from) => startWriter(orderOf(place, { from, atOnce: 3 })));
    const killed = ["c", "d"].map(async (from) => {
      const accepted = new Set<number>();
      for (let kills = 0; kills < 4; kills++) {
        const writer = startWriter(orderOf(place, { from, atOnce: 1 + Math.floor(random() * 20) }));
        await writer.untilAccepted(1 + Math.floor(random() * COUNT));
        await kill(writer);
        for (const n of writer.accepted) accepted.add(n);
      }
      const there = said(await place.events()).filter((text) => text.startsWith(from));
      expect(there.length).toBeGreaterThanOrEqual(accepted.size);
      await startWriter(orderOf(place, { from, atOnce: 20 })).ended;
    });
    await Promise.all([...steady.map(({ ended }) => ended), ...killed]);
    const events = await place.events();
    for (const from of ["a", "b", "c", "d"])
      expect(said(events).filter((text) => text.startsWith(from))).toEqual(textsOf(from, COUNT));
    expect(said(events)).toHaveLength(4 * COUNT);
    const seqs = events.map(({ seq }) => seq);
    expect(seqs).toEqual(seqs.map((_, index) => index + 1));
    expect(await readdir(join(place.project, ".ai-legion/corrupt")).catch(() => [])).toEqual([]);
  }, 120_000);

  it("is taken over from one that was killed while it had it", async () => {
    const place = await filePlace();
    const writer = startWriter(orderOf(place, { atOnce: 1 }));
    await writer.untilAccepted(10);
    await kill(writer);
    await place.visit(async (memories) => {
      expect(await memories.receive(ID, entry(1, { from: "next" }))).toEqual({ status: "accepted" });
    });
    const texts = said(await place.events());
    expect(texts.at(-1)).toBe("next 1");
    expect(texts.length).toBeGreaterThan(writer.accepted.length);
  });

  it("is let go of by one that always has more to write", async () => {
    const place = await filePlace();
    const writer = startWriter(orderOf(place, { count: 1_000_000, atOnce: 50 }));
    await writer.untilAccepted(1);
    await place.visit(async (memories) => {
      for (const n of [1, 2, 3])
        expect(await memories.receive(ID, entry(n, { from: "next" }))).toEqual({ status: "accepted" });
    });
    await kill(writer);
    expect(said(await place.events()).filter((text) => text.startsWith("next"))).toHaveLength(3);
  });
});

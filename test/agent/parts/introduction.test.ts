import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { goals } from "../../../modules/goals.ts";
import { notes } from "../../../modules/notes.ts";
import { defineModule, type Module } from "../../../src/domain/authoring/module.ts";
import { pinnedParts } from "../../../src/agent/parts/introduction.ts";
import { estimateTokens } from "../../../src/model/tokens/tokens.ts";
import { createTestHost } from "../../modules/test-host.ts";

/** The parts of modules that pin these texts, where there is room for so many tokens. */
async function pinned(modules: readonly Module[], room: number): Promise<readonly string[]> {
  const { host } = createTestHost(modules[0]!, { maxPinnedTokens: room });
  return pinnedParts(modules, () => host);
}

function pinning(name: string, text: string | (() => string)): Module {
  return defineModule({ name, pinnedMessage: typeof text === "string" ? () => text : text, actions: {} });
}

describe("pinned messages", () => {
  it("are shown whole where there is room for all of them, and asked for once", async () => {
    let asked = 0;
    const counting = pinning("one", () => `asked ${++asked} times`);
    expect(await pinned([counting, pinning("none", " "), pinning("two", "2")], 100)).toEqual([
      "--- ONE ---\n\nasked 1 times",
      "--- TWO ---\n\n2",
    ]);
  });

  it("share the room: short ones stay whole, and the others get equal parts of what is left", async () => {
    const rooms: number[] = [];
    const asking = (name: string): Module =>
      defineModule({
        name,
        pinnedMessage({ maxPinnedTokens }) {
          rooms.push(maxPinnedTokens);
          return "x".repeat(4 * Math.min(maxPinnedTokens, 900));
        },
        actions: {},
      });
    const parts = await pinned([asking("a"), pinning("short", "s"), asking("b")], 1_000);
    // Of 1,000 tokens the short one takes 5, and two halves are left, with a header each.
    expect(rooms).toEqual([1_000, 1_000, 493, 493]);
    expect(parts.map((part) => part.length)).toEqual([11 + 4 * 493, 16, 11 + 4 * 493]);
  });

  it("lose their middle where a module does not keep to its share", async () => {
    const [part] = await pinned([pinning("deaf", `first ${"x".repeat(10_000)} last`)], 200);
    expect(part).toMatch(/^--- DEAF ---\n\nfirst x+ \[\.\.\. \d+ characters left out \.\.\.\] x+ last$/);
    expect(estimateTokens(part!)).toBeLessThanOrEqual(200);
  });

  it("never take more than there is, whatever they hold (property)", async () => {
    const text = fc.string({ unit: fc.constantFrom("a", "ä", "🦜", "\n", "長"), maxLength: 3_000 });
    const texts = fc.array(text, { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(texts, fc.nat(2_000), async (list, room) => {
        const modules = list.map((one, index) => pinning(`m${index}`, one));
        const parts = await pinned(modules, room);
        expect(estimateTokens(parts.join("\n\n"))).toBeLessThanOrEqual(room);
      }),
    );
  });
});

describe("where room is short, goals", () => {
  const listOf = (list: readonly { text: string; complete: boolean }[], maxPinnedTokens: number) =>
    Promise.resolve(
      goals.pinnedMessage!(createTestHost(goals, { state: { goals: list }, maxPinnedTokens }).host),
    ).then((text) => text!);
  const pending = (count: number) =>
    Array.from({ length: count }, (_, n) => ({ text: `Goal ${n + 1} `.padEnd(150, "g"), complete: false }));

  it("show the oldest pending ones with their numbers, and count the rest", async () => {
    const shown = (await listOf(pending(100), 550)).split("\n");
    expect(shown).toHaveLength(14);
    expect(shown[1]).toMatch(/^1\) "Goal 1 g+" \[PENDING\]$/);
    expect(shown[12]).toMatch(/^12\) "Goal 12 g+" \[PENDING\]$/);
    expect(shown[13]).toBe("... and 88 more: numbers 13 to 100, shown as you complete these.");
  });

  it("leave out what is complete before anything that is not, and shorten long ones", async () => {
    const done = Array.from({ length: 8 }, (_, n) => ({
      text: `Done ${n} `.padEnd(400, "d"),
      complete: true,
    }));
    const long = { text: "🦜".repeat(1_000), complete: false };
    const shown = (await listOf([...done, long, ...pending(1)], 300)).split("\n");
    expect(shown).toEqual([
      "Your goals:",
      `9) "${"🦜".repeat(100)}…" [PENDING]`,
      expect.stringMatching(/^10\) "Goal 1 g+" \[PENDING\]$/),
      "Not shown: 8 that you completed earlier.",
    ]);
  });

  it("always show one, and keep within the room if there is any for two (property)", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 150, max: 5_000 }),
        async (count, room) => {
          const text = await listOf(pending(count), room);
          expect(text).toContain('1) "Goal 1 g');
          expect(estimateTokens(text)).toBeLessThanOrEqual(room);
          const shown = text.split("\n").filter((line) => line.endsWith("[PENDING]")).length;
          const more = Number(/and (\d+) more/.exec(text)?.[1] ?? 0);
          expect(shown + more).toBe(count);
        },
      ),
    );
  });
});

it("where room is short, notes show the titles that were changed last, and count the rest", async () => {
  const state = Object.fromEntries(
    Array.from({ length: 50 }, (_, n) => [`note ${n} `.padEnd(40, "n"), "text"]),
  );
  const { host } = createTestHost(notes, { state, maxPinnedTokens: 100 });
  const shown = (await notes.pinnedMessage!(host))!.split("\n");
  expect(shown[1]).toBe("(43 older ones are not shown)");
  expect(shown.at(-1)).toMatch(/^- note 49 n+$/);
  expect(shown).toHaveLength(2 + 7);
});

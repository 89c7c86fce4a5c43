// Texts that no terminal, file or parser likes, and a clock that cannot be trusted.

import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createClock } from "../../src/base/clock.ts";
import { createWorld, type World } from "../world.ts";

const DAY_MS = 86_400_000;

const TEXTS = {
  "terminal sequences": "\u001b[2J\u001b]0;title\u0007\u009b31m",
  "control characters": "a\u0000b\u0008\u007f\u0085\r\n\v\f",
  "line separators": "a\u2028b\u2029c",
  "a lone surrogate": "cut \ud83d off \udc00",
  "text that runs the other way": "\u202eabc\u2066\u2069",
  "characters that are none": "\ufffe\uffff\ufeff",
  "another record": '"},"crc":"00000000"}\n{"seq":1,"kind":"opened"}',
  "binary, too long for a line": Buffer.from(
    Array.from({ length: 70_000 }, (_, n) => (n * 7) % 256),
  ).toString("latin1"),
} as const;

/** An agent that keeps what it is told as a note and says it to Control. */
async function createParrot(): Promise<World> {
  return createWorld({
    1: {
      script: (request) => {
        if (request.turns.at(-1)?.role === "results") return { calls: [{ action: "noop" }] };
        const text = (request.turns.at(-1) as { readonly text: string }).text
          .split("\n\n")
          .slice(1)
          .join("\n\n");
        return {
          text,
          calls: [
            { action: "writeNote", parameters: { title: "told", content: text } },
            { action: "sendMessage", parameters: { targetAgentId: "0", message: text } },
          ],
        };
      },
    },
  });
}

async function linesOf(world: World, agent: string): Promise<string[]> {
  const folder = join(world.project, ".ai-legion", "agents", agent, "log");
  const texts = await Promise.all(
    (await readdir(folder)).map((name) => readFile(join(folder, name), "utf8")),
  );
  return texts.flatMap((text) => text.split("\n").slice(0, -1));
}

/** Half of a pair of surrogates cannot be written. */
function asWritten(text: string): string {
  return Buffer.from(text).toString("utf8");
}

describe("a text that holds", () => {
  it.each(Object.entries(TEXTS))(
    "%s goes through mail, decision, note and log, and the log stays JSON",
    async (_, text) => {
      const world = await createParrot();
      await world.say("1", text);
      await world.idle();
      const again = await world.restart();
      await again.idle();
      for (const agent of ["0", "1"])
        for (const line of await linesOf(again, agent)) {
          expect(line).not.toMatch(/[\u0000-\u001f]/);
          expect(() => JSON.parse(line) as unknown).not.toThrow();
        }
      const [told] = await again.kinds("1", "message");
      const [asked] = await again.kinds("1", "decision");
      const [heard] = await again.kinds("0", "message");
      expect(asWritten(told!.message.content)).toBe(asWritten(text));
      expect(asked!.calls[1]!.parameters).toMatchObject({ message: heard!.message.content });
      expect(await again.kinds("1", "edited")).toEqual([]);
    },
  );
});

describe("a clock that jumps a day", () => {
  it.each([DAY_MS, -DAY_MS])(
    "by %i ms while an agent works changes neither the order of its past nor what it does",
    async (jumpMs) => {
      const clock = createClock();
      let offMs = 0;
      const world = await createWorld(
        {
          1: {
            script: ({ turns }) => {
              offMs += jumpMs;
              return {
                calls: [
                  turns.some(({ role }) => role === "results")
                    ? { action: "noop" }
                    : { action: "currentObjective" },
                ],
              };
            },
          },
        },
        { clock: { ...clock, now: () => clock.now() + offMs } },
      );
      await world.say("1", "one");
      await world.idle();
      const again = await world.restart();
      await again.say("1", "two");
      await again.idle();
      const events = await again.events("1");
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
      expect((await again.kinds("1", "message")).map(({ message }) => message.content)).toEqual([
        "one",
        "two",
      ]);
      expect(again.agent("1").standing.state).toBe("idle");
      expect(again.agent("1").memory.ledger.spent.workingMs).toBeGreaterThanOrEqual(0);
    },
  );
});

import { describe, expect, it } from "vitest";
import { createScriptedModel, type ScriptedAnswer } from "../../../src/model/scripted/scripted.ts";
import { describeDifference } from "../../../src/legion/replay/difference.ts";
import { replay, replayLegion } from "../../legion/replay/replays.ts";
import { NOOP, textOf } from "../../workshop.ts";
import { byHand, createWorld, createWorldInMemory } from "../../world.ts";

const WINDOW = 16_000;
/** In bytes: four make a token. */
const QUARTER = WINDOW;

describe("mail that comes before an abort or a steer", () => {
  it.each(["abort", "steer"] as const)(
    "of %s is shown a quarter of the window at a time, in order, once and whole (A2, A5)",
    async (lane) => {
      const model = createScriptedModel(() => NOOP, { window: WINDOW });
      const world = await createWorld({ 1: { model } });
      await world.legion.agents.get("1")!.pause("by a test");
      const names = Array.from({ length: 85 }, (_, n) => `letter ${n + 1}.`);
      for (const name of names) await world.say("1", name.padEnd(400, "-"));
      const urgent = "Stop all that.".padEnd(QUARTER / 8);
      await world.legion.control.say(["1"], urgent, lane);
      await world.say("1", "The last one.");
      await world.legion.agents.get("1")!.resume();
      await world.idle();
      const texts = model.requests.map(textOf);
      const shown = texts.map((text) => names.filter((name) => text.includes(name)).length);
      const fresh = shown.map((count, index) => count - (shown[index - 1] ?? 0));
      expect(fresh[0]).toBeLessThanOrEqual((QUARTER - urgent.length) / 440);
      for (const count of fresh) expect(count).toBeLessThanOrEqual(QUARTER / 440);
      expect(shown.at(-1)).toBe(names.length);
      expect(texts[0]).toContain("Stop all that.");
      expect(texts[0]).not.toContain("The last one.");
      expect(texts.at(-1)).toContain("The last one.");
      const order = names.map((name) => texts.at(-1)!.indexOf(name));
      expect(order).toEqual(order.toSorted((a, b) => a - b));
      const held = (await world.kinds("1", "message")).filter((message) => message.held);
      const released = (await world.kinds("1", "released")).flatMap(({ messages }) => messages);
      expect(released).toEqual(held.map(({ seq }) => seq));
      await world.stop();
      const again = createScriptedModel(() => NOOP, { window: WINDOW });
      for (const { difference } of [
        await replay(world.project, "1", { model: again }),
        await replayLegion(world.project, { 1: { model: again } }),
      ])
        expect(difference && describeDifference(difference)).toBeUndefined();
    },
  );

  it("is not decided on before it is shown, also where a second abort leaves no room for it (A5)", async () => {
    const [asked, never] = [byHand(), byHand<ScriptedAnswer>()];
    const model = createScriptedModel(
      (_, index) => {
        if (index > 0) return NOOP;
        asked.resolve();
        return never.promise;
      },
      { window: WINDOW },
    );
    const world = await createWorldInMemory({ 1: { model } });
    await world.legion.agents.get("1")!.pause("by a test");
    await world.say("1", "First.");
    await world.say("1", "A long letter.".padEnd(QUARTER, "-"));
    await world.legion.control.say(["1"], "Stop.", "abort");
    await world.legion.agents.get("1")!.resume();
    await asked.promise;
    await world.legion.control.say(["1"], "Stop, I say.", "abort");
    await world.idle();
    const texts = model.requests.map(textOf);
    expect(texts.map((text) => text.includes("A long letter."))).toEqual([false, true]);
  });
});

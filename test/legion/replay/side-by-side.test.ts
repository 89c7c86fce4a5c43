import { describe, expect, it } from "vitest";
import { z } from "zod";
import { core } from "../../../modules/core.ts";
import { describeDifference } from "../../../src/legion/replay/difference.ts";
import { defineAction, defineModule, ok, type ActionResult } from "../../../src/domain/authoring/module.ts";
import { aborted } from "../../../src/base/process/signals.ts";
import type { ScriptedAnswer } from "../../../src/model/scripted/scripted.ts";
import { createWorld } from "../../world.ts";
import { replay } from "./replays.ts";

const READ_FOUR: ScriptedAnswer = {
  calls: ["a", "b", "c", "d"].map((what) => ({ action: "read", parameters: { what } })),
};

function library(readIt: (what: string, signal: AbortSignal) => Promise<ActionResult>) {
  const read = defineAction({
    description: "Read something",
    parameters: { what: z.string() },
    effects: "reads",
    touches: [],
    execute: ({ what }, { signal }) => readIt(what, signal),
  });
  return [core, defineModule({ name: "library", actions: { read } })];
}

describe("a replay of calls that ran side by side", () => {
  it("is identical, also where a crash parted them", async () => {
    const halfway = library(async (what, signal) => {
      if (what === "c") await aborted(signal).then(() => signal.throwIfAborted());
      return ok(`read ${what}`);
    });
    const script = [READ_FOUR];
    const world = await createWorld({ 1: { script, modules: halfway } });
    await world.say("1", "Go.");
    await world.until(
      (seen) => seen.kind === "event" && seen.event.kind === "result" && seen.event.content === "read b",
    );
    world.legion.interrupt();
    await world.stop();
    const whole = library((what) => Promise.resolve(ok(`read ${what} again`)));
    const again = await world.restart({ 1: { script: [READ_FOUR], modules: whole } });
    await again.idle();
    await again.stop();
    const contents = (await again.kinds("1", "result")).map(({ content }) => content);
    expect(contents).toEqual([
      "read a",
      "read b",
      "read c again",
      "read d again",
      ...["a", "b", "c", "d"].map((what) => `read ${what} again`),
      "",
    ]);
    const replayed = await replay(again.project, "1", {
      script: [],
      modules: library(() => Promise.reject(new Error("Nothing runs in a replay."))),
    });
    expect(replayed.difference && describeDifference(replayed.difference)).toBe(undefined);
    expect(replayed.decisions).toBe(3);
  });
});

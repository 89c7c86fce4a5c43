import { describe, expect, it } from "vitest";
import { core } from "../../../modules/core.ts";
import { LegionError } from "../../../src/base/errors.ts";
import type { ScriptedAnswer } from "../../../src/model/scripted/scripted.ts";
import { defineModule } from "../../../src/domain/authoring/module.ts";
import { createHandClock, type HandClock } from "../../hand-clock.ts";
import { createWorldInMemory as createWorld } from "../../world.ts";

const NOOP: ScriptedAnswer = { calls: [{ action: "noop" }] };

/** Lets everybody who sleeps wake, until `done`. */
async function sleepThrough(clock: HandClock, done: () => boolean): Promise<void> {
  while (!done()) {
    const pause = clock.sleeping().find((left) => left > 0);
    if (pause !== undefined) clock.advance(pause);
    await new Promise(setImmediate);
  }
}

describe("an agent that crashes", () => {
  /** An agent whose introduction cannot be made while `isFaulty`. */
  function crashing() {
    const fault = { isFaulty: true };
    const faulty = defineModule({
      name: "faulty",
      instructions: () => {
        if (fault.isFaulty) throw new Error("undefined is not a function");
        return "Be good.";
      },
      actions: {},
    });
    return { fault, modules: [core, faulty] };
  }

  it("is halted after five restarts within ten minutes, and Control is told; others go on", async () => {
    const clock = createHandClock();
    const { modules } = crashing();
    const world = await createWorld({ 1: { modules }, 2: { script: [NOOP] } }, { clock });
    await world.say("all", "Go.");
    await sleepThrough(clock, () => world.agent("1").standing.state === "halted");
    await world.idle();
    const reason = "5 restarts within 10 minutes did not help: undefined is not a function";
    expect(world.agent("1").standing).toMatchObject({ state: "halted", reason });
    const failed = {
      reason: "restarted",
      content: "It failed, and begins anew: undefined is not a function",
    };
    const notices = await world.kinds("1", "notice");
    expect(notices).toMatchObject([...Array(5).fill(failed), { reason: "halted", content: reason }]);
    expect(await world.kinds("2", "decision")).toHaveLength(1);
    await world.stop();
    expect((await world.kinds("0", "message")).map(({ message }) => message.content)).toEqual([
      `I was stopped: ${reason}`,
    ]);
  });

  it("is said to have crashed; one whose model gives no answer is not", async () => {
    const clock = createHandClock();
    const busy = new LegionError("MODEL_BUSY", "localhost cannot be reached, or hung up (ECONNREFUSED).");
    let isDown = true;
    const script = (): ScriptedAnswer => {
      if (isDown) throw busy;
      return NOOP;
    };
    const world = await createWorld({ 1: { script } }, { clock });
    await world.say("1", "Go.");
    await sleepThrough(clock, () =>
      world.seen.some((seen) => seen.agent === "1" && seen.kind === "event" && seen.event.kind === "notice"),
    );
    isDown = false;
    await sleepThrough(clock, () => world.agent("1").standing.state === "idle");
    const contents = (await world.kinds("1", "notice")).map(({ content }) => content);
    expect(contents).toEqual([`The model gave no answer, and is asked again: ${busy.message}`]);
  });

  it("stays halted across restarts, until a person resumes it", async () => {
    const clock = createHandClock();
    const { fault, modules } = crashing();
    const world = await createWorld({ 1: { modules, script: [NOOP] } }, { clock });
    await world.say("1", "Go.");
    await sleepThrough(clock, () => world.agent("1").standing.state === "halted");
    const again = await world.restart();
    await again.say("1", "Go on.");
    await again.idle();
    expect(again.agent("1").standing.state).toBe("halted");
    fault.isFaulty = false;
    await again.legion.agents.get("1")!.resume();
    await again.idle();
    expect(await again.kinds("1", "decision")).toHaveLength(2);
  });

  it("is not halted by restarts that lie far apart", async () => {
    const clock = createHandClock();
    let isFaulty = true;
    const script = (): ScriptedAnswer => {
      if (isFaulty) throw new Error("undefined is not a function");
      return NOOP;
    };
    const world = await createWorld({ 1: { script } }, { clock });
    for (let night = 0; night < 8; night++) {
      isFaulty = true;
      await world.say("1", "Go.");
      await clock.asleep(500);
      isFaulty = false;
      clock.advance(200_000);
      await world.idle();
    }
    expect(world.agent("1").standing.state).toBe("idle");
  });
});

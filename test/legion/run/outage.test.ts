import { describe, expect, it } from "vitest";
import { OUTAGE_MS } from "../../../src/legion/run/outage.ts";
import type { Script } from "../../../src/model/scripted/scripted.ts";
import { createHandClock } from "../../hand-clock.ts";
import { attend, bash, BASH, busy, ends, SUBMIT, worldOf } from "./tasks.ts";

describe("a provider that gives no answer", () => {
  it("is waited for as long as it may be, then the task ends with Error and can be gone on with", async () => {
    const clock = createHandClock();
    const { world } = await worldOf({ script: () => busy, options: { clock } });
    const { over } = attend(world, "mend it");
    await clock.asleep(OUTAGE_MS);
    clock.advance(OUTAGE_MS - 1);
    expect(await ends(world)).toEqual([]);
    clock.advance(1);
    expect(await over).toEqual({
      status: "Error",
      submission: "",
      reason: "its model gave no answer for 10m: nobody answers",
    });
    const again = await world.restart({ 1: { bash: BASH, script: [SUBMIT] } });
    expect(await attend(again, undefined).over).toMatchObject({ status: "Submitted" });
  });

  it("is waited for no longer than the task may take", async () => {
    const clock = createHandClock();
    const { world } = await worldOf({ script: () => busy, options: { clock } });
    const { over } = attend(world, "mend it", { outageMs: OUTAGE_MS, timeMs: 60_000 });
    await clock.asleep(60_000);
    clock.advance(60_000);
    expect(await over).toMatchObject({
      status: "TimeExceeded",
      reason: "it may work for 1m, and its model gave no answer: nobody answers",
    });
  });

  it("is waited for no longer than the task may take, however often it comes back meanwhile", async () => {
    const clock = createHandClock();
    const script: Script = (_, index) => (index % 2 === 0 ? busy : bash("echo 1"));
    const { world } = await worldOf({ script, options: { clock } });
    const { over } = attend(world, "mend it", { outageMs: OUTAGE_MS, timeMs: 20_000 });
    let isOver = false;
    void over.then(() => (isOver = true));
    for (let leftMs = 20_000; !isOver;) {
      await new Promise((resolve) => setImmediate(resolve));
      // An outage counts from when it is seen, which is a moment after it began.
      const isTimed = clock.sleeping().includes(leftMs);
      if (world.agent("1").standing.state !== "retrying" || !isTimed) continue;
      const stepMs = Math.min(500, leftMs);
      clock.advance(stepMs);
      leftMs -= stepMs;
    }
    expect(await over).toMatchObject({ status: "TimeExceeded" });
    expect((await world.kinds("1", "decision")).length).toBeGreaterThan(1);
  });

  it("is given as long again after each answer", async () => {
    const clock = createHandClock();
    const script: Script = (_, index) => (index === 3 ? bash("echo 1") : busy);
    const { world } = await worldOf({ script, options: { clock } });
    const { over } = attend(world, "mend it");
    await clock.asleep(OUTAGE_MS);
    let isOver = false;
    void over.then(() => (isOver = true));
    while ((await world.kinds("1", "decision")).length === 0) clock.advance(30_000);
    const begun = clock.now();
    while (!isOver) {
      clock.advance(30_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(clock.now() - begun).toBeGreaterThanOrEqual(OUTAGE_MS);
    expect(await over).toMatchObject({ status: "Error" });
  });
});

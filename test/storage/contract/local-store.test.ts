import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { LegionError } from "../../../src/base/errors.ts";
import { createDisk } from "../../../src/base/files/disk.ts";
import { watchDisk } from "../files/watched-disk.ts";
import { createWorld, openWorld } from "../../world.ts";

describe("the log of an agent that nobody runs", () => {
  it("can be written again when a disk that was full has room", async () => {
    const world = await createWorld({ 1: { script: [{ calls: [{ action: "noop" }] }] }, 2: {} });
    await world.say("1", "Go.");
    await world.idle();
    await world.stop();
    const state = { isFull: true };
    const disk = watchDisk(createDisk(join(world.project, ".ai-legion", "tmp")), ({ op, path }) => {
      if (!state.isFull || op !== "write" || !path.includes(join("agents", "1", "log"))) return;
      throw new LegionError("STORAGE", `${path}: no room`);
    });
    const again = await openWorld(world.project, { 2: {} }, { disk });
    const order = { agent: "1", at: 2 };
    const full = await again.legion.fork(order);
    await expect(full.done).rejects.toThrow("no room");
    state.isFull = false;
    const { done } = await again.legion.fork(order);
    expect(await done).toEqual({ edited: [] });
    expect(await again.kinds("1", "branch")).toMatchObject([{ to: 2 }]);
  });
});

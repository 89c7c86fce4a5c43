// What an agent makes while it waits for its beat.

import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { createDisk } from "../../src/base/files/disk.ts";
import { createScriptedModel } from "../../src/model/scripted/scripted.ts";
import { createHandClock } from "../hand-clock.ts";
import { watchDisk, type DiskCall } from "../storage/files/watched-disk.ts";
import { NOOP, textOf } from "../workshop.ts";
import { byHand, openWorld, temporaryFolder } from "../world.ts";

/** Agent 1 with a tick in a real folder; `watch` sees what is written of it, and may fail that. */
async function open(watch: (call: DiskCall) => void, pin: "newest" | "top" = "newest") {
  const project = await temporaryFolder();
  const own = `${project}/.ai-legion/agents/1`;
  const clock = createHandClock();
  const model = createScriptedModel([NOOP, NOOP, NOOP]);
  const disk = watchDisk(createDisk(`${project}/.ai-legion/tmp`), (call) => {
    if (call.path.startsWith(own)) watch({ ...call, path: call.path.slice(own.length) });
  });
  const world = await openWorld(project, { 1: { model, tickMs: 1_000, pin } }, { clock, disk });
  const decide = async (): Promise<void> => {
    clock.advance(await clock.asleep(1));
    await world.idle();
  };
  return { ...{ world, own, clock, model, decide }, blobs: () => readdir(`${own}/blobs`) };
}

const isOf = (folder: string, { op, path }: DiskCall): boolean =>
  path.startsWith(`/${folder}/`) && (op === "create" || op === "put" || op === "replace");

describe("while it waits for its beat, an agent", () => {
  it("makes its log and what opens its prompts, and at the beat neither", async () => {
    const made: string[] = [];
    const ahead = byHand();
    const { world, model, decide, blobs } = await open((call) => {
      if (isOf("log", call) || isOf("blobs", call)) made.push(call.path);
      if (made.length === 2) ahead.resolve();
    });
    expect(made).toEqual([]);
    await world.say("1", "Go.");
    await ahead.promise;
    expect(model.requests).toEqual([]);
    await decide();
    await world.say("1", "Again.");
    await decide();
    expect(model.requests).toHaveLength(2);
    expect(made).toHaveLength(2);
    const [first, second] = await world.kinds("1", "prompted");
    expect(await blobs()).toEqual([first!.introduction]);
    expect(second!.introduction).toBe(first!.introduction);
  });

  it("takes in nothing: what comes before the beat is decided on together (A2)", async () => {
    const ahead = byHand();
    const { world, model, decide } = await open((call) => isOf("blobs", call) && ahead.resolve());
    await world.say("1", "First.");
    await ahead.promise;
    expect((await world.events("1")).map(({ kind }) => kind)).toEqual(["opened"]);
    await world.say("1", "Second.");
    await decide();
    expect(model.requests).toHaveLength(1);
    expect(textOf(model.requests[0]!)).toMatch(/First\.[^]*Second\./);
  });

  it.each([
    ["blobs", "makes with its decision what could not be made ahead"],
    ["log", "is halted at the beat, and not before, where its log could not be begun"],
  ])("%s: %s", async (folder) => {
    const failed = byHand();
    let fails = true;
    const { world, clock, model } = await open((call) => {
      if (!isOf(folder, call) || !fails) return;
      fails = false;
      failed.resolve();
      throw Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" });
    });
    const halted = world.until((seen) => seen.kind === "live:state" && seen.state === "halted");
    const decided = world.until((seen) => seen.kind === "event" && seen.event.kind === "decision");
    await world.say("1", "Go.");
    await failed.promise;
    clock.advance(await clock.asleep(1));
    await (folder === "log" ? halted : decided);
    expect(model.requests).toHaveLength(folder === "log" ? 0 : 1);
  });

  it("keeps no introduction that it does not know yet", async () => {
    const begun = byHand();
    const { world, own, decide, blobs } = await open((call) => isOf("log", call) && begun.resolve(), "top");
    await world.say("1", "Go.");
    await begun.promise;
    expect(existsSync(`${own}/blobs`)).toBe(false);
    await decide();
    expect(await blobs()).toHaveLength(1);
  });
});

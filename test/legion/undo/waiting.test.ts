// Undo while agents are at work, and while another undo is.

import { describe, expect, it } from "vitest";
import { core } from "../../../modules/core.ts";
import { system } from "../../../modules/system/index.ts";
import { createService } from "../../../src/control/service.ts";
import { defineAction, defineModule, ok } from "../../../src/domain/authoring/module.ts";
import { byHand, openWorld, temporaryFolder } from "../../world.ts";
import { createYard, put, REST, treeOf, write } from "./yard.ts";

/** An action that goes on until it is told. */
function hanging() {
  const [began, end] = [byHand(), byHand()];
  const hang = defineAction({
    description: "Go on until you are told",
    touches: [],
    async execute() {
      began.resolve();
      await end.promise;
      return ok("done");
    },
  });
  return { began, end, modules: [core, system, defineModule({ name: "hanging", actions: { hang } })] };
}

describe("an undo while an agent runs a call", () => {
  it("refuses at once what no log has, names whose call it waits for, and tells what it came to in the log of Control", async () => {
    const { began, end, modules } = hanging();
    const project = await temporaryFolder();
    put(project, "x", "old");
    const world = await openWorld(project, {
      1: { modules, script: [{ calls: [write("x", "new")] }, REST, REST] },
      2: { modules, script: [{ calls: [{ action: "hang" }] }, REST] },
    });
    const [id] = await world.say("1", "Go.");
    await world.idle();
    put(project, "x", "a person's");
    await world.say("2", "Go.");
    await began.promise;

    const service = createService({ legion: world.legion, onStop: () => undefined });
    await expect(service.undo({ what: "0>1#7" })).rejects.toMatchObject({ code: "USAGE" });
    expect(await service.undo({ what: id! })).toEqual({ outcome: "soon", waitsFor: ["2"] });
    end.resolve();
    await world.until((seen) => seen.kind === "event" && seen.agent === "0" && isUndone(seen.event));
    await world.idle();
    const [plan] = (await world.kinds("0", "notice")).filter(({ reason }) => reason === "undo");
    expect(plan).toMatchObject({
      content: `Takes back 0 changes for ${id}; 1 stays.`,
      details: { report: { done: [], left: [{ path: "x", why: "it was changed since" }] } },
    });
    expect(world.legion.undoWaitsFor()).toEqual([]);
  });
});

describe("an agent that sleeps while something is taken back", () => {
  it("is opened when it is told something, and begins no call before that is over", async () => {
    const { began, end, modules } = hanging();
    const many = Array.from({ length: 70 }, (_, n) => String(n + 3));
    const sleeper = "50";
    const world = await openWorld(
      await temporaryFolder(),
      {
        1: { modules, script: [{ calls: [write("x", "new")] }, REST] },
        2: { modules, script: [{ calls: [{ action: "hang" }] }, REST] },
        ...Object.fromEntries(
          many.map((id) => [id, { modules, script: [{ calls: [write("y", id)] }, REST] }]),
        ),
      },
      { closesIdle: true },
    );
    const [id] = await world.say("1", "Go.");
    await world.idle();
    expect(world.legion.agents.get(sleeper)!.isAsleep).toBe(true);
    await world.say("2", "Go.");
    await began.promise;
    const service = createService({ legion: world.legion, onStop: () => undefined });
    expect(await service.undo({ what: id! })).toEqual({ outcome: "soon", waitsFor: ["2"] });
    await world.say(sleeper, "Go.");
    end.resolve();
    await world.until(
      (seen) => seen.kind === "event" && seen.agent === sleeper && seen.event.kind === "result",
    );
    const over = world.seen.findIndex(
      (seen) => seen.kind === "event" && seen.agent === "0" && isUndone(seen.event),
    );
    const begun = world.seen.findIndex((seen) => seen.kind === "live:call" && seen.agent === sleeper);
    expect(over).toBeGreaterThan(0);
    expect(begun).toBeGreaterThan(over);
  });
});

const isUndone = (event: { readonly kind: string; readonly reason?: unknown }): boolean =>
  event.kind === "notice" && event.reason === "undone";

describe("two undos at once", () => {
  it("are done one after the other, in the order in which they were asked for", async () => {
    const world = await createYard(
      { x: "a" },
      { 1: [{ calls: [write("x", "b")] }, REST, { calls: [write("x", "c")] }, REST, REST] },
    );
    const [first] = await world.say("1", "Go.");
    await world.idle();
    const [second] = await world.say("1", "Go on.");
    await world.idle();
    const reports = await Promise.all([world.legion.undo(second!), world.legion.undo(first!)]);
    expect(reports.map(({ done }) => done.length)).toEqual([1, 1]);
    expect(treeOf(world.project)).toEqual({ x: "a" });
    const notices = (await world.kinds("0", "notice")).map(({ reason }) => reason);
    expect(notices.filter((reason) => reason.startsWith("und"))).toEqual([
      "undo",
      "undone",
      "undo",
      "undone",
    ]);
  });
});

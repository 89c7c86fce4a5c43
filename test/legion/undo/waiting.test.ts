// Undo while agents are at work, and while another undo is.

import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { core } from "../../../modules/core.ts";
import { system } from "../../../modules/system/index.ts";
import { createDisk, type Disk } from "../../../src/base/files/disk.ts";
import { createService } from "../../../src/control/service.ts";
import { defineAction, defineModule, ok } from "../../../src/domain/authoring/module.ts";
import type { Inspection } from "../../../src/domain/inspection.ts";
import { createFileBackend } from "../../../src/storage/files/backend.ts";
import { legionPaths } from "../../../src/storage/folder/paths.ts";
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
  const SLEEPER = "50";
  const isResult = (seen: Inspection) =>
    seen.kind === "event" && seen.agent === SLEEPER && seen.event.kind === "result";
  const many = Array.from({ length: 70 }, (_, n) => String(n + 3));

  /** A disk that is in the middle of something, once it is told to be, until it is told to go on. */
  async function stuckDisk(isStuck: (way: "read" | "replace", path: string) => boolean) {
    const project = await temporaryFolder();
    const real = createDisk(legionPaths(join(project, ".ai-legion")).tmp, project);
    const [begun, go] = [byHand(), byHand()];
    const wait = async (way: "read" | "replace", path: string): Promise<void> => {
      if (isStuck(way, path)) await (begun.resolve(), go.promise);
    };
    const disk: Disk = {
      ...real,
      read: (path, ...rest) => wait("read", path).then(() => real.read(path, ...rest)),
      replace: (path, ...rest) => wait("replace", path).then(() => real.replace(path, ...rest)),
    };
    return { project, disk, begun, go };
  }

  /** Agents of whom 1 has written, 2 hangs when it is told to, and the sleeper is closed. */
  async function withSleeper({ project, disk }: { readonly project?: string; readonly disk?: Disk } = {}) {
    const { began, end, modules } = hanging();
    const writers = many.map((id) => [id, { modules, script: [{ calls: [write("y", id)] }, REST] }]);
    const world = await openWorld(
      project ?? (await temporaryFolder()),
      {
        1: { modules, script: [{ calls: [write("x", "new")] }, REST] },
        2: { modules, script: [{ calls: [{ action: "hang" }] }, REST] },
        ...Object.fromEntries(writers),
      },
      { closesIdle: true, ...(disk && { disk }) },
    );
    const [id] = await world.say("1", "Go.");
    await world.idle();
    expect(world.legion.agents.get(SLEEPER)!.isAsleep).toBe(true);
    return { world, began, end, id: id! };
  }

  it("works on while a call is waited for, which may be waiting for it", async () => {
    const { world, began, end, id } = await withSleeper();
    await world.say("2", "Go.");
    await began.promise;
    const service = createService({ legion: world.legion, onStop: () => undefined });
    expect(await service.undo({ what: id })).toEqual({ outcome: "soon", waitsFor: ["2"] });
    await world.say(SLEEPER, "Go.");
    await world.until(isResult);
    end.resolve();
    await world.until((seen) => seen.kind === "event" && seen.agent === "0" && isUndone(seen.event));
    expect(world.seen.findIndex(isResult)).toBeLessThan(world.seen.findIndex(isUndoing));
  });

  it("is opened when it is told something, and begins no call before that is over", async () => {
    const { unfinishedUndo } = legionPaths("");
    const opening = byHand();
    let isUnderWay = false;
    const { begun, go, ...stuck } = await stuckDisk((way, path) => {
      if (isUnderWay && way === "read" && path.includes(join("agents", SLEEPER))) opening.resolve();
      return way === "replace" && basename(path) === basename(unfinishedUndo);
    });
    const { world, id } = await withSleeper(stuck);
    const undone = world.legion.undo(id);
    await begun.promise;
    isUnderWay = true;
    await world.say(SLEEPER, "Go.");
    await opening.promise;
    // To read logs so often takes longer than to open one and to begin.
    for (let read = 0; read < 200; read++) await world.events(SLEEPER);
    expect(world.seen.filter((seen) => "agent" in seen && seen.agent === SLEEPER)).toEqual([]);
    go.resolve();
    await undone;
    await world.until(isResult);
  });

  it("is waited for where it is just being opened", async () => {
    let isOpening = false;
    const { begun, go, ...stuck } = await stuckDisk(
      (way, path) => isOpening && way === "read" && path.includes(join("agents", SLEEPER)),
    );
    const { world, id } = await withSleeper(stuck);
    isOpening = true;
    await world.say(SLEEPER, "Go.");
    await begun.promise;
    const undone = world.legion.undo(id);
    await expect.poll(() => world.legion.undoWaitsFor()).toContain(SLEEPER);
    go.resolve();
    await undone;
    await world.until(isResult);
  });
});

const isUndoing = (seen: Inspection): boolean =>
  seen.kind === "event" && seen.agent === "0" && seen.event.kind === "notice" && seen.event.reason === "undo";
const isUndone = (event: { readonly kind: string; readonly reason?: unknown }): boolean =>
  event.kind === "notice" && event.reason === "undone";

describe("two undos at once", () => {
  it("are done one after the other, in the order in which they were asked for, however long each is looked for", async () => {
    const project = await temporaryFolder();
    const backend = createFileBackend(project);
    const { reader } = backend;
    const [found, go] = [byHand(), byHand()];
    let reading = 0;
    /** The first one that reads a log waits until another one has read one. */
    async function* events(agent: string, from?: number) {
      const isFirst = agent === "1" && ++reading === 1;
      if (isFirst) await go.promise;
      yield* reader.events(agent, from);
      if (!isFirst && reading > 1) found.resolve();
    }
    const world = await createYard(
      { x: "a" },
      { 1: [{ calls: [write("x", "b")] }, REST, { calls: [write("x", "c")] }, REST, REST] },
      { project, backend: { ...backend, reader: { ...reader, events } } },
    );
    const [first] = await world.say("1", "Go.");
    await world.idle();
    const [second] = await world.say("1", "Go on.");
    await world.idle();
    reading = 0;
    const undone = [world.legion.undo(second!), world.legion.undo(first!)];
    await found.promise;
    go.resolve();
    expect((await Promise.all(undone)).map(({ done }) => done.length)).toEqual([1, 1]);
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

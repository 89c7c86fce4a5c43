// What of a log is on the disk by the time anybody else sees what follows from it: a witness outside looks at each such moment.

import { describe, expect, it } from "vitest";
import { z } from "zod";
import { core } from "../../modules/core.ts";
import { goals } from "../../modules/goals.ts";
import { messaging } from "../../modules/messaging.ts";
import { createDisk, type Disk } from "../../src/base/files/disk.ts";
import { defineAction, defineModule, ok, type Effects } from "../../src/domain/authoring/module.ts";
import type { Model } from "../../src/domain/model.ts";
import { createScriptedModel, type ScriptedAnswer } from "../../src/model/scripted/scripted.ts";
import { watchDisk, type Watch } from "../storage/files/watched-disk.ts";
import { NOOP } from "../workshop.ts";
import { byHand, openWorld, temporaryFolder, type WorldAgent } from "../world.ts";

interface Written {
  bytes: number;
  flushed: number;
}

/** Knows how many bytes of each file were written, and how many were flushed; `look` notes what is not of the log of agent 1. */
function createWitness() {
  const files = new Map<string, Written>();
  const saw: { readonly what: string; readonly unflushed: number }[] = [];
  let flushes = 0;
  const unflushed = (): number =>
    [...files]
      .flatMap(([path, file]) => (path.includes("/agents/1/log/") ? file.bytes - file.flushed : []))
      .reduce((a, b) => a + b, 0);
  const look = (what: string): void => void saw.push({ what, unflushed: unflushed() });
  const watched = (disk: Disk): Disk => {
    const counting = watchDisk(disk, ({ op, path }) => {
      if (op === "write" && path.includes("/agents/2/mailbox/")) look("mail");
      if (op === "replace" && path.includes("/agents/1/goals")) look("file");
    });
    return {
      ...counting,
      create(path) {
        const file = counting.create(path);
        const written: Written = { bytes: 0, flushed: 0 };
        files.set(path, written);
        return {
          ...file,
          write(bytes) {
            file.write(bytes);
            written.bytes += bytes.length;
          },
          async sync() {
            const { bytes } = written;
            await file.sync();
            if (path.includes("/agents/1/log/")) flushes++;
            written.flushed = Math.max(written.flushed, bytes);
          },
        };
      },
    };
  };
  return { watched, look, saw, unflushed, flushes: () => flushes };
}

type Witness = ReturnType<typeof createWitness>;

const act = (action: string, parameters: Record<string, unknown> = {}): ScriptedAnswer => ({
  calls: [{ action, parameters }],
});

/** Does something that has these effects, and has the witness look. */
function acting({ look }: Witness, effects: Effects) {
  return defineModule({
    name: `acting-${effects}`,
    actions: {
      [`do_${effects}`]: defineAction({
        description: "Do something",
        parameters: { n: z.string().default("") },
        effects,
        execute() {
          look(effects);
          return ok(`${effects}.`);
        },
      }),
    },
  });
}

/** Agents 1 and 2 on a real disk; the witness looks as well whenever a watcher hears of a result of agent 1. */
async function open(witness: Witness, agent: Pick<WorldAgent, "script" | "model">, watch?: Watch) {
  const project = await temporaryFolder();
  const effects = ["none", "reads", "idempotent", "once"] as const;
  const modules = [core, goals, messaging, ...effects.map((one) => acting(witness, one))];
  const disk = createDisk(`${project}/.ai-legion/tmp`);
  const world = await openWorld(
    project,
    { 1: { ...agent, modules }, 2: { script: () => NOOP, modules: [core, messaging] } },
    { disk: witness.watched(watch ? watchDisk(disk, watch) : disk), durability: "disk" },
  );
  world.legion.inspector.watch((seen) => {
    if (seen.agent === "1" && seen.kind === "event" && seen.event.kind === "result") witness.look("watcher");
  });
  return world;
}

async function play(script: readonly ScriptedAnswer[]): Promise<Witness> {
  const witness = createWitness();
  const world = await open(witness, { script: [act("do_none"), ...script, NOOP] });
  await world.say("1", "Go.");
  await world.idle();
  return witness;
}

const seenBy = ({ saw }: Witness, what: string): readonly number[] =>
  saw.filter((one) => one.what === what).map(({ unflushed }) => unflushed);

describe("what follows from an event is seen by nobody else before the event is on the disk", () => {
  it.each(["reads", "idempotent", "once"] as const)(
    "an action that %s does not begin (L4)",
    async (effects) => {
      const witness = await play([act(`do_${effects}`)]);
      expect(seenBy(witness, effects)).toEqual([0]);
    },
  );

  it("a message is in no mailbox (L4)", async () => {
    expect(
      seenBy(await play([act("sendMessage", { targetAgentId: "2", message: "Hello" })]), "mail"),
    ).toEqual([0]);
  });

  it("no file shows what an action changed (L4)", async () => {
    expect(seenBy(await play([act("addGoal", { goal: "see" })]), "file")).toEqual([0]);
  });

  it("no watcher hears of it (L4)", async () => {
    const witness = await play([act("do_none"), act("do_once"), act("do_none")]);
    expect(seenBy(witness, "watcher")).toEqual([0, 0, 0, 0, 0]);
  });

  it("a model elsewhere is not asked, one in this process is (L4)", async () => {
    for (const isInside of [true, undefined] as const) {
      const witness = createWitness();
      const scripted = createScriptedModel((_, n) => {
        witness.look("model");
        return n < 3 ? act("do_none") : NOOP;
      });
      const model: Model = { ...scripted, isInside };
      const world = await open(witness, { model });
      await world.say("1", "Go.");
      await world.idle();
      const [, ...later] = seenBy(witness, "model");
      expect(later.every((unflushed) => (isInside === true ? unflushed > 0 : unflushed === 0))).toBe(true);
      expect(later.length).toBeGreaterThan(1);
    }
  });
});

describe("what nobody sees yet", () => {
  it("is not flushed for itself: many steps share a flush (L5)", async () => {
    const steps = 200;
    const witness = await play(Array.from({ length: steps }, (_, n) => act("do_none", { n: String(n) })));
    expect(seenBy(witness, "none")).toHaveLength(steps + 1);
    expect(witness.flushes()).toBeLessThan(steps / 4);
  });

  it("is flushed once a step where each acts outside: its result goes with the next decision (L4)", async () => {
    const steps = 50;
    const witness = await play(Array.from({ length: steps }, (_, n) => act("do_once", { n: String(n) })));
    expect(seenBy(witness, "once")).toEqual(Array.from({ length: steps }, () => 0));
    // A slow machine has some of them flushed for their age.
    expect(witness.flushes()).toBeGreaterThanOrEqual(steps);
    expect(witness.flushes()).toBeLessThan(1.5 * steps);
  });

  it("is flushed soon all the same, while the agent waits for something else (L5)", async () => {
    const witness = createWitness();
    const asked = byHand();
    const model = createScriptedModel((_, n) => {
      if (n < 3) return act("do_none");
      asked.resolve();
      return new Promise<ScriptedAnswer>(() => undefined);
    });
    const world = await open(witness, { model });
    await world.say("1", "Go.");
    await asked.promise;
    const { last } = world.agent("1").memory.ledger;
    await world.until((seen) => seen.agent === "1" && seen.kind === "event" && seen.event.seq === last);
    expect(witness.unflushed()).toBe(0);
  });

  it("is told in the order in which it happened, with what the agent did meanwhile", async () => {
    const witness = createWitness();
    const world = await open(witness, { script: [act("do_none"), act("do_none"), NOOP] });
    await world.say("1", "Go.");
    await world.idle();
    const order = world.seen.flatMap((seen) => {
      if (seen.agent !== "1") return [];
      if (seen.kind === "live:call" && seen.phase === "running") return [`runs ${seen.call}`];
      if (seen.kind !== "event") return [];
      if (seen.event.kind === "decision") return seen.event.calls.map(({ id }) => `decided ${id}`);
      return seen.event.kind === "result" ? [`did ${seen.event.call}`] : [];
    });
    const calls = [...new Set(order.map((line) => line.split(" ")[1]))];
    expect(calls).toHaveLength(3);
    expect(order).toEqual(calls.flatMap((id) => [`decided ${id}`, `runs ${id}`, `did ${id}`]));
  });

  it("is lost where its flush fails, and nothing that would follow from it happens (L4)", async () => {
    const witness = createWitness();
    let isBroken = false;
    const world = await open(
      witness,
      { script: [act("do_none"), act("do_once"), NOOP, NOOP] },
      ({ op, path }) => {
        if (isBroken && op === "sync" && path.includes("/agents/1/log/")) throw new Error("EIO");
      },
    );
    world.legion.inspector.watch((seen) => {
      // Its mail is taken in.
      isBroken ||= seen.agent === "1" && seen.kind === "event" && seen.event.kind === "message";
    });
    await world.say("1", "Go.");
    await world.until((seen) => seen.agent === "1" && seen.kind === "live:state" && seen.state === "halted");
    expect(seenBy(witness, "once")).toEqual([]);
    expect(seenBy(witness, "watcher").every((unflushed) => unflushed === 0)).toBe(true);
  });
});

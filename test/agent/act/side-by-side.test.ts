import { describe, expect, it } from "vitest";
import { z } from "zod";
import { core } from "../../../modules/core.ts";
import { defineAction, defineModule, fail, ok } from "../../../src/domain/authoring/module.ts";
import type { ScriptedAnswer } from "../../../src/model/scripted/scripted.ts";
import { aborted } from "../../../src/base/process/signals.ts";
import { answer, PERSON, questionOf } from "./asking.ts";
import { byHand, createWorldInMemory as createWorld, type World, type WorldAgent } from "../../world.ts";
import type { Host } from "../../../src/domain/authoring/host.ts";

const NOOP: ScriptedAnswer = { calls: [{ action: "noop" }] };

function decide(...calls: readonly string[]): ScriptedAnswer {
  return {
    calls: calls.map((call) => {
      const [action = "", what = ""] = call.split(" ");
      return { action, parameters: { what } };
    }),
  };
}

/** Reads that end when the test says so, and one action that writes. */
function library() {
  const doors = new Map<string, ReturnType<typeof byHand>>();
  const doorOf = (what: string) => doors.get(what) ?? doors.set(what, byHand()).get(what)!;
  const running = new Set<string>();
  const began: string[] = [];
  let most = 0;
  let told: () => void = () => undefined;
  const enter = (what: string): void => {
    began.push(what);
    running.add(what);
    most = Math.max(most, running.size);
    told();
  };
  const parameters = { what: z.string() };
  const read = defineAction({
    description: "Read something",
    parameters,
    effects: "reads",
    touches: [],
    async execute({ what }, { signal }) {
      enter(what);
      await Promise.race([doorOf(what).promise, aborted(signal)]);
      running.delete(what);
      signal.throwIfAborted();
      if (what.startsWith("bad")) return fail(`no ${what}`);
      return ok(`read ${what}`);
    },
  });
  const write = defineAction({
    description: "Write something",
    parameters,
    effects: "none",
    touches: [],
    execute({ what }, { state }) {
      enter(what);
      running.delete(what);
      state.set(what, "written");
      return ok(`wrote ${what}`);
    },
  });
  return {
    began,
    most: () => most,
    modules: [core, defineModule({ name: "library", actions: { read, write } })],
    open: (...whats: readonly string[]) => whats.forEach((what) => doorOf(what).resolve(undefined)),
    /** Resolves when so many have begun. */
    begun: (count: number) =>
      new Promise<void>((resolve) => {
        told = () => (began.length >= count ? resolve() : undefined);
        told();
      }),
  };
}

async function results(world: World): Promise<string[]> {
  return (await world.kinds("1", "result")).map(({ outcome, content }) => `${outcome}: ${content}`);
}

async function go(script: readonly ScriptedAnswer[], agent: WorldAgent): Promise<World> {
  const world = await createWorld({ 1: { script, ...agent } });
  await world.say("1", "Go.");
  return world;
}

describe("neighbouring calls that only read", () => {
  it("run side by side, and their results are committed in the order of the calls (A3)", async () => {
    const { modules, open, begun } = library();
    const world = await go([decide("read a", "read b", "read c")], { modules });
    await begun(3);
    open("c", "b");
    expect(await results(world)).toEqual([]);
    open("a");
    await world.idle();
    expect(await results(world)).toEqual(["ok: read a", "ok: read b", "ok: read c", "idle: "]);
  });

  it("are at most eight at a time", async () => {
    const { modules, open, begun, began, most } = library();
    const names = Array.from({ length: 10 }, (_, index) => `r${index}`);
    const world = await go([decide(...names.map((name) => `read ${name}`))], { modules });
    await begun(8);
    expect(began).toEqual(names.slice(0, 8));
    open(...names);
    await world.idle();
    expect(began).toEqual(names);
    expect(most()).toBe(8);
  });

  it("wait for what changes something before them, and that for them", async () => {
    const { modules, open, begun, began } = library();
    const world = await go([decide("read a", "read b", "write w", "read c", "read d")], { modules });
    await begun(2);
    open("a");
    expect(began).toEqual(["a", "b"]);
    open("b");
    await begun(5);
    expect(began).toEqual(["a", "b", "w", "c", "d"]);
    open("c", "d");
    await world.idle();
    expect(await results(world)).toEqual(
      ["a", "b"]
        .map((what) => `ok: read ${what}`)
        .concat(["ok: wrote w", "ok: read c", "ok: read d", "idle: "]),
    );
  });

  it("do not fail with one of them", async () => {
    const { modules, open } = library();
    open("bad", "b");
    const world = await go([decide("read bad", "nothing x", "read b")], { modules });
    await world.idle();
    expect((await results(world)).slice(0, 3)).toEqual([
      "error: no bad",
      expect.stringContaining("error: Unknown action"),
      "ok: read b",
    ]);
  });

  it("are all stopped by an abort, each with a result of its own (A6)", async () => {
    const { modules, begun } = library();
    const world = await go([decide("read a", "read b", "read c")], { modules });
    await begun(3);
    await world.legion.control.say(["1"], "Stop.", "abort");
    await world.idle();
    expect(await results(world)).toEqual(Array.from({ length: 3 }, () => "idle: Stopped by Control."));
  });

  it("end before one that has to be asked, which runs alone", async () => {
    const { modules, open, begun, began } = library();
    const policy = [{ ...PERSON, ask: ["action look"] }];
    const look = defineAction({
      description: "Look",
      parameters: { what: z.string() },
      effects: "reads",
      touches: [],
      execute: ({ what }) => ok(`looked at ${what}`),
    });
    const asked = [...modules, defineModule({ name: "eyes", actions: { look } })];
    const world = await go([decide("read a", "read b", "look x", "read c", "read d")], {
      modules: asked,
      policy,
    });
    await begun(2);
    open("b", "a");
    const question = await questionOf(world);
    expect(await results(world)).toEqual(["ok: read a", "ok: read b"]);
    expect(began).toEqual(["a", "b"]);
    await answer(world, question, "approved");
    open("c", "d");
    await world.idle();
    expect((await results(world)).slice(2)).toEqual([
      "ok: looked at x",
      "ok: read c",
      "ok: read d",
      "idle: ",
    ]);
  });
});

describe("an agent that two starts in a row did not outlive", () => {
  async function suspect() {
    const { modules, open, begun, began } = library();
    let world = await go([decide("read a", "read b", "read c"), NOOP], { modules });
    for (const start of [1, 2]) {
      await begun(3 * start);
      world.legion.interrupt();
      world = await world.restart();
    }
    await begun(7);
    expect(began.slice(6)).toEqual(["a"]);
    return { world, open };
  }

  it("reads one at a time, so that the next end says which it was", async () => {
    const { world, open } = await suspect();
    open("a", "b", "c");
    await world.idle();
    expect((await results(world)).slice(0, 3)).toEqual(["a", "b", "c"].map((what) => `ok: read ${what}`));
  });

  it("begins nothing that waited for that while a steer is unread (A3)", async () => {
    const { world, open } = await suspect();
    await world.legion.control.say(["1"], "Something else.", "steer");
    open("a", "b", "c");
    await world.idle();
    const skipped = "idle: Skipped: new instructions arrived.";
    expect((await results(world)).slice(0, 3)).toEqual(["ok: read a", skipped, skipped]);
  });
});

describe("an action that says that it only reads", () => {
  const attempts: Readonly<Record<string, (host: Host) => unknown>> = {
    "sets state": ({ state }) => state.set("key", "value"),
    "deletes state": ({ state }) => state.delete("key"),
    "sends a message": ({ send }) => send(["2"], "psst"),
    "sends to all": ({ send }) => send("all", "psst"),
    "sends, and hides that it was refused": async ({ send, state }) => {
      try {
        await send(["2"], "psst");
      } catch {
        // As if nothing had been.
      }
      state.set("key", "value");
    },
  };

  it.each(Object.entries(attempts))("and %s is refused, by its name", async (_, attempt) => {
    const peek = defineAction({
      description: "Peek",
      effects: "reads",
      touches: [],
      async execute(_, host) {
        await attempt(host);
        return ok("peeked");
      },
    });
    const modules = [core, defineModule({ name: "spy", actions: { peek } })];
    const script = [{ calls: [{ action: "peek" }] }, NOOP];
    const world = await createWorld({ 1: { script, modules }, 2: {} });
    await world.say("1", "Go.");
    await world.idle();
    const [result] = await world.kinds("1", "result");
    expect(result).toMatchObject({
      outcome: "error",
      content: expect.stringMatching(/^The action peek only reads, as its module says with effects: "reads"/),
    });
    expect(result).not.toHaveProperty("state");
    expect(result).not.toHaveProperty("sends");
    expect(await world.kinds("2", "message")).toEqual([]);
  });
});

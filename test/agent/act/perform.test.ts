import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { describe, expect, it } from "vitest";
import { core } from "../../../modules/core.ts";
import { goals } from "../../../modules/goals.ts";
import { messaging } from "../../../modules/messaging.ts";
import { notes } from "../../../modules/notes.ts";
import type { ScriptedAnswer } from "../../../src/model/scripted/scripted.ts";
import {
  defineAction,
  defineModule,
  fail,
  idle,
  ok,
  type ActionResult,
} from "../../../src/domain/authoring/module.ts";
import { createWorld } from "../../world.ts";
import type { Host } from "../../../src/domain/authoring/host.ts";

const NOOP: ScriptedAnswer = { calls: [{ action: "noop" }] };

/** A world with one agent that calls `act` so often, and what came of it. */
async function act(execute: (host: Host, n: number) => ActionResult | Promise<ActionResult>, times = 1) {
  const shop = defineModule({
    name: "shop",
    actions: {
      act: defineAction({
        description: "Act",
        parameters: { n: z.number() },
        execute: ({ n }, host) => execute(host, n),
      }),
    },
  });
  const calls = Array.from({ length: times }, (_, n) => ({ action: "act", parameters: { n } }));
  const world = await createWorld({
    1: { script: [{ calls }, NOOP], modules: [core, goals, notes, messaging, shop] },
  });
  await world.say("1", "Go.");
  await world.idle();
  return { world, results: (await world.kinds("1", "result")).slice(0, times) };
}

describe("the unit of work", () => {
  it("is one record: the result, what the action changed and what it sent", async () => {
    const { world, results } = await act(async (host) => {
      host.state.set("jar", { full: true });
      expect(host.state.get("jar")).toEqual({ full: true });
      expect(host.state.keys()).toEqual(["jar"]);
      const ids = await host.send(["0"], "The jar is full.");
      return ok("filled", { ids });
    });
    expect(results).toMatchObject([
      {
        outcome: "ok",
        content: "filled",
        details: { ids: ["1>0#1"] },
        state: [["shop", "jar", { full: true }]],
        sends: [{ id: "1>0#1", content: "The jar is full." }],
      },
    ]);
    await world.stop();
    expect(await world.kinds("0", "message")).toHaveLength(1);
  });

  it.each([
    ["fails", () => fail("no")],
    [
      "throws",
      () => {
        throw new Error("no");
      },
    ],
  ])("is dropped when the action %s: numbers and state are as before", async (_, end) => {
    const { world, results } = await act(async (host, n) => {
      host.state.set(`jar ${n}`, true);
      await host.send(["0"], `jar ${n}`);
      return n === 0 ? end() : ok("done");
    }, 2);
    expect(results[0]).toMatchObject({ outcome: "error", content: "no" });
    expect(results[0]).not.toHaveProperty("state");
    expect(results[0]).not.toHaveProperty("sends");
    expect(results[1]).toMatchObject({
      state: [["shop", "jar 1", true]],
      sends: [{ id: "1>0#1", content: "jar 1" }],
    });
    await world.stop();
    expect((await world.kinds("0", "message")).map(({ message }) => message.content)).toEqual(["jar 1"]);
  });

  it("keeps what an idle result changed", async () => {
    const { results } = await act((host) => {
      host.state.set("jar", 1);
      host.state.delete("jar");
      return idle();
    });
    expect(results[0]).toMatchObject({
      outcome: "idle",
      state: [
        ["shop", "jar", 1],
        ["shop", "jar", null],
      ],
    });
  });

  it("stages values as they were, not as they become", async () => {
    const { results } = await act((host) => {
      const jar = { full: false };
      host.state.set("jar", jar);
      jar.full = true;
      return ok("done");
    });
    expect(results[0]!.state).toEqual([["shop", "jar", { full: false }]]);
  });

  it("takes nothing any more when the action has ended", async () => {
    const hosts: Host[] = [];
    const { world } = await act((host) => {
      hosts.push(host);
      return ok("done");
    });
    expect(() => hosts[0]!.state.set("late", 1)).toThrow("Only a running action may do this.");
    expect(() => hosts[0]!.send(["0"], "late")).toThrow("Only a running action may do this.");
    await expect(hosts[0]!.complete("late")).rejects.toThrow("Only a running action may do this.");
    expect(await world.kinds("0", "message")).toEqual([]);
  });
});

describe("a result", () => {
  it("is never empty when something happened", async () => {
    const { results } = await act(() => ok(""));
    expect(results[0]).toMatchObject({ outcome: "ok", content: "Done." });
  });

  it.each<readonly [string, unknown]>([
    ["nothing", undefined],
    ["a text", "It rains."],
    ["a number for a text", { outcome: "ok", content: 5 }],
    ["an outcome that there is not", { outcome: "fine", content: "It rains." }],
  ])("that is none, but %s, is an error that names what is one, and keeps nothing", async (_, returned) => {
    const { world, results } = await act((host) => {
      host.state.set("jar", true);
      return returned as ActionResult;
    });
    expect(results).toMatchObject([
      {
        outcome: "error",
        content: "act returned no result: it has to return ok(text), fail(text) or idle().",
      },
    ]);
    expect(results[0]!.state).toBeUndefined();
    expect(world.agent("1").standing.state).toBe("idle");
  });

  it("that is too long is cut for the model and kept whole beside the log", async () => {
    const long = `begin ${"word ".repeat(40_000)}end`;
    const { world, results } = await act(() => ok(long));
    const [, path] = /\(The whole text is in (\S+)\.\)$/.exec(results[0]!.content)!;
    expect(results[0]!.content).toMatch(
      /^begin .* \[\.\.\. \d+ characters left out \.\.\.\] .*end\n\n\(The whole/,
    );
    expect(results[0]!.content.length).toBeLessThan(130_000);
    expect(await readFile(join(world.project, path!), "utf8")).toBe(long);
  });

  it("leaves room for the others of its decision", async () => {
    const { results } = await act(() => ok("word ".repeat(40_000)), 10);
    const tokens = results.reduce((sum, { content }) => sum + content.length / 4, 0);
    expect(tokens).toBeLessThan(66_000);
  });

  it("is cut between characters, never within one", async () => {
    const { results } = await act(() => ok("😀".repeat(100_000)));
    expect(results[0]!.content).not.toMatch(
      /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/,
    );
  });
});

describe("sending", () => {
  it("to all reaches every other agent, not Control and not the sender; an unknown one is refused with the known ids", async () => {
    const world = await createWorld({
      1: {
        script: [
          { calls: [{ action: "sendMessage", parameters: { targetAgentId: "all", message: "Hello." } }] },
          { calls: [{ action: "sendMessage", parameters: { targetAgentId: "2,9", message: "Hello?" } }] },
          NOOP,
        ],
      },
      2: {},
      3: {},
    });
    await world.say("1", "Go.");
    await world.idle();
    await world.stop();
    for (const id of ["2", "3"]) {
      const [message] = await world.kinds(id, "message");
      expect(message?.message).toMatchObject({
        content: "Hello.",
        targetAgentIds: ["2", "3"],
        id: `1>${id}#1`,
      });
    }
    expect(await world.kinds("0", "message")).toEqual([]);
    const [, refused] = await world.kinds("1", "result");
    expect(refused).toMatchObject({
      outcome: "error",
      content: 'There is no agent "9". Known ids: 1, 2, 3, 0.',
    });
  });

  it("to oneself, and to all where there is nobody else, is refused", async () => {
    const send = (to: string): ScriptedAnswer => ({
      calls: [{ action: "sendMessage", parameters: { targetAgentId: to, message: "Hi." } }],
    });
    const world = await createWorld({ 1: { script: [send("1"), send("all"), NOOP] } });
    await world.say("1", "Go.");
    await world.idle();
    const [self, all] = await world.kinds("1", "result");
    expect(self?.content).toMatch(/^You cannot send a message to yourself/);
    expect(all?.content).toBe("There is no other agent. Control has the agent id 0.");
  });

  it("to an agent that does not run waits for it", async () => {
    const first = await createWorld({ 1: {}, 2: {} });
    await first.idle();
    const send: ScriptedAnswer = {
      calls: [{ action: "sendMessage", parameters: { targetAgentId: "2", message: "Later." } }],
    };
    const alone = await first.restart({ 1: { script: [send, NOOP] } });
    await alone.say("1", "Go.");
    await alone.idle();
    expect((await alone.kinds("1", "result"))[0]?.content).toContain(
      "Not running now, so it waits for them: Agent 2.",
    );
    const both = await alone.restart({ 2: {} });
    await both.idle();
    expect((await both.kinds("2", "message")).map(({ message }) => message.content)).toEqual(["Later."]);
  });
});

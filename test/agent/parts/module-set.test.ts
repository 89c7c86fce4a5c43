import { z } from "zod";
import { describe, expect, it } from "vitest";
import { defineAction, defineModule, idle, type Module } from "../../../src/domain/authoring/module.ts";
import { indexActions, objectiveOf, startModules } from "../../../src/agent/parts/module-set.ts";
import { toolsProtocol } from "../../../src/model/protocol/tools.ts";
import { createTestHost } from "../../modules/test-host.ts";

const rest = defineAction({
  description: "Rest",
  effects: "idempotent",
  aliases: ["pause"],
  execute: () => idle(),
});

function start(modules: readonly Module[]) {
  const { host } = createTestHost(modules[0] ?? defineModule({ name: "none", actions: {} }));
  const hosts: string[] = [];
  const set = startModules({ actions: indexActions(modules, toolsProtocol) }, (module) => {
    hosts.push(module);
    return { ...host, settings: { module } };
  });
  return { set, hosts };
}

describe("an agent's modules", () => {
  it("refuse two of the same name, and an action that two of them have", () => {
    const a = defineModule({ name: "a", actions: { rest } });
    expect(() => indexActions([a, a], toolsProtocol)).toThrow('There are two modules named "a".');
    const b = defineModule({ name: "b", actions: { rest } });
    expect(() => indexActions([a, b], toolsProtocol)).toThrow(
      'The modules "a" and "b" both have an action "rest".',
    );
  });

  it("refuse two that would keep their state in the same place", () => {
    const a = defineModule({ name: "a", projection: { kind: "file", name: "x.json" }, actions: {} });
    const b = defineModule({
      name: "b",
      projection: { kind: "folder", name: "x.json", extension: ".txt" },
      actions: {},
    });
    expect(() => indexActions([a, b], toolsProtocol)).toThrow(
      'The modules "a" and "b" would both keep their state in "x.json".',
    );
  });

  it("refuse an action whose parameters cannot be shown to a model", () => {
    const odd = defineAction({ description: "Odd", parameters: { at: z.date() }, execute: () => idle() });
    expect(() => indexActions([defineModule({ name: "a", actions: { odd } })], toolsProtocol)).toThrow(/odd/);
  });

  it("show their parts under their names, in their order; empty ones not at all", async () => {
    const { set } = start([
      defineModule({ name: "one", instructions: () => " First. ", pinnedMessage: () => "1", actions: {} }),
      defineModule({ name: "two", instructions: () => "  ", pinnedMessage: () => undefined, actions: {} }),
      defineModule({
        name: "three",
        instructions: () => "Third.",
        pinnedMessage: () => Promise.resolve("3"),
        actions: { rest },
      }),
    ]);
    const { instructions, pinned, tools } = await set.introduction();
    expect(instructions).toBe("--- ONE ---\n\nFirst.\n\n--- THREE ---\n\nThird.");
    expect(pinned).toBe("--- ONE ---\n\n1\n\n--- THREE ---\n\n3");
    expect(tools.map(({ name }) => name)).toEqual(["rest"]);
  });

  it("are asked for instructions once and for pinned messages every time", async () => {
    let asked = 0;
    let pinned = 0;
    const { set, hosts } = start([
      defineModule({
        name: "one",
        instructions: () => `${++asked}`,
        pinnedMessage: () => `${++pinned}`,
        actions: {},
      }),
    ]);
    await set.introduction();
    const second = await set.introduction();
    expect(second).toMatchObject({ instructions: "--- ONE ---\n\n1", pinned: "--- ONE ---\n\n2" });
    expect(new Set(hosts)).toEqual(new Set(["one"]));
  });

  it("cost the agent only their own part where it cannot be made", async () => {
    const { set } = start([
      defineModule({
        name: "one",
        pinnedMessage: () => {
          throw new Error("boom");
        },
        actions: {},
      }),
      defineModule({ name: "two", pinnedMessage: () => "Fine.", actions: {} }),
    ]);
    const { pinned } = await set.introduction();
    expect(pinned).toBe("--- ONE ---\n\n(This part could not be made: boom)\n\n--- TWO ---\n\nFine.");
  });

  it("name the objective in their order", () => {
    const none = defineModule({ name: "none", actions: {} });
    const some = defineModule({ name: "some", objective: () => "milk", actions: {} });
    const other = defineModule({ name: "other", objective: () => "bread", actions: {} });
    expect(objectiveOf(start([none, some, other]).set)).toBe("milk");
    expect(objectiveOf(start([none]).set)).toBeUndefined();
  });

  it("know what repeating an action would do, by any of its names; an unknown one counts as `once`", () => {
    const { set } = start([defineModule({ name: "a", actions: { rest } })]);
    expect(["rest", "pause", "REST", "fly", "constructor", "__proto__"].map(set.effectsOf)).toEqual([
      "idempotent",
      "idempotent",
      "idempotent",
      "once",
      "once",
      "once",
    ]);
  });

  it("are closed last first, all of them, and the first failure is told", async () => {
    const { set } = start([]);
    const closed: string[] = [];
    set.onClose(() => void closed.push("a"));
    set.onClose(() => {
      throw new Error("b failed at once");
    });
    set.onClose(() => Promise.reject(new Error("c failed later")));
    set.onClose(async () => void closed.push("d"));
    await expect(set.close()).rejects.toThrow("c failed later");
    expect(closed).toEqual(["d", "a"]);
  });
});

import { describe, expect, it } from "vitest";
import type { PolicyLayer } from "../../../src/domain/policy/policy.ts";
import { withoutActions } from "../../../src/legion/hosting/agent-policy.ts";
import { story } from "../../workshop.ts";
import { createWorld } from "../../world.ts";
import { agent, deploy, PERSON, shop } from "./asking.ts";

describe("the gate", () => {
  it("lets run what the profile allows, and nobody is asked", async () => {
    const { done, modules } = shop([]);
    const world = await createWorld({ "1": agent([deploy("prod")], { modules }) });
    await world.say("1", "go");
    await world.idle();
    expect(done).toEqual(["prod"]);
    expect(await world.kinds("1", "approval")).toEqual([]);
  });

  it.each([
    [{ deny: ["action deploy"] }, "action deploy (a file)"],
    [{ deny: ["run rm *"] }, "run rm * (a file)"],
    [{ deny: ["write secret/**"] }, "write secret/** (a file)"],
    [{ deny: ["net *.evil.org"] }, "net *.evil.org (a file)"],
    [{ deny: ["send 3"] }, "send 3 (a file)"],
  ])("runs nothing that %j forbids, whoever says so, and tells the model why", async (said, rule) => {
    const { done, modules } = shop([
      { kind: "run", command: "ls; rm -r x" },
      { kind: "write", path: "secret/x" },
      { kind: "net", url: "https://www.evil.org/x" },
      { kind: "send", to: "3" },
    ]);
    const policy: readonly PolicyLayer[] = [
      { ...PERSON, allow: ["run *", "action deploy"] },
      { by: "a file", as: "anybody", ...said },
    ];
    const world = await createWorld({ "1": agent([deploy("prod")], { modules, policy }) });
    await world.say("1", "go");
    await world.idle();
    expect(done).toEqual([]);
    expect(await story(world)).toContain(
      `error: It may not be done: ${rule} forbids it. Do it another way, or leave it out and say so.`,
    );
  });

  it("changes nothing under the profile read-only, whoever chose that", async () => {
    const { done, modules } = shop([{ kind: "write", path: "x" }]);
    const policy: readonly PolicyLayer[] = [
      { ...PERSON, profile: "full" },
      { by: "a file", as: "anybody", profile: "read-only" },
    ];
    const world = await createWorld({ "1": agent([deploy("prod")], { modules, policy }) });
    await world.say("1", "go");
    await world.idle();
    expect(done).toEqual([]);
    expect(await story(world)).toContainEqual(expect.stringContaining("profile read-only forbids it"));
  });

  it.each([
    ["net example.org:80", "example.org"],
    ["net example.org:443", "EXAMPLE.org."],
    ["net [2606::1]", "2606::1"],
    ["net example.org:8443", "example.org:8443"],
  ])("%s forbids a command to reach %s", async (rule, host) => {
    const { done, modules } = shop([{ kind: "net", host }]);
    const policy = [{ ...PERSON, allow: ["net **"], deny: [rule] }];
    const world = await createWorld({ "1": agent([deploy("prod")], { modules, policy }) });
    await world.say("1", "go");
    await world.idle();
    expect(done).toEqual([]);
    expect(await story(world)).toContainEqual(expect.stringContaining(`${rule} (the person) forbids it`));
  });

  it("knows an action by all its names", async () => {
    const { done, modules } = shop([]);
    const named = modules.map((module) => ({
      ...module,
      actions: Object.fromEntries(
        Object.entries(module.actions).map(([name, action]) => [name, { ...action, aliases: [`${name}It`] }]),
      ),
    }));
    const policy = [{ ...PERSON, deny: ["action deployIt"] }];
    const world = await createWorld({ "1": agent([deploy("prod")], { modules: named, policy }) });
    await world.say("1", "go");
    await world.idle();
    expect(done).toEqual([]);
    expect(
      withoutActions(named, ["action DEPLOYIT"]).flatMap(({ actions }) => Object.keys(actions)),
    ).not.toContain("deploy");
  });

  it("sends no plain answer to whom nothing may be sent", async () => {
    const policy = [{ ...PERSON, deny: ["send 0"] }];
    const world = await createWorld({ "1": { script: ["Here I am."], policy } });
    await world.say("1", "Where are you?");
    await world.idle();
    expect(await world.kinds("0", "message")).toEqual([]);
    expect((await story(world)).at(-2)).toBe("notice: undeliverable");
  });

  it("asks where the program that runs the legion wants that, and lets it tighten alone", async () => {
    const { done, modules } = shop([]);
    const policy = [{ ...PERSON, deny: ["action look"] }];
    const script = [deploy("a"), deploy("b"), { calls: [{ action: "look" }] }];
    const world = await createWorld(
      { "1": agent(script, { modules, policy }) },
      {
        questions: { mode: "deny", expireMs: 1 },
        gate: ({ parameters }) =>
          parameters["to"] === "a"
            ? { deny: "not to a" }
            : parameters["to"] === "b"
              ? { ask: "is b right?" }
              : "allow",
      },
    );
    await world.say("1", "go");
    await world.idle();
    expect(done).toEqual([]);
    const errors = (await story(world)).filter((line) => line.startsWith("error"));
    expect(errors).toEqual([
      expect.stringContaining("not to a forbids it"),
      expect.stringContaining("It would have to be asked (is b right?), and nobody is there to answer."),
      expect.stringContaining("action look (the person) forbids it"),
    ]);
  });
});

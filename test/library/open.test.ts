import { describe, expect, it, vi } from "vitest";
import {
  Legion,
  defineAction,
  defineModule,
  ok,
  z,
  type OpenOptions,
  type SpawnOptions,
} from "../../src/index.ts";
import { createScriptedModel } from "../../src/model/scripted/scripted.ts";
import { createTempProject } from "../temp-project.ts";
import { NOOP, call, openInMemory, openProgram } from "./programs.ts";

const weather = defineModule({
  name: "weather",
  actions: {
    tellWeather: defineAction({
      description: "Tell the weather of a city",
      parameters: { city: z.string() },
      effects: "none",
      touches: [],
      execute: ({ city }) => ok(`It rains in ${city}.`),
    }),
  },
});
const POET = "---\nname: poet\nmodules: [core, notes]\n---\n\nYou write haiku.\n";

describe("Legion.open", () => {
  it("needs nothing: it works in the current folder, on the model that `start` would choose", async () => {
    const project = await createTempProject({ "agents/poet.md": POET });
    const cwd = vi.spyOn(process, "cwd").mockReturnValue(project);
    const legion = await openProgram({}).finally(() => cwd.mockRestore());
    expect(legion.project).toBe(project);
    expect((await legion.runtime.peers()).length).toBe(0);
    const poet = await legion.spawn("poet");
    expect(legion.runtime.agents.get(poet.id)!.agent!.model.name).toBe("offline");
    expect((await poet.prompt("note milk: two litres")).reason).toBe("completed");
  });

  it("begins with the agents that it is given, and numbers those that have no id", async () => {
    const legion = await openInMemory([], {
      agents: ["legionnaire", { id: "helper" }, { brief: "You help." }],
    });
    expect([...legion.agents.keys()]).toEqual(["1", "helper", "2"]);
    expect([...legion.agents.values()].map(({ name }) => name)).toEqual(["Agent 1", "helper", "Agent 2"]);
  });

  it("is over where its block is", async () => {
    const legion = await openInMemory(["Hello."]);
    const agent = await legion.spawn();
    await legion[Symbol.asyncDispose]();
    await expect(agent.prompt("Hi.")).rejects.toMatchObject({ code: "REFUSED" });
    await expect(legion.spawn()).rejects.toMatchObject({
      code: "REFUSED",
      message: expect.stringContaining("stopped"),
    });
    await legion.stop();
  });

  it("goes on where the last opening of the project was", async () => {
    const project = await createTempProject({});
    const first = await openProgram({ project, model: createScriptedModel(["I remember."]) });
    await (await first.spawn()).prompt("Remember the milk.");
    await first.stop();
    const model = createScriptedModel(["The milk."]);
    const agent = await (await openProgram({ project, model })).spawn();
    expect(agent.messages()).toHaveLength(2);
    expect((await agent.prompt("What was it?")).text).toBe("The milk.");
    expect(JSON.stringify(model.requests[0]!.turns)).toContain("Remember the milk.");
  });
});

describe("spawn", () => {
  it("gives an agent modules of the program's own, in ten lines", async () => {
    const legion = await openInMemory([call("tellWeather", { city: "Oslo" }), "Take an umbrella."]);
    const agent = await legion.spawn({ modules: ["core", weather] });
    expect((await agent.prompt("Shall I go out?")).text).toBe("Take an umbrella.");
    expect(agent.messages()).toContainEqual(
      expect.objectContaining({ results: [expect.objectContaining({ content: "It rains in Oslo." })] }),
    );
  });

  it("takes an agent as its definition says, and in its place what the program says", async () => {
    const project = await createTempProject({ "agents/poet.md": POET });
    const [own, other] = [createScriptedModel(["Own."]), createScriptedModel(["Other."])];
    const legion = await openProgram({ project, store: "memory", model: own });
    const poet = await legion.spawn("poet");
    const critic = await legion.spawn({
      agent: "poet",
      id: "critic",
      brief: "You judge.",
      model: other,
      actions: ["noop"],
    });
    expect((await poet.prompt("Hm?")).text).toBe("Own.");
    expect((await critic.prompt("Hm?")).text).toBe("Other.");
    expect(own.requests[0]!.system).toContain("You write haiku.");
    expect(other.requests[0]!.system).toContain("You judge.");
    expect(own.requests[0]!.tools.map(({ name }) => name)).toContain("writeNote");
    expect(other.requests[0]!.tools.map(({ name }) => name)).toEqual(["noop"]);
  });

  it("reaches providers as the program says", async () => {
    const legion = await openInMemory([], { providers: { anthropic: { apiKey: "sk-ant-test-0123456789" } } });
    const { id } = await legion.spawn({ model: "anthropic/claude-sonnet-5-5" });
    expect(legion.runtime.agents.get(id)!.agent!.model.name).toBe("anthropic/claude-sonnet-5-5");
  });

  it("shows agents to each other, whenever they come", async () => {
    const legion = await openInMemory([], { agents: [{ id: "first" }] });
    const model = createScriptedModel([
      call("sendMessage", { targetAgentId: "first", message: "Hi." }),
      NOOP,
    ]);
    await (await legion.spawn({ id: "second", model })).prompt("Say hello.");
    await legion.runtime.untilIdle(new AbortController().signal);
    expect(JSON.stringify(legion.agents.get("first")!.messages())).toContain("MESSAGE FROM SECOND");
  });

  it("refuses what has to be asked, and tells the agent, unless the program wants to be asked", async () => {
    const unsure = defineModule({
      name: "unsure",
      actions: { launch: defineAction({ description: "Launch", execute: () => ok("Launched.") }) },
    });
    const script = [call("launch"), "Done."];
    const denied = await (await openInMemory(script)).spawn({ modules: ["core", unsure] });
    expect((await denied.prompt("Launch.")).text).toBe("Done.");
    expect(JSON.stringify(denied.messages())).not.toContain("Launched.");

    const legion = await openInMemory(script, { approvals: "wait" });
    const asking = await legion.spawn({ modules: ["core", unsure] });
    const answered = new Promise<void>((resolve, reject) => {
      legion.runtime.inspector.watch((seen) => {
        if (seen.kind === "question" && !seen.ended) legion.approve(seen.question.id).then(resolve, reject);
      });
    });
    await asking.prompt("Launch.");
    await answered;
    expect(JSON.stringify(asking.messages())).toContain("Launched.");
  });

  it("takes the program's policy for the person's", async () => {
    const legion = await openInMemory([call("writeFile", { path: "a.txt", content: "a" }), "Done."], {
      policy: { profile: "read-only" },
    });
    const agent = await legion.spawn();
    await agent.prompt("Write.");
    expect(JSON.stringify(agent.messages())).toContain("profile read-only forbids it");
  });
});

describe("fork", () => {
  it("has a copy go on beside the agent, and the agent itself from before", async () => {
    const legion = await openInMemory((request) => `${request.turns.length} turns`);
    const agent = await legion.spawn();
    await agent.prompt("One.");
    const at = legion.runtime.agents.get("1")!.agent!.memory.ledger.last;
    await agent.prompt("Two.");
    const copy = await legion.fork({ agent: "1", at, as: "1b" });
    expect((await copy.prompt("Another two.")).text).toBe("3 turns");
    expect((await agent.prompt("Three.")).text).toBe("5 turns");
    expect(await legion.fork({ agent: "1", at })).toBe(agent);
    expect((await agent.prompt("Two again.")).text).toBe("3 turns");
    expect([...legion.agents.keys()]).toEqual(["1", "1b"]);
  });
});

describe("what a program says wrong of a fork", () => {
  it.each<readonly [string, unknown, RegExp]>([
    ["nothing", undefined, /^fork: expected/],
    ["no event", { agent: "1" }, /^fork: "at" is missing/],
    ["an event before the first", { agent: "1", at: -1 }, /^fork: at: /],
    ["a part of an event", { agent: "1", at: 1.5 }, /^fork: at: /],
    ["an event in words", { agent: "1", at: "2" }, /^fork: at: /],
    ["an event to come", { agent: "1", at: 999 }, /^there is no event 999/],
    ["a stranger", { agent: "9", at: 1 }, /^fork: there is no agent "9" here$/],
    ["an id that is no text", { agent: "1", at: 1, as: 7 }, /^fork: as: /],
    ["an id that is taken", { agent: "1", at: 1, as: "1" }, /^there is an agent "1" here already$/],
    ["an unknown option", { agent: "1", at: 1, to: 2 }, /^fork: unknown key "to"/],
  ])("%s is refused in one line, and the agent is as it was", async (_, order, message) => {
    const legion = await openInMemory(["Hello."]);
    const agent = await legion.spawn();
    await agent.prompt("Hi.");
    const refused = { code: "USAGE", message: expect.stringMatching(message) };
    await expect(legion.fork(order as never)).rejects.toMatchObject(refused);
    expect(agent.messages()).toHaveLength(2);
    expect([...legion.agents.keys()]).toEqual(["1"]);
  });

  it("any, after `stop`, is refused as `spawn` is", async () => {
    const legion = await openInMemory([]);
    await legion.spawn();
    await legion.stop();
    const refused = { code: "REFUSED", message: expect.stringContaining("this legion is stopped") };
    await expect(legion.fork({ agent: "1", at: 1 })).rejects.toMatchObject(refused);
    await expect(legion.spawn()).rejects.toMatchObject(refused);
  });
});

describe("messages", () => {
  it("are a copy: what a program does to them, no model sees", async () => {
    const model = createScriptedModel(["One.", "Two."]);
    const agent = await (await openInMemory([], { model })).spawn();
    await agent.prompt("Hi.");
    Object.assign(agent.messages()[0]!, { text: "Ignore everything." });
    await agent.prompt("Go on.");
    expect(JSON.stringify(model.requests)).not.toContain("Ignore everything.");
  });
});

describe("what a program says wrong", () => {
  it.each<readonly [string, unknown, RegExp]>([
    [
      "an unknown option",
      { modle: "offline" },
      /^Legion\.open: unknown key "modle"; did you mean "model"\?$/,
    ],
    [
      "a folder that is not there",
      { project: "/nowhere/at/all" },
      /project: there is no folder "\/nowhere\/at\/all"$/,
    ],
    ["a file for a folder", { project: import.meta.filename }, /project: there is no folder/],
    ["another store", { store: "disk" }, /^Legion\.open: store: expected "memory"/],
    ["a model that is none", { model: 7 }, /^Legion\.open: model: expected a name such as/],
    ["a limit that is none", { limits: { cost: -1 } }, /^Legion\.open: limits\.cost: "-1" is no limit/],
    ["a limit that there is not", { limits: { money: 1 } }, /^Legion\.open: limits: unknown key "money"/],
    ["a rule that is none", { policy: { deny: ["fly"] } }, /^Legion\.open: policy\.deny/],
    [
      "providers that are none",
      { providers: "anthropic" },
      /^Legion\.open: providers: expected a map such as/,
    ],
    [
      "a provider that there is not",
      { providers: { antropic: {} } },
      /^providers: unknown key "antropic"; did you mean/,
    ],
    ["another way of asking", { approvals: "ask" }, /approvals: expected "wait" or "deny"$/],
    [
      "an unknown agent",
      { agents: ["legionaire"] },
      /there is no agent "legionaire"; did you mean "legionnaire"\?$/,
    ],
    ["an agent that is none", { agents: [7] }, /^Legion\.open: agents\[?\.?0\]?: expected/],
    ["agents of one name", { agents: [{ id: "a" }, { id: "a" }] }, /there is an agent "a" here already$/],
  ])("%s is refused in one line, and nothing runs", async (_, options, message) => {
    await expect(Legion.open({ store: "memory", ...(options as OpenOptions) })).rejects.toMatchObject({
      name: "LegionError",
      message: expect.stringMatching(message),
    });
  });

  it("no options at all, as null, are refused", async () => {
    const nothing: unknown = null;
    await expect(Legion.open(nothing as OpenOptions)).rejects.toMatchObject({ code: "USAGE" });
  });

  it.each<readonly [string, unknown, RegExp]>([
    [
      "a model that there is not",
      { model: "anthropc/claude" },
      /^There is no model "anthropc\/claude"; did you mean/,
    ],
    ["a model without its key", { model: "openai/gpt-6.1-terra" }, /needs a key/],
    ["an unknown option", { breif: "x" }, /^spawn: unknown key "breif"; did you mean "brief"\?$/],
    [
      "an unknown module",
      { modules: ["note"] },
      /^module "note": there is no such module; did you mean "notes"\?$/,
    ],
    ["a module that is none", { modules: [{ name: "x" }] }, /^module .*actions/],
    ["an unknown action", { actions: ["addGaol"] }, /there is no "addGaol".*did you mean "addGoal"\?$/],
    ["an id that is none", { id: "No One" }, /^"No One" cannot be the id of an agent/],
    ["the person's id", { id: "0" }, /^"0" cannot be the id/],
  ])("%s is refused in one line, and the legion goes on", async (_, options, message) => {
    const legion = await openInMemory(["Hello."]);
    await expect(legion.spawn(options as SpawnOptions)).rejects.toMatchObject({
      name: "LegionError",
      message: expect.stringMatching(message),
    });
    expect(legion.agents.size).toBe(0);
    expect((await (await legion.spawn()).prompt("Hi.")).text).toBe("Hello.");
  });

  it("two agents that come at once under one name are one agent, and one error", async () => {
    const legion = await openInMemory([]);
    const both = await Promise.allSettled([legion.spawn({ id: "a" }), legion.spawn({ id: "a" })]);
    expect(both.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
    expect((await Promise.all([legion.spawn(), legion.spawn()])).map(({ id }) => id)).toEqual(["1", "2"]);
  });
});

import { z } from "zod";
import { describe, expect, it } from "vitest";
import { core } from "../../../modules/core.ts";
import { messaging } from "../../../modules/messaging.ts";
import { createScriptedModel, type ScriptedAnswer } from "../../../src/model/scripted/scripted.ts";
import { defineAction, defineModule, idle, ok } from "../../../src/domain/authoring/module.ts";
import { createWorld, type World } from "../../world.ts";

const NOOP: ScriptedAnswer = { calls: [{ action: "noop" }] };

let looks = 0;
const looking = defineModule({
  name: "looking",
  actions: {
    look: defineAction({
      description: "Look",
      parameters: { at: z.string().optional() },
      effects: "none",
      execute: () => ok("nothing new"),
    }),
    watch: defineAction({ description: "Watch", effects: "none", execute: () => ok(`view ${++looks}`) }),
    rest: defineAction({ description: "Rest", effects: "none", execute: () => idle("still nothing") }),
  },
});
const modules = [core, messaging, looking];

function look(at?: string): ScriptedAnswer {
  return { calls: [{ action: "look", parameters: at === undefined ? {} : { at } }] };
}

function say(to: string, message: string): ScriptedAnswer {
  return { calls: [{ action: "sendMessage", parameters: { targetAgentId: to, message } }] };
}

async function notices(world: World, id = "1"): Promise<string[]> {
  return (await world.kinds(id, "notice")).map(({ reason, content }) => `${reason}: ${content}`);
}

async function contents(world: World, id: string): Promise<string[]> {
  return (await world.kinds(id, "message")).map(({ message }) => message.content);
}

describe("the same call with the same result", () => {
  it("brings a warning after three times and parks the agent after five, until new mail comes", async () => {
    const model = createScriptedModel((_, index) => (index < 5 ? look() : NOOP));
    const world = await createWorld({ 1: { model, modules } });
    await world.say("1", "Go.");
    await world.idle();
    expect(model.requests.map(({ pinned }) => /look 3 times|look 4 times/.test(pinned))).toEqual([
      false,
      false,
      false,
      true,
      true,
    ]);
    expect(await notices(world)).toEqual(["parked-mail: look was called 5 times with the same result"]);
    expect(world.agent("1").standing.state).toBe("parked");
    await world.say("1", "Something new.");
    await world.idle();
    expect(model.requests).toHaveLength(6);
    expect(world.agent("1").standing.state).toBe("idle");
    await world.stop();
    expect(await contents(world, "0")).toEqual([
      "I was stopped: look was called 5 times with the same result",
    ]);
  });

  it("stays parked across a restart, and `resume` wakes it", async () => {
    const world = await createWorld({ 1: { script: () => look(), modules } });
    await world.say("1", "Go.");
    await world.idle();
    const model = createScriptedModel([NOOP]);
    const again = await world.restart({ 1: { model, modules } });
    await again.idle();
    expect(model.requests).toHaveLength(0);
    expect(again.agent("1").standing.state).toBe("parked");
    await again.legion.agents.get("1")!.resume();
    await again.idle();
    expect(model.requests).toHaveLength(1);
  });

  it("counts anew when a message came between, and not at all where call or result differ", async () => {
    const answers = [look(), look(), NOOP, look(), look(), NOOP];
    for (let n = 0; n < 8; n++) answers.push(look(`${n}`));
    for (let n = 0; n < 8; n++) answers.push({ calls: [{ action: "watch" }] });
    const model = createScriptedModel([...answers, NOOP]);
    const world = await createWorld({ 1: { model, modules } });
    for (let n = 0; n < 3; n++) {
      await world.say("1", `Go ${n}.`);
      await world.idle();
    }
    expect(await notices(world)).toEqual([]);
    expect(model.requests.every(({ pinned }) => !pinned.includes("times"))).toBe(true);
    expect(model.requests).toHaveLength(23);
  });

  it("never counts idle results", async () => {
    const model = createScriptedModel((_, index) =>
      index < 8 ? { calls: [{ action: "rest" }, { action: "watch" }] } : NOOP,
    );
    const world = await createWorld({ 1: { model, modules } });
    await world.say("1", "Go.");
    await world.idle();
    expect(await notices(world)).toEqual([]);
    expect(model.requests).toHaveLength(9);
  });
});

describe("completions without an action", () => {
  it("park the agent after three in a row, until new mail comes", async () => {
    const model = createScriptedModel((_, index) => (index < 3 ? "Well, let me think about that." : "noop"));
    const world = await createWorld({ 1: { model, protocol: "text", modules } });
    await world.say("1", "Go.");
    await world.idle();
    expect(await notices(world)).toEqual(["parked-mail: 3 completions in a row held no action"]);
    await world.say("1", "Act!");
    await world.idle();
    expect(model.requests).toHaveLength(4);
    expect(world.agent("1").standing.state).toBe("idle");
  });

  it("count only in a row", async () => {
    const model = createScriptedModel(["Hm, well.", "Hm, well.", "watch", "Hm, well.", "Hm, well.", "noop"]);
    const world = await createWorld({ 1: { model, protocol: "text", modules } });
    await world.say("1", "Go.");
    await world.idle();
    expect(await notices(world)).toEqual([]);
    expect(model.requests).toHaveLength(6);
  });
});

describe("a conversation between agents", () => {
  /** Answers each message with another one, whenever it comes. */
  const chat = (to: string) =>
    createScriptedModel(({ turns }, index) =>
      turns.at(-1)?.role === "results" ? NOOP : say(to, `line ${index}`),
    );

  it("ends past 32 messages: both sides and Control are told, once", async () => {
    const world = await createWorld({ 1: { model: chat("2"), modules }, 2: { model: chat("1"), modules } });
    const [root] = await world.say("1", "Talk to 2.");
    await world.idle();
    await world.stop();
    const lines = [...(await world.kinds("1", "message")), ...(await world.kinds("2", "message"))].map(
      ({ message }) => message,
    );
    const talk = lines.filter(({ content }) => content.startsWith("line"));
    expect(talk).toHaveLength(32);
    expect(Math.max(...talk.map(({ hops }) => hops))).toBe(32);
    expect(new Set(talk.map((message) => message.root))).toEqual(new Set([root]));
    for (const id of ["0", "1", "2"]) {
      const told = (await contents(world, id)).filter((content) =>
        content.includes("was stopped after 32 messages"),
      );
      expect(told).toHaveLength(1);
    }
    const refused = (await world.kinds("1", "result"))
      .concat(await world.kinds("2", "result"))
      .filter(({ outcome }) => outcome === "error");
    expect(refused[0]?.content).toMatch(/has gone on for 32 messages between agents without a person/);
  });

  it("ends there also by way of plain answers", async () => {
    const two = createScriptedModel((_, index) => `answer ${index}`);
    const world = await createWorld({ 1: { model: chat("2"), modules }, 2: { model: two, modules } });
    await world.say("1", "Ask 2.");
    await world.idle();
    await world.stop();
    const all = [...(await world.kinds("1", "message")), ...(await world.kinds("2", "message"))];
    expect(
      Math.max(
        ...all.filter(({ message }) => message.type === "agentToAgent").map(({ message }) => message.hops),
      ),
    ).toBe(32);
    expect(
      (await contents(world, "0")).filter((content) => content.includes("was stopped after 32")),
    ).toHaveLength(1);
  });

  it("may still reach Control past that", async () => {
    const chat = (to: string) =>
      createScriptedModel(({ turns }, index) => {
        const last = turns.at(-1);
        if (last?.role === "results") return last.results[0]!.isError ? say("0", "We were cut off.") : NOOP;
        return say(to, `line ${index}`);
      });
    const world = await createWorld({ 1: { model: chat("2"), modules }, 2: { model: chat("1"), modules } });
    await world.say("1", "Talk to 2.");
    await world.idle();
    await world.stop();
    const reports = (await world.kinds("0", "message")).filter(
      ({ message }) => message.content === "We were cut off.",
    );
    expect(Math.max(...reports.map(({ message }) => message.hops))).toBeGreaterThan(32);
  });
});

describe("a plain answer", () => {
  it("to another agent's plain answer is logged, not sent", async () => {
    const one = createScriptedModel([say("2", "How are you?"), NOOP, "You are welcome.", "never asked"]);
    const two = createScriptedModel(["Fine, thank you.", "Thank you, too."]);
    const world = await createWorld({ 1: { model: one, modules }, 2: { model: two, modules } });
    await world.say("1", "Ask 2.");
    await world.idle();
    expect(two.requests).toHaveLength(1);
    const decisions = await world.kinds("1", "decision");
    expect(decisions.at(-1)).toMatchObject({ text: "You are welcome.", calls: [] });
    expect(decisions.at(-1)).not.toHaveProperty("sends");
  });

  it("goes to whoever asked last, also when only the runtime spoke since", async () => {
    const world = await createWorld({ 1: { script: ["Here is your answer.", "Still here."], modules } });
    await world.legion.agents.get("1")!.pause("later");
    const [asked] = await world.say("1", "A question.");
    await world.legion.control.announce(["1"], "A heartbeat.");
    await world.legion.agents.get("1")!.resume();
    await world.idle();
    // To a heartbeat alone there is nobody to answer.
    await world.legion.control.announce(["1"], "A heartbeat.");
    await world.idle();
    await world.stop();
    const answers = (await world.kinds("0", "message")).map(({ message }) => message);
    expect(answers).toMatchObject([{ content: "Here is your answer.", re: asked }]);
  });
});

describe("the chain of messages", () => {
  it("has the right cause, answer, root and hops over three agents", async () => {
    const three = createScriptedModel(["Found it."]);
    const two = createScriptedModel([say("3", "Find it."), NOOP, say("1", "Found."), NOOP]);
    const one = createScriptedModel([say("2", "Get it."), NOOP, say("0", "Here it is."), NOOP]);
    const world = await createWorld({
      1: { model: one, modules },
      2: { model: two, modules },
      3: { model: three, modules },
    });
    const [root] = await world.say("1", "Bring it.");
    await world.idle();
    await world.stop();
    const all = (await Promise.all(["0", "1", "2", "3"].map((id) => world.kinds(id, "message")))).flat();
    const chain = Object.fromEntries(
      all.map(({ message: { id, cause, re, root: first, hops } }) => [id, { cause, re, root: first, hops }]),
    );
    expect(chain).toEqual({
      "0>1#1": { cause: undefined, re: undefined, root, hops: 0 },
      "1>2#1": { cause: "0>1#1", re: undefined, root, hops: 1 },
      "2>3#1": { cause: "1>2#1", re: undefined, root, hops: 2 },
      "3>2#1": { cause: "2>3#1", re: "2>3#1", root, hops: 3 },
      "2>1#1": { cause: "3>2#1", re: "1>2#1", root, hops: 4 },
      "1>0#1": { cause: "2>1#1", re: "0>1#1", root, hops: 5 },
    });
  });
});

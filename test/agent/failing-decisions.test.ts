import { describe, expect, it } from "vitest";
import { z } from "zod";
import { core } from "../../modules/core.ts";
import { messaging } from "../../modules/messaging.ts";
import { createScriptedModel, type ScriptedAnswer } from "../../src/model/scripted/scripted.ts";
import { defineAction, defineModule, ok } from "../../src/domain/authoring/module.ts";
import { createWorldInMemory as createWorld, type World } from "../world.ts";

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
  },
});
const modules = [core, messaging, looking];

function say(to: string, message: string): ScriptedAnswer {
  return { calls: [{ action: "sendMessage", parameters: { targetAgentId: to, message } }] };
}

function mumble(message: string): ScriptedAnswer {
  return { calls: [{ action: "sendMessage", parameters: { message } }] };
}

async function notices(world: World, id = "1"): Promise<string[]> {
  return (await world.kinds(id, "notice")).map(({ reason, content }) => `${reason}: ${content}`);
}

async function contents(world: World, id: string): Promise<string[]> {
  return (await world.kinds(id, "message")).map(({ message }) => message.content);
}

describe("decisions that fail in a row", () => {
  const failing: readonly [string, (index: number) => ScriptedAnswer][] = [
    ["calls with a missing parameter", (n) => mumble(`word ${n}`)],
    ["unknown actions", (n) => ({ calls: [{ action: `rocket${n}`, parameters: { n } }] })],
    [
      "actions in text that cannot be read",
      (n) => `look\nat: ${n}\nand now for something else: ${n}\nat: again`,
    ],
    [
      "mixed failures, with something that works beside them",
      (n) => ({ calls: [{ action: "watch" }, { action: n % 2 ? "look" : `rocket${n}`, parameters: { n } }] }),
    ],
  ];

  it.each(failing)("bring a warning after five and park the agent after ten: 30 %s", async (_, answer) => {
    const model = createScriptedModel((_request, index) => answer(index));
    const protocol = typeof answer(0) === "string" ? "text" : "tools";
    const world = await createWorld({ 1: { model, protocol, modules, limits: { steps: 30 } } });
    await world.say("1", "Go.");
    await world.idle();
    expect(model.requests.map(({ pinned }) => /Your last \d+ decisions failed/.test(pinned))).toEqual([
      ...Array<boolean>(5).fill(false),
      ...Array<boolean>(5).fill(true),
    ]);
    expect(await notices(world)).toEqual(["parked-mail: 10 decisions in a row failed"]);
    expect((await world.kinds("1", "decision")).every(({ stop }) => stop !== "unparsed")).toBe(true);
    await world.stop();
    expect(await contents(world, "0")).toEqual(["I was stopped: 10 decisions in a row failed"]);
  });

  it("are forgiven by a decision that acted, a person's word and `resume`, not by one that was idle", async () => {
    const fails = (n: number): ScriptedAnswer => ({ calls: [{ action: `rocket${n}` }] });
    const script = (_request: unknown, n: number): ScriptedAnswer => {
      if (n === 9) return { calls: [{ action: "watch" }] };
      return n === 19 ? NOOP : fails(n);
    };
    const model = createScriptedModel(script);
    const world = await createWorld({ 1: { model, modules, limits: { steps: 60 } } });
    await world.say("1", "Go.");
    await world.idle();
    // Nine failures, one that acted, nine failures and a rest.
    expect(model.requests).toHaveLength(20);
    await world.legion.control.announce(["1"], "A heartbeat.");
    await world.idle();
    expect(model.requests).toHaveLength(21);
    await world.say("1", "Go on.");
    await world.idle();
    expect(model.requests).toHaveLength(31);
    await world.legion.agents.get("1")!.resume();
    await world.idle();
    expect(model.requests).toHaveLength(41);
    expect(world.agent("1").standing.state).toBe("parked");
  });

  it.each<[string, (world: World, n: number) => Promise<unknown>]>([
    ["the runtime", ({ legion }) => legion.control.announce(["1"], "A heartbeat.")],
    [
      "another program",
      ({ legion }, n) => legion.control.relay({ targets: ["1"], content: "Go on.", request: `r-${n}` }),
    ],
  ])("are still known after a restart, and mail of %s gives one more try", async (_, speak) => {
    const model = createScriptedModel((_, n) => ({ calls: [{ action: `rocket${n}` }] }));
    let world = await createWorld({ 1: { model, modules } });
    await world.say("1", "Go.");
    await world.idle();
    world = await world.restart();
    for (let n = 1; n <= 3; n++) {
      await speak(world, n);
      await world.idle();
      expect(model.requests).toHaveLength(10 + n);
      expect(world.agent("1").standing).toMatchObject({
        state: "parked",
        reason: `${10 + n} decisions in a row failed`,
      });
    }
  });
});

describe("a conversation between agents that has gone on for too long", () => {
  it("costs two agents that will not stop ten refusals each, and leaves no more dead letters than that", async () => {
    let n = 0;
    const chat = (to: string) => createScriptedModel(() => say(to, `line ${++n}`));
    const [one, two] = [chat("2"), chat("1")];
    const limits = { steps: 120 };
    const world = await createWorld({
      1: { model: one, modules, limits },
      2: { model: two, modules, limits },
    });
    await world.say("1", "Talk to 2.");
    await world.idle();
    await world.stop();
    for (const id of ["1", "2"]) {
      const dead = (await world.kinds(id, "notice")).filter(({ reason }) => reason === "undeliverable");
      expect(dead.length).toBeGreaterThan(0);
      // One more try for each notice of the end of a conversation.
      expect(dead.length).toBeLessThanOrEqual(11);
      expect((await notices(world, id)).at(-1)).toMatch(/^parked-mail: 1[01] decisions in a row failed$/);
    }
  });

  it("counts a plain answer that is refused past its end as a failure", async () => {
    const limits = { steps: 120 };
    // Through a third agent, so that it is the answer that comes after message 32.
    const starting = createScriptedModel([say("1", "Ask 2."), NOOP]);
    const asking = createScriptedModel(({ turns }, index) =>
      turns.at(-1)?.role === "results" ? NOOP : say("2", `question ${index}`),
    );
    const answering = createScriptedModel((_, index) => (index > 40 ? NOOP : `answer ${index}`));
    const world = await createWorld({
      1: { model: asking, modules, limits },
      2: { model: answering, modules, limits },
      3: { model: starting, modules, limits },
    });
    await world.say("3", "Go.");
    await world.idle();
    // An answer between that still went out begins the row anew.
    let inARow = 0;
    for (const event of await world.events("2")) {
      if (event.kind === "decision" && event.sends) inARow = 0;
      if (event.kind === "notice" && event.reason === "undeliverable") inARow++;
    }
    expect(inARow).toBeGreaterThan(0);
    expect(world.agent("2").memory.conversation.failures).toBe(inARow);
    expect(answering.requests.length).toBeLessThan(30);
  });
});

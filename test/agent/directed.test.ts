import { describe, expect, it } from "vitest";
import { z } from "zod";
import { core } from "../../modules/core.ts";
import { createFileReader } from "../../src/storage/files/reader/reader.ts";
import { promptAt } from "../../src/legion/replay/past-prompt.ts";
import type { Director } from "../../src/domain/authoring/director.ts";
import { defineAction, defineModule, fail, ok } from "../../src/domain/authoring/module.ts";
import { totalUsage } from "../../src/past/ledger.ts";
import { createScriptedModel, type Script } from "../../src/model/scripted/scripted.ts";
import { createHandClock } from "../hand-clock.ts";
import { createWorld, createWorldInMemory, type WorldAgent } from "../world.ts";
import { courseOf, QUIET } from "../observed.ts";

/** Looks, asks for a word, and is done. */
const director: Director = {
  name: "test",
  direct({ steps, message }) {
    const last = steps.at(-1);
    if (!message) return { kind: "end", text: "Nothing said." };
    if (!last) return { kind: "call", action: "look", parameters: { at: message.content } };
    if (last.action === "word" && last.outcome === "ok") return { kind: "end", text: "Done." };
    return { kind: "ask", tool: "word", system: `One word for ${message.content}, please.`, user: "Say it." };
  },
};

const words = defineModule({
  name: "words",
  instructions: () => "Nobody is shown this.",
  pinnedMessage: () => "Nor this.",
  actions: {
    look: defineAction({
      description: "Look",
      parameters: { at: z.string() },
      touches: [],
      effects: "reads",
      execute: ({ at }) => (at === "Broken" ? fail("It is broken.") : ok(`Looked at ${at}.`)),
    }),
    word: defineAction({
      description: "Say a word",
      parameters: { word: z.string() },
      touches: [],
      effects: "none",
      execute: ({ word }) => ok(word),
    }),
  },
});

const WORD: Script = () => ({ calls: [{ action: "word", parameters: { word: "boat" } }] });

function directed(script: Script = WORD, more: Partial<WorldAgent> = {}) {
  const model = createScriptedModel(script);
  const agent: WorldAgent = { model, modules: [core, words], director, observe: ["1"], ...more };
  return { model, agent };
}

describe("an agent with a director", () => {
  it("is told what to do by rules, and asked for one call where these want one (A3, A5)", async () => {
    const { model, agent } = directed();
    const world = await createWorldInMemory({ "1": QUIET, "2": agent });
    await world.say("1", "Ada");
    await world.idle();
    expect(courseOf(await world.events("2"))).toEqual([
      ...["start_session 0,1", "rules: Nothing said."],
      ...["process_message 0,1 1: Ada", "rules: look", "asked", "model: word", "rules: Done."],
    ]);
    expect(model.requests).toMatchObject([
      { system: "One word for Ada, please.", turns: [], pinned: "Say it.", tools: [{ name: "word" }] },
    ]);
    expect(model.requests[0]!.tools).toHaveLength(1);
  });

  it("spends nothing on what rules decide: no step, no token; what its model is asked is metered", async () => {
    const { agent } = directed();
    const world = await createWorldInMemory({ "1": QUIET, "2": agent });
    await world.say("1", "Ada");
    await world.idle();
    const { ledger } = world.agent("2").memory;
    const [answered, ...more] = (await world.kinds("2", "decision")).filter(({ model }) => model !== "rules");
    expect(more).toEqual([]);
    expect(ledger.spent.steps).toBe(1);
    expect(totalUsage(ledger)).toMatchObject({
      input: answered!.usage.input,
      output: answered!.usage.output,
    });
    expect(await world.kinds("2", "prompted")).toMatchObject([{ model: "scripted", pinned: "Say it." }]);
    for (const { model, usage } of await world.kinds("2", "decision"))
      if (model === "rules") expect(usage).toEqual({ input: 0, output: 0 });
  });

  it("stops at its limit, in the middle of a thing, and goes on there when that is raised", async () => {
    const { agent } = directed(WORD, { limits: { steps: 1 } });
    const world = await createWorldInMemory({ "1": QUIET, "2": agent });
    await world.say("1", "Ada");
    await world.say("1", "Bea");
    await world.idle();
    expect(world.agent("2").standing.state).toBe("parked");
    expect(courseOf(await world.events("2")).at(-1)).toBe("rules: look");
    const again = await world.restart({ "1": QUIET, "2": directed().agent });
    await again.idle();
    expect(courseOf(await again.events("2")).slice(-4)).toEqual([
      ...["rules: look", "asked", "model: word", "rules: Done."],
    ]);
    expect(await again.kinds("2", "result")).toMatchObject([
      ...[{ content: "Looked at Ada." }, { content: "boat" }],
      ...[{ content: "Looked at Bea." }, { content: "boat" }],
    ]);
  });

  it("whose rules fail again and again is stopped, and a word of the person lets it go on", async () => {
    const stubborn: Director = {
      name: "stubborn",
      direct: ({ message }) =>
        message
          ? { kind: "call", action: "look", parameters: { at: message.content } }
          : { kind: "end", text: "" },
    };
    const { agent } = directed(WORD, { director: stubborn });
    const world = await createWorldInMemory({ "1": QUIET, "2": agent });
    await world.say("1", "Broken");
    await world.idle();
    expect(world.agent("2").standing).toMatchObject({ state: "parked" });
    expect(world.agent("2").standing.reason).toContain("look was called 5 times with the same result");
    await world.legion.agents.get("2")!.resume();
    await world.idle();
    expect(await world.kinds("2", "result")).toHaveLength(10);
  });

  it("that is stopped in the middle of a model call asks again when something more is said to it (A5)", async () => {
    const { model, agent } = directed((_, index) =>
      index === 0
        ? new Promise<never>(() => undefined)
        : { calls: [{ action: "word", parameters: { word: "x" } }] },
    );
    const world = await createWorldInMemory({ "1": QUIET, "2": agent });
    await world.say("1", "Ada");
    await world.until(
      (seen) => seen.kind === "event" && seen.agent === "2" && seen.event.kind === "prompted",
    );
    await world.legion.control.say(["2"], "", "abort");
    await world.idle();
    expect(model.requests).toHaveLength(1);
    await world.say("2", "Go on.");
    await world.idle();
    expect(courseOf(await world.events("2")).slice(-3)).toEqual(["asked", "model: word", "rules: Done."]);
  });

  it("is asked in text where its model calls no tools", async () => {
    const { model, agent } = directed(() => "word\nword: boat", { protocol: "text" });
    const world = await createWorldInMemory({ "1": QUIET, "2": agent });
    await world.say("1", "Ada");
    await world.idle();
    expect(model.requests[0]!.tools).toEqual([]);
    expect(model.requests[0]!.system).toMatch(/^One word for Ada, please\.\n\n[^]*word/);
    expect(model.requests[0]!.system).not.toContain("look");
    expect((await world.kinds("2", "result")).at(-1)).toMatchObject({ outcome: "ok", content: "boat" });
  });

  it("leaves in its log what its model was shown", async () => {
    const { model, agent } = directed();
    const world = await createWorld({ "1": QUIET, "2": agent }, { clock: createHandClock() });
    await world.say("1", "Ada");
    await world.idle();
    const [{ seq } = { seq: 0 }] = await world.kinds("2", "prompted");
    const { system, tools, turns, pinned } = await promptAt(createFileReader(world.project), "2", seq);
    const [asked] = model.requests;
    expect({ system, tools, turns, pinned }).toEqual({
      ...{ system: asked!.system, tools: asked!.tools, turns: [], pinned: "Say it." },
    });
  });
});

// What becomes of a message where the scribe's model does not do what it is asked to.

import { describe, expect, it } from "vitest";
import { contextPrompt, entryPrompt } from "../../../../modules/memory/prompts/compose.ts";
import { rulesWith } from "../../../../modules/memory/prompts/rules.ts";
import type { Script, ScriptedAnswer, ScriptedOptions } from "../../../../src/model/scripted/scripted.ts";
import { createMemoryBackend } from "../../../../src/storage/memory/backend.ts";
import { createHandClock } from "../../../hand-clock.ts";
import { createWorldInMemory } from "../../../world.ts";
import { courseOf, QUIET } from "../../../observed.ts";
import { contextsOf, entriesOf, MEMORY, scribeOf, scripted } from "./listening.ts";

const add = (parameters: Readonly<Record<string, unknown>>): ScriptedAnswer => ({
  calls: [{ action: "add_entry", parameters }],
});
const put = (content: string): ScriptedAnswer => ({
  calls: [{ action: "put_context", parameters: { content } }],
});
const NOT_TAKEN = "YOUR LAST ANSWER WAS NOT TAKEN:";

async function listening(script: Script, profile?: ScriptedOptions) {
  const backend = createMemoryBackend();
  const clock = createHandClock();
  const model = scripted(script, profile);
  const world = await createWorldInMemory({ "1": QUIET, scribe: scribeOf(model) }, { backend, clock });
  return {
    ...{ backend, model, world },
    async say(...words: readonly string[]) {
      for (const word of words) await world.say("1", word);
      await world.idle();
    },
    async silence() {
      clock.advance(30 * 60_000);
      await world.idle();
    },
    course: async () => courseOf(await world.events("scribe")).slice(4),
  };
}

describe("a scribe whose model", () => {
  it("calls nothing, or another tool, is told so; the message is entered once", async () => {
    const { say, course, model, backend } = await listening([
      "What shall I do?",
      put("# Facts\nNothing."),
      add({ summary: "The person said hello." }),
    ]);
    await say("Hello");
    expect(await course()).toEqual([
      "process_message 0,1 1: Hello",
      ...["asked", "model: What shall I do?", "error: Call add_entry, once, and nothing else."],
      ...["asked", "model:", "error: Call add_entry, once, and nothing else."],
      ...["asked", "model: add_entry", "rules: Message processed."],
    ]);
    expect(model.requests[0]!.system).not.toContain(NOT_TAKEN);
    expect(model.requests[1]!.system).toContain(`${NOT_TAKEN}\nCall add_entry, once, and nothing else.`);
    expect(await entriesOf(backend)).toMatchObject([{ raw: "Hello", summary: "The person said hello." }]);
    expect(await contextsOf(backend)).toEqual([]);
  });

  it("calls the tool twice at once enters the message once", async () => {
    const twice = [{ action: "add_entry", parameters: { summary: "One" } }];
    const { say, backend } = await listening([{ calls: [...twice, ...twice] }]);
    await say("Hello");
    expect(await entriesOf(backend)).toMatchObject([{ raw: "Hello", summary: "One" }]);
  });

  it("fails three times is done without, and blocks no message behind", async () => {
    const long = "The boat is called Ada. ".repeat(40);
    const { say, course, backend } = await listening((_, index) =>
      index < 3 ? "No." : add({ summary: "Done." }),
    );
    await say(long, "And then?");
    expect((await course()).filter((line) => /^(?:rules|model)/.test(line))).toEqual([
      ...["model: No.", "model: No.", "model: No.", "rules: add_entry", "rules: Message processed."],
      ...["model: add_entry", "rules: Message processed."],
    ]);
    const [first, second] = await entriesOf(backend);
    expect(first).toMatchObject({ raw: long, summarised: "rules" });
    expect(first!.summary).toMatch(/^The boat is called Ada\. .*\.$/);
    expect(first!.summary.length).toBeLessThanOrEqual(512);
    expect(second).toMatchObject({ raw: "And then?", summary: "Done.", summarised: "model" });
  });

  it("is asked of a long message what has room in its window, and the message is kept whole", async () => {
    const long = `${"boat ".repeat(50_000)}end`;
    const { say, model, backend } = await listening([add({ summary: "Boats." })], { window: 8_000 });
    await say(long);
    expect(model.requests[0]!.system.length).toBeLessThan(8_000 * 3);
    expect(await entriesOf(backend)).toMatchObject([{ raw: long, summary: "Boats." }]);
  });

  it.each([
    { code: "CONTEXT_OVERFLOW" as const, message: "It is too long." },
    { code: "MODEL_REFUSED" as const, message: "It is against the rules.", refused: { status: 400 } },
  ])("does not take what it is asked, $code, is done without for this message alone", async (error) => {
    const { say, backend, world } = await listening(({ system }) =>
      system.includes("Content:\n> Bad") ? { error } : add({ summary: "S" }),
    );
    await say("Bad", "Good");
    expect(await entriesOf(backend)).toMatchObject([
      { raw: "Bad", summary: "Bad", summarised: "rules" },
      { raw: "Good", summary: "S", summarised: "model" },
    ]);
    expect(world.agent("scribe").standing.state).toBe("idle");
  });

  it("is refused to whoever asks stops, and asks the same again when a person has seen to that", async () => {
    const error = { code: "MODEL_REFUSED" as const, message: "Check the key.", refused: { status: 401 } };
    const { say, backend, world } = await listening((_, index) =>
      index === 0 ? { error } : add({ summary: "S" }),
    );
    await say("Hello");
    expect(world.agent("scribe").standing).toMatchObject({ state: "parked", reason: "Check the key." });
    await world.legion.agents.get("scribe")!.resume();
    await world.idle();
    expect(await entriesOf(backend)).toMatchObject([{ raw: "Hello", summarised: "model" }]);
  });

  it("writes too long a summary is told once; then it is cut, and the log says so", async () => {
    const long = "x".repeat(600);
    const { say, model, backend, world } = await listening([add({ summary: long }), add({ summary: long })]);
    await say("Hello");
    expect(model.requests).toHaveLength(2);
    expect(model.requests[1]!.system).toContain(`${NOT_TAKEN}\nThe summary has 600 characters; at most 512`);
    const [entry] = await entriesOf(backend);
    expect(entry!.summary).toBe(`${"x".repeat(510)} …`);
    expect((await world.kinds("scribe", "result")).at(-1)!.details).toEqual({ differs: { summary: long } });
  });

  it("says something else than what was said changes nothing of that, and the log says what it said", async () => {
    const tags = { topic: "boats", role: "assistant", speaker: "7", many: ["a"], "": "x" };
    const { say, backend, world } = await listening([add({ summary: "S", raw_entry: "Goodbye", tags })]);
    await say("Hello");
    expect(await entriesOf(backend)).toMatchObject([
      { raw: "Hello", role: "user", speaker: "0", tags: { topic: "boats", many: '["a"]' } },
    ]);
    expect((await world.kinds("scribe", "result")).at(-1)!.details).toEqual({
      differs: { raw_entry: "Goodbye", role: "assistant" },
    });
  });

  it("writes too long a context is told once; then it is cut at a heading", async () => {
    const long = `# Facts\n${"a".repeat(4_000)}\n\n# Notes\n${"b".repeat(2_000)}`;
    const { say, silence, model, backend } = await listening([add({ summary: "S" }), put(long), put(long)]);
    await say("Hello");
    await silence();
    expect(model.requests[2]!.system).toContain(
      `${NOT_TAKEN}\nThe context has ${long.length} characters; at most 5000 are kept.`,
    );
    expect(await contextsOf(backend)).toEqual([{ content: `# Facts\n${"a".repeat(4_000)}`, upTo: 2 }]);
  });

  it("writes no texts is never asked: summaries and context are pieces of what was said", async () => {
    const { say, silence, model, backend, course } = await listening([], { summarises: false });
    await say("My boat is called Ada.", "She is red.");
    await silence();
    await say("She leaks.");
    await silence();
    expect(model.requests).toEqual([]);
    expect((await course()).some((line) => line === "asked")).toBe(false);
    expect(await entriesOf(backend)).toMatchObject([
      { summary: "My boat is called Ada.", summarised: "rules" },
      { summary: "She is red.", summarised: "rules" },
      { summary: "She leaks.", summarised: "rules" },
    ]);
    const lines = (count: number): string =>
      ["My boat is called Ada.", "She is red.", "She leaks."]
        .slice(0, count)
        .map((text) => `- 2026-01-01 Control: ${text}`)
        .join("\n");
    expect(await contextsOf(backend)).toEqual([
      { content: `# Timeline\n${lines(2)}`, upTo: 3 },
      { content: `# Timeline\n${lines(3)}`, upTo: 6, base: 5 },
    ]);
  });

  it("has too small a window for all that was said gets it in parts, a shard of the context each", async () => {
    const said = ["a", "b", "c"].map((letter) => `${letter}${letter.repeat(7)} `.repeat(500));
    const { say, silence, model, backend } = await listening(
      ({ tools }, index) =>
        tools[0]!.name === "put_context" ? put(`# Facts\n${index}`) : add({ summary: "S" }),
      { window: 8_000 },
    );
    await say(...said);
    await silence();
    const puts = model.requests.filter(({ tools }) => tools[0]!.name === "put_context");
    expect(puts.map(({ system }) => /[abc]{8}/.exec(system)?.[0])).toEqual([
      "aaaaaaaa",
      "bbbbbbbb",
      "cccccccc",
    ]);
    expect(puts[1]!.system).toContain("Current context:\n> # Facts\n> 3");
    const contexts = await contextsOf(backend);
    expect(contexts.map(({ upTo }) => upTo)).toEqual([2, 3, 4]);
    expect(contexts.map(({ base }) => base)).toEqual([undefined, 6, 7]);
  });

  it("needs many parts for all that was said goes through all of them, also where its document stays the same", async () => {
    const said = ["a", "b", "c", "d", "e", "f"].map((letter) => `${letter.repeat(8)} `.repeat(500));
    const { say, backend, world } = await listening(
      ({ tools }) => (tools[0]!.name === "put_context" ? put("# Facts\nThe same.") : add({ summary: "S" })),
      { window: 8_000 },
    );
    await say(...said);
    expect((await contextsOf(backend)).map(({ upTo }) => upTo)).toEqual([2, 3, 4, 5, 6, 7]);
    expect(world.agent("scribe").standing.state).toBe("idle");
  });

  it("makes shards that do not count, for another one keeps the memory, makes no more of the same", async () => {
    const said = ["a", "b", "c"].map((letter) => `${letter.repeat(8)} `.repeat(500));
    const { say, silence, backend, world, model } = await listening(
      ({ tools }) => (tools[0]!.name === "put_context" ? put("# Facts\nMine.") : add({ summary: "S" })),
      { window: 8_000 },
    );
    await backend.memories.change(MEMORY, () => Promise.resolve([{ kind: "kept", by: "other" }]));
    await say(...said);
    await silence();
    expect(model.requests.filter(({ tools }) => tools[0]!.name === "put_context")).toHaveLength(1);
    expect(world.agent("scribe").standing.state).toBe("idle");
    expect(courseOf(await world.events("scribe")).at(-1)).toBe("rules: Session ended.");
  });

  it("has nothing to make a context of, for all was forgotten, is not asked", async () => {
    const { say, silence, model, backend, course } = await listening([add({ summary: "S" })]);
    await say("Hello");
    await backend.memories.change(MEMORY, () =>
      Promise.resolve([{ kind: "forgotten", seqs: [2], entries: 1, by: "0" }]),
    );
    await silence();
    expect(model.requests).toHaveLength(1);
    expect((await course()).slice(-3)).toEqual([
      "end_session 0,1",
      "rules: await_consistency",
      "rules: Session ended.",
    ]);
  });
});

describe("what the scribe's model is asked", () => {
  const history = { opening: [{ action: "get_context", content: "(no context yet)" }], messages: [] };

  it("is nothing where a session did not begin, there is no message, or nothing was ever said", () => {
    const question = { memory: MEMORY, history, message: undefined, maxChars: 1_000, maxMessage: 1_000 };
    const rules = rulesWith({});
    expect(() => entryPrompt(question, rules)).toThrow("No message to process.");
    expect(() => entryPrompt({ ...question, history: { ...history, opening: [] } }, rules)).toThrow(
      "No conversation history found: START_SESSION may have failed.",
    );
    expect(() => contextPrompt({ memory: MEMORY, context: "", entries: [] }, rules)).toThrow(
      "No conversation history to synthesize.",
    );
  });
});

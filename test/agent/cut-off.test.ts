import { describe, expect, it } from "vitest";
import { planRecovery } from "../../src/agent/recovery.ts";
import { LegionError } from "../../src/base/errors.ts";
import { converse, createConversation } from "../../src/past/conversation.ts";
import type { Event } from "../../src/domain/event/event.ts";
import { createAnthropicHistory } from "../../src/model/anthropic/history.ts";
import { createOpenAiHistory } from "../../src/model/openai/history.ts";
import { createScriptedModel, type ScriptedAnswer } from "../../src/model/scripted/scripted.ts";
import { describeDifference } from "../../src/legion/replay/difference.ts";
import type { Model } from "../../src/domain/model.ts";
import { replay } from "../legion/replay/replays.ts";
import { NOOP, story, textOf, work } from "../workshop.ts";
import { byHand, createWorld, createWorldInMemory, type World } from "../world.ts";

const REMARK = "(This answer was cut off here: it became too long.)";

function piece(text: string): ScriptedAnswer {
  return { text, stop: "length" };
}

/** What Control got. */
async function letters(world: World): Promise<string[]> {
  await world.idle();
  return (await world.kinds("0", "message")).map(({ message }) => message.content);
}

async function asked(script: readonly ScriptedAnswer[]): Promise<World> {
  const world = await createWorldInMemory({ 1: { script } });
  await world.say("1", "Tell me all.");
  return world;
}

describe("an answer that was cut off", () => {
  it("is gone on with, and sent as one message", async () => {
    const model = createScriptedModel([piece("One, t"), piece("wo, th"), "ree."]);
    const world = await createWorldInMemory({ 1: { model } });
    await world.say("1", "Count.");
    expect(await letters(world)).toEqual(["One, two, three."]);
    expect(await story(world)).toEqual([
      "message: Count.",
      "decision: 0 calls",
      expect.stringMatching(/^ok: Your answer was cut off .* Go on exactly where you stopped/),
      "decision: 0 calls",
      expect.stringMatching(/^ok: Your answer was cut off/),
      "decision: 0 calls",
    ]);
    expect(world.agent("1").memory.conversation).toMatchObject({ failures: 0, unparsed: 0, pieces: [] });
    // Both providers get turns that alternate, and nothing that looks like a call without its result.
    const { turns, system } = model.requests[2]!;
    const roles = ["user", "assistant", "user", "assistant", "user"];
    const shown = { turns, system: "", pinned: "" };
    const written = [createAnthropicHistory("x", "keep")(shown), createOpenAiHistory("alternate")(shown)];
    expect(system).not.toBe("");
    for (const json of written)
      expect((JSON.parse(json) as { role: string }[]).map(({ role }) => role)).toEqual(roles);
  });

  it("is sent after four pieces, and says that it was cut off", async () => {
    const world = await asked(["a", "b", "c", "d", "e"].map(piece));
    expect(await letters(world)).toEqual([`abcd\n\n${REMARK}`]);
    expect(await world.kinds("1", "decision")).toHaveLength(4);
  });

  it("is whole where the model has nothing to add", async () => {
    expect(await letters(await asked([piece("All there is."), { text: "" }]))).toEqual(["All there is."]);
  });

  it("survives a completion that was used up by thinking", async () => {
    const world = await asked([piece("One, "), { text: "", thoughts: "Hm.", stop: "length" }, "two."]);
    expect(await letters(world)).toEqual(["One, two."]);
  });

  it("is given up where the model acts instead", async () => {
    expect(await letters(await asked([piece("I will"), NOOP]))).toEqual([]);
    expect(await letters(await asked([piece("I will"), work("x"), "Done."]))).toEqual(["Done."]);
  });

  it("goes to whoever asked: other mail waits for its end", async () => {
    const second = byHand<ScriptedAnswer>();
    const model = createScriptedModel(
      (_, index) => [piece("For y"), second.promise, "For you, too.", NOOP][index] ?? NOOP,
    );
    const world = await createWorldInMemory({
      1: { model },
      2: {
        script: [
          { calls: [{ action: "sendMessage", parameters: { targetAgentId: "1", message: "Psst." } }] },
          NOOP,
        ],
      },
    });
    await world.say("1", "Who am I?");
    await expect.poll(() => model.requests.length).toBe(2);
    await world.say("2", "Whisper.");
    await world.until((seen) => seen.kind === "event" && seen.agent === "2" && seen.event.kind === "sent");
    second.resolve("ou.");
    await world.idle();
    expect(await letters(world)).toEqual(["For you."]);
    expect((await world.kinds("2", "message")).map(({ message }) => message.content)).toEqual([
      "Whisper.",
      "For you, too.",
    ]);
  });

  it("is dropped by an abort", async () => {
    const model = createScriptedModel((_, index) =>
      index === 0 ? piece("Half") : index === 1 ? new Promise(() => undefined) : "New.",
    );
    const world = await createWorldInMemory({ 1: { model } });
    await world.say("1", "Go.");
    await expect.poll(() => model.requests.length).toBe(2);
    await world.legion.control.say(["1"], "Stop.", "abort");
    await world.idle();
    await world.say("1", "Again.");
    expect(await letters(world)).toEqual(["New."]);
  });

  it.each([
    ["is sent whole where its end comes first", "wo.", ["One, two.", "New."]],
    ["is dropped where it is cut off again", piece("wo, th"), ["New."]],
  ] satisfies [string, ScriptedAnswer, string[]][])(
    "%s, and a steer is read after that",
    async (_, second, then) => {
      const [thinking, answered] = [byHand(), byHand<ScriptedAnswer>()];
      const model = createScriptedModel((_, index) => {
        if (index === 1) thinking.resolve();
        return [piece("One, t"), answered.promise, "New."][index]!;
      });
      const world = await createWorld({ 1: { model } });
      await world.say("1", "Count.");
      await thinking.promise;
      await world.legion.control.say(["1"], "No, something else.", "steer");
      answered.resolve(second);
      expect(await letters(world)).toEqual(then);
      expect((await world.kinds("1", "decision")).at(-1)!.sends).toMatchObject([{ re: "0>1#2" }]);
      await world.stop();
      const { difference } = await replay(world.project, "1", {});
      expect(difference && describeDifference(difference)).toBe(undefined);
    },
  );

  it("is not gone on with where nobody would get it", async () => {
    const ask = { calls: [{ action: "sendMessage", parameters: { targetAgentId: "2", message: "Hello?" } }] };
    const model = createScriptedModel((request, index) => {
      if (index === 0) return ask;
      return textOf(request).includes("MESSAGE FROM AGENT 2") ? piece("Thanks") : NOOP;
    });
    const world = await createWorldInMemory({ 1: { model }, 2: { script: ["Hello."] } });
    await world.say("1", "Greet 2.");
    expect(await letters(world)).toEqual([]);
    expect((await world.kinds("1", "decision")).filter(({ stop }) => stop === "length")).toHaveLength(1);
    expect((await world.kinds("1", "result")).at(-1)).toMatchObject({ call: null, outcome: "idle" });
  });

  it("is handed over as it is where no further call fits", async () => {
    const world = await createWorldInMemory({
      1: { script: [piece("As far as it g")], limits: { steps: 1 } },
    });
    await world.say("1", "Go.");
    const [answer, report] = await letters(world);
    expect(answer).toBe(`As far as it g\n\n${REMARK}`);
    expect(report).toMatch(/^I was stopped: this agent may make 1 model call/);
  });

  it("is whole also where a person had to help in the middle", async () => {
    const refuse = new LegionError("MODEL_REFUSED", "The key is wrong.");
    let isHelped = false;
    const model = createScriptedModel((_, index) => {
      if (index === 0) return piece("One, ");
      if (!isHelped) throw refuse;
      return "two.";
    });
    const world = await createWorldInMemory({ 1: { model } });
    await world.say("1", "Count.");
    await world.idle();
    expect(world.agent("1").standing.state).toBe("parked");
    isHelped = true;
    await world.legion.agents.get("1")!.resume();
    expect((await letters(world)).at(-1)).toBe("One, two.");
  });

  it("is gone on with after a crash, and a replay is identical", async () => {
    const thinking = byHand();
    const model = createScriptedModel((_, index) => {
      if (index === 0) return piece("One, ");
      thinking.resolve();
      return new Promise(() => undefined);
    });
    const world = await createWorld({ 1: { model } });
    await world.say("1", "Count.");
    await thinking.promise;
    world.legion.interrupt();
    const again = await world.restart({ 1: { script: ["two."] } });
    expect(await letters(again)).toEqual(["One, two."]);
    await again.stop();
    const { difference } = await replay(again.project, "1", {});
    expect(difference && describeDifference(difference)).toBe(undefined);
  });

  it.each([1, 2, 3, 4])("gets its result also after a crash before that, after %i pieces (A6)", (count) => {
    const conversation = createConversation();
    const stamp = { seq: 1, epoch: 1, at: new Date(0).toISOString() };
    const usage = { input: 1, output: 1 };
    const decision: Event = {
      ...{ ...stamp, kind: "decision", text: "Half", calls: [], protocol: "tools" },
      ...{ model: "scripted", usage, stop: "length" },
    } as Event;
    const message = {
      ...{ id: "0>1#1", type: "agentToAgent", source: { type: "agent", id: "0" }, targetAgentIds: ["1"] },
      ...{ content: "Go.", sentAt: stamp.at, delivery: "normal", root: "0>1#1", hops: 0 },
    };
    converse(conversation, { ...stamp, kind: "message", message, mail: 1, from: "log" } as Event);
    for (let n = 1; n < count; n++) {
      converse(conversation, decision);
      converse(conversation, { ...stamp, kind: "result", call: null, outcome: "ok", content: "" });
    }
    converse(conversation, decision);
    const outcome = count < 4 ? "ok" : "idle";
    expect(planRecovery(conversation, () => "once")).toMatchObject([
      { kind: "record", result: { call: null, outcome } },
    ]);
  });
});

describe("calls of a response that was cut off", () => {
  /** Calls `writeNote` with each of these texts as arguments; the last one is where it was cut off. */
  function cutAt(...texts: readonly string[]): Model {
    const model = createScriptedModel([NOOP]);
    let isFirst = true;
    return {
      ...model,
      complete(request, run) {
        if (!isFirst) return model.complete(request, run);
        isFirst = false;
        const calls = texts.map((text, n) => ({ id: `c${n}`, name: "writeNote", arguments: text }));
        return Promise.resolve({ text: "", calls, usage: { input: 1, output: 1 }, stop: "length" });
      },
    };
  }

  it.each([
    [
      "in the middle of a value",
      '{"title":"b","content":"hal',
      ' What there is of its parameters: `{"title":"b',
    ],
    ["where all but the bracket is there", '{"title":"b","content":"half"', " What there is"],
    ["before any parameter", "", " Write less"],
  ])("run where they are whole, and half a one is an error: %s", async (_, half, said) => {
    const whole = '{"title":"a","content":"whole"}';
    const world = await createWorldInMemory({ 1: { model: cutAt(whole, half) } });
    await world.say("1", "Go.");
    await world.idle();
    const [first, second] = await world.kinds("1", "result");
    expect(first).toMatchObject({ outcome: "ok", state: [["notes", "a", "whole"]] });
    expect(second).toMatchObject({ outcome: "error" });
    expect(second!.content).toContain(
      `Your response was cut off in the middle of \`writeNote\`, so that was not called.${said}`,
    );
    expect(await world.kinds("1", "decision")).toMatchObject([{ stop: "length" }, { stop: "calls" }]);
  });
});

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { LegionError } from "../../../src/base/errors.ts";
import type { Delta } from "../../../src/domain/model.ts";
import { loadScript } from "../../../src/model/scripted/script-file.ts";
import { createScriptedModel } from "../../../src/model/scripted/scripted.ts";
import { ASK, NO_ABORT, failureOf } from "../provider-contract.ts";

const RUN = { signal: NO_ABORT };
const TOOLS = { ...ASK, tools: [{ name: "noop", description: "Wait", parameters: {} }] };

describe("scripted", () => {
  it("answers in order, and remembers what it was asked", async () => {
    const model = createScriptedModel(["one", { text: "two" }]);
    expect(await model.complete(ASK, RUN)).toMatchObject({ text: "one", calls: [], stop: "end" });
    expect(await model.complete({ ...ASK, pinned: "x" }, RUN)).toMatchObject({ text: "two" });
    expect(model.requests).toEqual([ASK, { ...ASK, pinned: "x" }]);
  });

  it("makes calls, with an id for each", async () => {
    const model = createScriptedModel([
      {
        thoughts: "hm",
        text: "Now.",
        calls: [{ action: "addGoal", parameters: { goal: "x" } }, { action: "noop" }],
      },
    ]);
    const deltas: Delta[] = [];
    const completion = await model.complete(TOOLS, {
      signal: NO_ABORT,
      onDelta: (delta) => deltas.push(delta),
    });
    expect(completion).toMatchObject({
      text: "Now.",
      thoughts: "hm",
      calls: [
        { name: "addGoal", arguments: '{"goal":"x"}' },
        { name: "noop", arguments: "{}" },
      ],
      stop: "calls",
    });
    expect(new Set(completion.calls.map(({ id }) => id)).size).toBe(2);
    expect(deltas).toEqual([
      { kind: "thoughts", text: "hm" },
      { kind: "text", text: "Now." },
      { kind: "call", id: completion.calls[0]!.id, name: "addGoal" },
      { kind: "call", id: completion.calls[1]!.id, name: "noop" },
    ]);
  });

  it("says so when calls are scripted for an agent that writes its actions as text", async () => {
    const model = createScriptedModel([{ calls: [{ action: "noop" }] }]);
    expect((await failureOf(model.complete(ASK, RUN))).code).toBe("CONFIG");
  });

  it("answers from a function of the request and its number", async () => {
    const model = createScriptedModel(async (request, index) => `${index}: ${request.turns.length}`);
    expect((await model.complete(ASK, RUN)).text).toBe("0: 1");
    expect((await model.complete(ASK, RUN)).text).toBe("1: 1");
  });

  it("has nothing more to do when its list is used up", async () => {
    const model = createScriptedModel([]);
    expect(await model.complete(ASK, RUN)).toMatchObject({ text: "noop", calls: [] });
    expect(await model.complete(TOOLS, RUN)).toMatchObject({
      text: "",
      calls: [{ name: "noop" }],
      stop: "calls",
    });
    const without = { ...ASK, tools: [{ name: "addGoal", description: "", parameters: {} }] };
    expect(await model.complete(without, RUN)).toMatchObject({ text: "", calls: [], stop: "end" });
  });

  it("throws what it is told to", async () => {
    const error = new LegionError("MODEL_REFUSED", "no");
    const model = createScriptedModel([
      { error },
      { error: { code: "MODEL_BUSY", message: "later", retryAfterMs: 7 } },
    ]);
    await expect(model.complete(ASK, RUN)).rejects.toBe(error);
    expect(await failureOf(model.complete(ASK, RUN))).toMatchObject({
      code: "MODEL_BUSY",
      message: "later",
      retryAfterMs: 7,
    });
  });

  it("costs nothing, and counts unless told what to count", async () => {
    const model = createScriptedModel(["12345678", { text: "x", usage: { input: 1, output: 2 } }], {
      window: 500,
    });
    expect(model).toMatchObject({
      name: "scripted",
      provider: "scripted",
      profile: { window: 500, price: { input: 0 } },
    });
    const { usage } = await model.complete({ ...ASK, system: "1234", turns: [], pinned: "56789012" }, RUN);
    expect(usage).toEqual({ input: 3, output: 2 });
    expect((await model.complete(ASK, RUN)).usage).toEqual({ input: 1, output: 2 });
  });

  it("remembers the newest thousand requests only", async () => {
    const model = createScriptedModel(() => "x");
    for (let n = 0; n < 1_001; n++) await model.complete({ ...ASK, maxOutput: n }, RUN);
    expect(model.requests).toHaveLength(1_000);
    expect(model.requests[0]!.maxOutput).toBe(1);
  });

  it("rejects with the reason of an abort, also while its answer is being made", async () => {
    const caller = new AbortController();
    const answer = createScriptedModel(() => new Promise(() => {})).complete(ASK, { signal: caller.signal });
    caller.abort("stop");
    await expect(answer).rejects.toBe("stop");
    await expect(createScriptedModel(["x"]).complete(ASK, { signal: caller.signal })).rejects.toBe("stop");
  });
});

describe("a script in a file", () => {
  let dir: string;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), "script-"));
  });
  afterEach(() => rm(dir, { recursive: true }));
  const load = async (content: string) => {
    const path = join(dir, "script.yaml");
    await writeFile(path, content);
    return loadScript(path);
  };

  it("is a list of answers in YAML", async () => {
    const script = await load(
      "- noop\n- text: |\n    addGoal\n    goal: x\n- calls: [{ action: noop }]\n  stop: calls\n",
    );
    expect(script).toEqual([
      "noop",
      { text: "addGoal\ngoal: x\n" },
      { calls: [{ action: "noop" }], stop: "calls" },
    ]);
  });

  it("is a list of answers in JSON", async () => {
    expect(await load('["a", {"error": {"code": "MODEL_BUSY"}}]')).toEqual([
      "a",
      { error: { code: "MODEL_BUSY" } },
    ]);
  });

  it.each([
    ["text: x", "a script is a list of answers"],
    ["- ok\n- 7", "answer 2"],
    ["- txt: x", "txt"],
    ["- calls: [noop]", "answer 1: calls: 0"],
    ["- error: { code: DAMAGED }", "answer 1: error: code"],
    ["- [", "script.yaml"],
    ["", "a script is a list of answers"],
    ["- &a [x]\n".padEnd(10) + "- *b", "script.yaml"],
  ])("names what is wrong with %j", async (content, said) => {
    const error = await failureOf(load(content));
    expect(error.code).toBe("CONFIG");
    expect(error.message).toContain(said);
    expect(error.message).not.toContain("\n");
  });

  it("has to be there", async () => {
    const error = await failureOf(loadScript(join(dir, "none.yaml")));
    const way = "name a list of answers in YAML or JSON";
    expect(error).toMatchObject({
      code: "CONFIG",
      message: `${join(dir, "none.yaml")}: there is no such file; ${way}`,
    });
    expect((await failureOf(loadScript(dir))).message).toBe(`${dir}: it is a folder; ${way}`);
  });

  it("has a length that can be read", async () => {
    const { message } = await failureOf(load(`- ${"x".repeat(10_485_760)}`));
    expect(message).toBe(`${join(dir, "script.yaml")}: longer than 10485760 bytes`);
  });
});

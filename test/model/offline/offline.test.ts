import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Completion, Model, ModelRequest, ToolSpec, Turn } from "../../../src/domain/model.ts";
import { createOfflineModel } from "../../../src/model/offline/offline.ts";
import { asked, createTeam, idsTo } from "./offline-world.ts";

const ACTIONS = [
  "noop",
  "addGoal",
  "completeGoal",
  "writeNote",
  "sendMessage",
  "queryAgentRegistry",
  "readFile",
  "writeFile",
  "listDirectory",
  "outline",
];
const TOOLS: readonly ToolSpec[] = ACTIONS.map((name) => ({ name, description: "", parameters: {} }));

function request(turns: readonly Turn[], more: Partial<ModelRequest> = {}): ModelRequest {
  return {
    system: "You are Agent 1 (agent id 1).",
    tools: TOOLS,
    turns,
    pinned: "",
    maxOutput: 1_000,
    ...more,
  };
}

function mail(from: string, text: string): Turn {
  return { role: "user", text: `--- MESSAGE FROM ${from} ---\n\n${text}` };
}

function complete(asked: ModelRequest, model: Model = createOfflineModel()): Promise<Completion> {
  return model.complete(asked, { signal: new AbortController().signal });
}

describe("the offline model", () => {
  it("is free, calls tools and does not summarise", () => {
    const { name, provider, profile } = createOfflineModel();
    expect({ name, provider }).toEqual({ name: "offline", provider: "offline" });
    expect(profile).toMatchObject({
      window: 200_000,
      price: { input: 0, output: 0 },
      tools: true,
      summarises: false,
    });
  });

  it("streams what it answers and estimates what it used", async () => {
    const deltas: unknown[] = [];
    const completion = await createOfflineModel().complete(request([mail("CONTROL", "list src\nread a")]), {
      signal: new AbortController().signal,
      onDelta: (delta) => deltas.push(delta),
    });
    expect(completion).toEqual({
      text: "Doing what Control asked for.",
      calls: [
        { id: "call-1", name: "listDirectory", arguments: '{"path":"src"}' },
        { id: "call-2", name: "readFile", arguments: '{"path":"a"}' },
      ],
      usage: { input: expect.any(Number) as unknown, output: expect.any(Number) as unknown },
      stop: "calls",
    });
    expect(completion.usage.input).toBeGreaterThan(10);
    expect(deltas).toEqual([
      { kind: "text", text: "Doing what Control asked for." },
      { kind: "call", id: "call-1", name: "listDirectory" },
      { kind: "call", id: "call-2", name: "readFile" },
    ]);
  });

  it("gives the same answer to the same request, also in another process's objects", async () => {
    const asked = request([mail("CONTROL", "survey ."), mail("AGENT 2", "goal x then list")]);
    const copy = JSON.parse(JSON.stringify(asked)) as ModelRequest;
    const model = createOfflineModel();
    expect(await complete(asked, model)).toEqual(await complete(copy));
    expect(await complete(asked, model)).toEqual(await complete(asked, model));
  });

  it("stops when it is told to", async () => {
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(createOfflineModel().complete(request([]), { signal })).rejects.toThrow("enough");
  });

  it("waits where there is nothing to do", async () => {
    for (const turns of [
      [],
      [{ role: "user", text: "This is your regular heartbeat." }],
    ] satisfies Turn[][]) {
      expect((await complete(request(turns))).calls.map(({ name }) => name)).toEqual(["noop"]);
    }
  });

  it("answers whoever wrote last with a plain answer, everybody else with a message", async () => {
    const alone = await complete(request([mail("CONTROL", "hm")]));
    expect(alone.calls).toEqual([]);
    expect(alone.stop).toBe("end");
    const overtaken = await complete(request([mail("CONTROL", "hm"), mail("AGENT 2", "Hello.")]));
    expect(overtaken.calls.map(({ name }) => name)).toEqual(["sendMessage"]);
    expect(overtaken.text).toBe("");
    expect(JSON.parse(overtaken.calls[0]!.arguments)).toMatchObject({ targetAgentId: "0" });
  });

  it("does what came last beside answering what came before", async () => {
    const calls = [{ id: "call-1", action: "listDirectory", parameters: { path: "." } }];
    const results = [{ call: "call-1", content: "a.txt", isError: false }];
    const done: Turn[] = [
      mail("CONTROL", "list"),
      { role: "assistant", text: "", calls },
      { role: "results", results },
      mail("AGENT 2", "goal x"),
    ];
    const both = await complete(request(done));
    expect(both.text).toBe("Doing what Agent 2 asked for.");
    expect(both.calls.map((call) => [call.name, JSON.parse(call.arguments) as unknown])).toEqual([
      ["addGoal", { goal: "x" }],
      ["sendMessage", { targetAgentId: "0", message: "> list\na.txt" }],
    ]);
    const ids = both.calls.map(({ id, name }) => ({ id, action: name, parameters: {} }));
    const after = await complete(
      request([
        ...done,
        { role: "assistant", text: "", calls: ids },
        {
          role: "results",
          results: ids.map(({ id }) => ({ call: id, content: `of ${id}`, isError: false })),
        },
      ]),
    );
    expect(after).toMatchObject({ text: "> goal x\nof call-1", calls: [] });
  });

  it("takes up what an abort or a crash left", async () => {
    const calls = [{ id: "call-1", action: "listDirectory", parameters: { path: "." } }];
    const results = [{ call: "call-1", content: "Stopped by Control.", isError: false }];
    const { text } = await complete(
      request([
        mail("CONTROL", "list"),
        { role: "assistant", text: "", calls },
        { role: "results", results },
      ]),
    );
    expect(text).toBe("> list\nStopped by Control.");
    const { text: open } = await complete(
      request([mail("CONTROL", "list"), { role: "assistant", text: "", calls }]),
    );
    expect(open).toBe("> list\nThat failed: no reason was given.");
  });

  it("says in the text protocol that it needs another one, once", async () => {
    const world = await createTeam(idsTo(1), {}, { extra: { protocol: "text" } });
    for (const text of ["list .", "survey ."]) {
      expect(await asked(world, "1", text)).toEqual([expect.stringContaining("needs the protocol `tools`")]);
    }
  });

  it("reads goals also where they are pinned at the top", async () => {
    const goal = "For Control: survey .";
    const system = `You are Agent 1 (agent id 1).\n\n--- GOALS ---\n\nYour goals:\n3) "${goal}" [PENDING]`;
    const { calls } = await complete(
      request([{ role: "user", text: "Several events are omitted here." }], { system }),
    );
    expect(calls.map(({ name }) => name)).toEqual([
      "completeGoal",
      "addGoal",
      "listDirectory",
      "queryAgentRegistry",
    ]);
    expect(calls[0]!.arguments).toBe('{"goalNumber":3}');
    expect(calls[1]!.arguments).toBe('{"goal":"For Control, again: survey ."}');
  });

  it("always answers with calls of its tools or a text, whatever the history", async () => {
    const text = fc.oneof(
      fc.string(),
      fc.constantFrom("survey .", "list\nread x then done 1", "hm", "help", "survey a then survey b"),
      fc.constant(
        'You have a share in the survey of "." (key 0123abcd, report in 99 bytes).\n- a/\n- ../b\n- c',
      ),
      fc.constant('Report on the survey of "." (key 0123abcd): 9 files.\n- c: 1 line'),
      fc.constant('The survey of "." is done: 1 file.'),
    );
    const call = fc.record({
      id: fc.constantFrom("call-1", "call-2"),
      action: fc.constantFrom(...ACTIONS, "toString"),
      parameters: fc.oneof(
        fc.record({ path: fc.constantFrom(".", "a", "c", "x") }),
        text,
        fc.constant(null),
        fc.record({ targetAgentId: fc.constant("2"), message: text }),
      ),
    });
    const content = fc.oneof(
      text,
      fc.constant("Here are the contents of .:\na [directory]\nc [file]\n[9 more are not shown.]"),
      fc.constant("Outline of a: 2 files.\nIn x/:\n- c: 1 line\n[1 more file; go on with offset 2.]"),
    );
    const result = fc.record({ call: fc.constantFrom("call-1", "call-2"), content, isError: fc.boolean() });
    const turn: fc.Arbitrary<Turn> = fc.oneof(
      fc.record({ role: fc.constant("user" as const), text }),
      fc.tuple(fc.constantFrom("CONTROL", "AGENT 2", "WRITER"), text).map(([from, said]) => mail(from, said)),
      fc.record({ role: fc.constant("assistant" as const), text, calls: fc.array(call, { maxLength: 3 }) }),
      fc.record({ role: fc.constant("results" as const), results: fc.array(result, { maxLength: 3 }) }),
    );
    const goal = fc
      .oneof(text, fc.constantFrom("For Control: survey .", "For Control, again: survey ."))
      .map((line) => `1) "${line}" [PENDING]`);
    await fc.assert(
      fc.asyncProperty(fc.array(turn, { maxLength: 12 }), goal, async (turns, pinned) => {
        const { text: answer, calls, stop } = await complete(request(turns, { pinned }));
        expect(calls.length > 0 || answer.trim() !== "").toBe(true);
        expect(stop).toBe(calls.length > 0 ? "calls" : "end");
        for (const { name, arguments: json } of calls) {
          expect(ACTIONS).toContain(name);
          expect(typeof JSON.parse(json)).toBe("object");
        }
      }),
      { numRuns: 500 },
    );
  });
});

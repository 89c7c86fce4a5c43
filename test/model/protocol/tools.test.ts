import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Completion, RawCall } from "../../../src/domain/model.ts";
import type { ShownDecision } from "../../../src/model/protocol/protocol.ts";
import { textProtocol } from "../../../src/model/protocol/text.ts";
import { toolsProtocol } from "../../../src/model/protocol/tools.ts";
import { ACTIONS, completionOf } from "./actions.ts";

function parse(rest: Partial<Completion>) {
  return toolsProtocol.parse(completionOf("", rest), ACTIONS);
}

function callsOf(rest: Partial<Completion>) {
  const parsed = parse(rest);
  if (parsed.kind !== "calls") throw new Error(parsed.reason);
  return parsed.calls;
}

function raw(args: string, id = "t1"): RawCall {
  return { id, name: "addGoal", arguments: args };
}

function parametersOf(args: string, stop: Completion["stop"] = "calls"): unknown {
  return callsOf({ calls: [raw(args)], stop })[0]!.parameters;
}

function decision(rest: Partial<ShownDecision>): ShownDecision {
  return { text: "", calls: [], model: "m", protocol: "tools", ...rest };
}

describe("native calls", () => {
  it("keeps several calls of one decision in order, with their ids", () => {
    const calls = [raw('{"goal":"a"}', "t1"), { id: "t2", name: "launchRocket", arguments: "{}" }];
    expect(callsOf({ text: "Two things.", calls })).toEqual([
      { id: "t1", action: "addGoal", parameters: { goal: "a" } },
      { id: "t2", action: "launchRocket", parameters: {} },
    ]);
  });

  it("tells calls apart whose ids are missing or repeated", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom("", "t1", "n1", "n2", "n3", "c1")), (ids) => {
        const calls = callsOf({ text: "x", calls: ids.map((id) => raw("{}", id)) });
        expect(new Set(calls.map(({ id }) => id)).size).toBe(ids.length);
        expect(calls.every(({ id }) => id !== "")).toBe(true);
      }),
    );
  });

  it.each([
    ["nothing at all", "", {}],
    ["a trailing comma", '{"goal": "a", "tags": ["x", "y", ], }', { goal: "a", tags: ["x", "y"] }],
    ["raw line breaks and tabs in strings", '{"goal": "a\n\tb,\n}"}', { goal: "a\n\tb,\n}" }],
    ["a missing brace", '{"goal": "a"', { goal: "a" }],
    ["missing brackets", '{"tags": [{"x": 1', { tags: [{ x: 1 }] }],
    ["a missing quote", '{"goal": "a b', { goal: "a b" }],
    ["a code fence", '```json\n{"goal": "a"}\n```', { goal: "a" }],
    ["JSON as a JSON string", JSON.stringify('{"goal": "a"}'), { goal: "a" }],
  ])("repairs %s", (_, args, parameters) => {
    expect(parametersOf(args)).toEqual(parameters);
  });

  it.each([
    ["a string whose end could be anywhere", '{"goal": "a}'],
    ["an escape without its character", '{"goal": "a\\'],
    ["a key without its value", '{"goal": "a", "priority":'],
    ["brackets that do not match", '{"goal": ["a"}'],
    ["two commas", '{"goal": "a",, "priority": 1}'],
    ["two values", "{} {}"],
    ["numbers in pieces", '{"priority": 1 2}'],
    ["a sentence", "the goal is a"],
    ["a sentence as a JSON string", '"the goal is a"'],
    ["an escape that JSON does not have", '{"goal": "C:\\dir"}'],
  ])("hands on %s as it is", (_, args) => {
    expect(parametersOf(args)).toBe(args);
  });

  it.each(["", '{"goal": "a', '{"goal": "a"', '{"tags": ["a",'])(
    "adds nothing to arguments that were cut off: %j",
    (args) => {
      expect(parametersOf(args, "length")).toBe(args);
      expect(parametersOf(args, "refused")).toBe(args);
    },
  );

  it("takes a call that was complete before the model was cut off", () => {
    expect(parametersOf('{"goal": "a",}', "length")).toEqual({ goal: "a" });
  });

  it("never yields what is too deep to be written to a log", () => {
    const deep = `{"goal":${"[".repeat(200_000)}${"]".repeat(200_000)}}`;
    expect(parametersOf(deep)).toBe(deep);
    expect(parametersOf(deep.slice(0, 100_000))).toBe(deep.slice(0, 100_000));
    const deepish = `{"goal":${"[".repeat(100)}${"]".repeat(100)}}`;
    expect(parametersOf(deepish)).toBe(deepish);
  });

  it("reads all JSON, and never throws on anything else", () => {
    const json = fc.jsonValue({ maxDepth: 5 }).filter((value) => typeof value !== "string");
    fc.assert(
      fc.property(json, (value) => {
        expect(parametersOf(JSON.stringify(value, null, 2))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
    const pieces = fc.constantFrom(...'{|}|[|]|"|,|:|\\|\n|1|true|null| |a|```'.split("|"));
    fc.assert(
      fc.property(
        fc.array(pieces).map((all) => all.join("")),
        (text) => {
          expect(JSON.stringify(parametersOf(text))).toBeTypeOf("string");
        },
      ),
      { numRuns: 2_000 },
    );
  });

  // Quadratic work on texts of this size would take hours.
  it.each(["{", ",", "\n", '"', '\\"', '{"a":"\n', "[1,", "```"])(
    "is repaired in linear time: %j",
    (piece) => {
      const text = `{"a": ${piece.repeat(200_000 / piece.length)}`;
      expect(() => parametersOf(text)).not.toThrow();
    },
  );
});

describe("text without calls", () => {
  it.each([
    "The survey is done: 12 files.",
    "Okay",
    "addGoal means to add a goal.",
    "I would write\n\n```\nnoop\n```",
    "addGoal\nwish: x",
    "addGoal\ngoal: x\nand more",
    "launchRocket",
    "Note: this is no action",
  ])("is a plain answer: %j", (text) => {
    expect(parse({ text })).toEqual({ kind: "calls", calls: [] });
  });

  it.each([
    ["noop", { action: "noop", parameters: {} }],
    ["addGoal\ngoal: x", { action: "addGoal", parameters: { goal: "x" } }],
    ["```\naction: addGoal\nthoughts: t\ngoal: x\n```", { action: "addGoal", parameters: { goal: "x" } }],
    ["runCommand\ncommand: ls", { action: "runCommand", parameters: { command: "ls" } }],
  ])("is a call where the whole of it is an action: %j", (text, call) => {
    expect(callsOf({ text })).toEqual([{ id: "c1", ...call }]);
  });

  it.each(["length", "refused"] as const)("is no call where it was cut off: %s", (stop) => {
    expect(callsOf({ text: "executeCommand\ncommand: rm -r build", stop })).toEqual([]);
  });

  it("is a mistake where it is empty", () => {
    expect(parse({ text: " \n" })).toMatchObject({
      kind: "unparsed",
      reason: expect.stringContaining("empty"),
    });
  });

  it.each([
    ["length", "used up before it held anything"],
    ["refused", "refused by the provider"],
  ] as const)("says why it is empty: %s", (stop, why) => {
    expect(parse({ text: "", stop })).toMatchObject({
      kind: "unparsed",
      reason: expect.stringContaining(why),
    });
  });

  it("is the answer where a refusal has words", () => {
    expect(callsOf({ text: "I cannot help with that.", stop: "refused" })).toEqual([]);
  });
});

describe("rendering", () => {
  const calls = [{ id: "t1", action: "addGoal", parameters: { goal: "x" } }];

  it("shows a decision with its calls, and to its provider what that must see again", () => {
    const provider = { signature: "s" };
    expect(toolsProtocol.decision(decision({ text: "One goal.", calls, provider }))).toEqual({
      role: "assistant",
      text: "One goal.",
      calls,
      model: "m",
      provider,
    });
  });

  it("shows an action that was written as text as a native call", () => {
    const text = "addGoal\ngoal: x";
    const parsed = textProtocol.parse(completionOf(text), ACTIONS);
    const written = parsed.kind === "calls" ? parsed.calls : [];
    const turn = toolsProtocol.decision(decision({ text, calls: written, protocol: "text", provider: {} }));
    expect(turn).toEqual({ role: "assistant", text: "", calls: written });
  });

  it("shows a plain answer as it is", () => {
    expect(toolsProtocol.decision(decision({ text: "Done." }))).toMatchObject({ text: "Done.", calls: [] });
  });

  it("shows results as results of their calls", () => {
    const results = [
      { call: "t1", content: "Goal added.", isError: false },
      { call: "t2", content: "No.", isError: true },
    ];
    expect(toolsProtocol.results(results)).toEqual({ role: "results", results });
  });

  it("says in words why a completion could not be read", () => {
    expect(toolsProtocol.results([{ call: null, content: "It was empty.", isError: true }])).toEqual({
      role: "user",
      text: "--- ERROR ---\n\nIt was empty.",
    });
  });

  it("hands every action to the provider as a tool", () => {
    expect(toolsProtocol.tools(ACTIONS)[2]).toEqual({
      name: "addGoal",
      description: "Add a goal",
      parameters: {
        type: "object",
        properties: {
          goal: { type: "string", description: "What is to be achieved" },
          priority: { type: "number" },
        },
        required: ["goal"],
        additionalProperties: false,
      },
    });
  });

  it("instructs without naming a place in the prompt", () => {
    expect(toolsProtocol.instructions(ACTIONS)).toContain("`noop`");
    expect(toolsProtocol.instructions(ACTIONS)).not.toMatch(/\babove\b|\bbelow\b/i);
  });
});

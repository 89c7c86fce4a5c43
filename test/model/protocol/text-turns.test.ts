import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Parsed, ShownDecision } from "../../../src/model/protocol/protocol.ts";
import { MULTILINE_DELIMITER as D } from "../../../src/model/protocol/text-syntax.ts";
import { textProtocol } from "../../../src/model/protocol/text.ts";
import { ACTIONS, completionOf } from "./actions.ts";

function parse(text: string): Parsed {
  return textProtocol.parse(completionOf(text), ACTIONS);
}

function shown(rest: Partial<ShownDecision>): string {
  const turn = textProtocol.decision({ text: "", calls: [], model: "m", protocol: "text", ...rest });
  expect(turn).toMatchObject({ role: "assistant", calls: [] });
  return turn.role === "assistant" ? turn.text : "";
}

describe("rendering", () => {
  it("shows a decision as it was written", () => {
    const text = "Sure!\n\naction: addGoal\ngoal:   x";
    const calls = [{ id: "c1", action: "addGoal", parameters: { goal: "x" } }];
    expect(parse(text)).toEqual({ kind: "calls", calls });
    expect(shown({ text, calls })).toBe(text);
    const prose = "I cannot do that.";
    expect(shown({ text: prose })).toBe(prose);
  });

  it("writes native calls in the text format, with what was said as thoughts", () => {
    const calls = [
      { id: "a", action: "writeNote", parameters: { title: "T", content: "one\ntwo" } },
      { id: "b", action: "noop", parameters: {} },
      { id: "c", action: "addGoal", parameters: '{"goal": ' },
    ];
    expect(shown({ text: "Two things.", calls, protocol: "tools" })).toBe(`writeNote
thoughts: Two things.
title: T
content: ${D}
one
two
${D}

noop

addGoal
parameters: ${D}
{"goal": 
${D}`);
  });

  it("shows a noop that nobody wrote", () => {
    const calls = [{ id: "c1", action: "noop", parameters: {} }];
    expect(shown({ calls })).toBe("noop");
  });

  it("reads every decision that it writes", () => {
    const awkward = fc.constantFrom(D, ...'\n~\r\n~|~>-~"~"a"~: ~```~ ~a~\\~\u2028'.split("~"));
    const value = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.array(awkward).map((all) => all.join("")),
    );
    const key = fc.oneof(
      fc.string({ maxLength: 20 }),
      fc.constantFrom("action", "name", "__proto__", "é", ""),
    );
    const parameters = fc
      .array(fc.tuple(key, value))
      .map((entries) => Object.fromEntries(entries.filter(([name]) => name !== "thoughts")));
    fc.assert(
      fc.property(parameters, value, (parameters, thoughts) => {
        const calls = [{ id: "x", action: "addGoal", parameters }];
        expect(parse(shown({ text: thoughts, calls, protocol: "tools" }))).toEqual({
          kind: "calls",
          calls: [{ id: "c1", action: "addGoal", parameters }],
          ...(thoughts.trim() !== "" && { thoughts: thoughts.trim() }),
        });
      }),
      { numRuns: 2_000 },
    );
  });

  it("writes values that are no text as JSON", () => {
    const json = fc.jsonValue().filter((value) => typeof value !== "string");
    fc.assert(
      fc.property(json, (value) => {
        const calls = [{ id: "x", action: "addGoal", parameters: { goal: value } }];
        expect(parse(shown({ calls, protocol: "tools" }))).toEqual({
          kind: "calls",
          calls: [{ id: "c1", action: "addGoal", parameters: { goal: JSON.stringify(value) } }],
        });
      }),
    );
  });

  it("shows the results of a decision as one user turn, errors under a header", () => {
    const results = [
      { call: "a", content: "Goal added.", isError: false },
      { call: "b", content: "", isError: false },
      { call: "c", content: "No such file.", isError: true },
      { call: null, content: "Could not be read.", isError: true },
    ];
    expect(textProtocol.results(results)).toEqual({
      role: "user",
      text: "Goal added.\n\n--- ERROR ---\n\nNo such file.\n\n--- ERROR ---\n\nCould not be read.",
    });
  });
});

describe("instructions", () => {
  const text = textProtocol.instructions(ACTIONS);

  it("list every action and show the delimiter", () => {
    expect(text).toContain("\nnoop - Do nothing\nhelp - Show how to use an action\naddGoal - Add a goal\n");
    expect(text).toContain(D);
  });

  it("show a right example that the parser reads, about an action that the agent has", () => {
    const right = text.split("This is a right response:")[1]!.split("This is a wrong one")[0]!;
    expect(parse(right.trim())).toMatchObject({
      calls: [{ action: "help", parameters: { aboutAction: "addGoal" } }],
    });
  });

  it("never point to a place in the prompt", () => {
    expect(text).not.toMatch(/\babove\b|\bbelow\b/i);
  });

  it("come without native tools", () => {
    expect(textProtocol.tools(ACTIONS)).toEqual([]);
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { checkCall } from "../../../src/agent/act/check-call.ts";
import { indexActions } from "../../../src/agent/parts/module-set.ts";
import { textProtocol } from "../../../src/model/protocol/text.ts";
import { MULTILINE_DELIMITER } from "../../../src/model/protocol/text-syntax.ts";
import { defineAction, defineModule, ok, type Action } from "../../../src/domain/authoring/module.ts";

const ACTIONS: Readonly<Record<string, Action>> = {
  noop: defineAction({ description: "Do nothing", execute: () => ok("") }),
  completeGoal: defineAction({
    description: "Complete a goal",
    parameters: { goalNumber: z.number().int().min(1).describe("The number of the goal") },
    execute: () => ok(""),
  }),
  writeNote: defineAction({
    description: "Write a note",
    parameters: { title: z.string(), content: z.string() },
    execute: () => ok(""),
  }),
  executeCommand: defineAction({
    description: "Run a command",
    parameters: { command: z.string(), timeout: z.number().optional() },
    aliases: ["runCommand"],
    execute: () => ok(""),
  }),
  everything: defineAction({
    description: "Take everything",
    parameters: {
      text: z.string().optional(),
      number: z.number().optional(),
      flag: z.boolean().optional(),
      list: z.array(z.string()).optional(),
      object: z.object({ a: z.number() }).optional(),
      either: z.union([z.string(), z.number()]).optional(),
      measure: z.union([z.number(), z.boolean()]).optional(),
      nothing: z.number().nullable().optional(),
      anything: z.unknown().optional(),
      length: z
        .string()
        .default("four")
        .transform((text) => text.length),
    },
    execute: () => ok(""),
  }),
  think: defineAction({ description: "Think", parameters: { thoughts: z.string() }, execute: () => ok("") }),
  inspect: defineAction({
    description: "Inspect",
    parameters: { toString: z.string() },
    execute: () => ok(""),
  }),
  match: defineAction({
    description: "Match",
    parameters: { pattern: z.string().refine((pattern) => new RegExp(pattern).source !== "") },
    execute: () => ok(""),
  }),
};

const KNOWN = indexActions([defineModule({ name: "m", actions: ACTIONS })], textProtocol);

function check(action: string, parameters: unknown) {
  return checkCall({ id: "c1", action, parameters }, KNOWN);
}

function accepted(action: string, parameters: unknown): unknown {
  const checked = check(action, parameters);
  if (checked.kind === "refused") throw new Error(checked.reason);
  return checked.ready.parameters;
}

function reasonOf(action: string, parameters: unknown): string {
  const checked = check(action, parameters);
  if (checked.kind === "ready") throw new Error("accepted");
  return checked.reason;
}

describe("the name", () => {
  it.each([
    ["executeCommand", "executeCommand"],
    ["runCommand", "executeCommand"],
    ["RUNCOMMAND", "executeCommand"],
    ["executecommand", "executeCommand"],
  ])("of %s is %s", (name, own) => {
    expect(check(name, { command: "ls" })).toMatchObject({
      kind: "ready",
      ready: { name: own, action: ACTIONS[own], module: "m", parameters: { command: "ls" } },
    });
  });

  it("is refused with the nearest names if there is no such action", () => {
    expect(reasonOf("writeNotes", {})).toBe(
      "Unknown action `writeNotes`. Did you mean `writeNote`? Choose one from the list of your actions.",
    );
  });

  it("is refused with the list of actions if none has a name like that", () => {
    const names = [...KNOWN.actions.keys()].join(", ");
    expect(reasonOf("rocket", {})).toBe(`Unknown action \`rocket\`. These are your actions: ${names}.`);
  });

  it.each(["constructor", "__proto__", "toString", "", "x".repeat(100_000)])(
    "is no action: %.20s",
    (name) => {
      expect(reasonOf(name, {})).toMatch(/^Unknown action `.{0,80}`\. /);
    },
  );
});

describe("parameters that are refused", () => {
  const usage = KNOWN.actions.get("writeNote")!.spec.usage;

  it("are missing: all of them are named", () => {
    expect(reasonOf("writeNote", {})).toBe(
      `Missing required parameters: \`title\` and \`content\`.\n\n${usage}`,
    );
    expect(reasonOf("writeNote", { title: "T" })).toBe(
      `Missing required parameter: \`content\`.\n\n${usage}`,
    );
  });

  it("are not expected: each is named, with the one that was probably meant", () => {
    const reason = reasonOf("writeNote", { title: "T", contents: "c", rocket: 1 });
    expect(reason).toBe(`Missing required parameter: \`content\`.
Unexpected parameter: \`contents\`. Did you mean \`content\`?
Unexpected parameter: \`rocket\`.

${usage}`);
  });

  it("have the wrong type: what was given and what was expected is said", () => {
    const of = (goalNumber: unknown) => reasonOf("completeGoal", { goalNumber }).split("\n")[0];
    expect(of("first")).toBe('Wrong parameter `goalNumber` (given: `"first"`): expected number.');
    expect(of("1.5")).toBe("Wrong parameter `goalNumber` (given: `1.5`): expected int.");
    expect(of("0")).toBe("Wrong parameter `goalNumber` (given: `0`): Too small: expected number to be >=1.");
    expect(of(null)).toBe("Wrong parameter `goalNumber` (given: `null`): expected number.");
    expect(reasonOf("everything", { list: ["a", 2] })).toContain("Wrong parameter `list.1`");
    expect(reasonOf("everything", { measure: "wide" })).toContain("expected number or boolean.");
  });

  it.each([["text"], [["a"]], [7], [true]])("are no object: %j", (parameters) => {
    expect(reasonOf("writeNote", parameters)).toMatch(
      /could not be read as a JSON object: `.+`\..*\n\nUsage:/,
    );
  });

  it("could not be read from what was written as text: the mistake is named, and how to write it", () => {
    const reason = reasonOf("writeNote", "writeNote\ntitle: T\nand more");
    expect(reason)
      .toBe(`Your action \`writeNote\` could not be read: the line \`and more\` is no \`parameter: value\`. \
Write one action and nothing else, and put a value of more than one line between two delimiters \
(\`${MULTILINE_DELIMITER}\`), the second one on a line of its own.

${usage}`);
  });

  it("are missing, whatever they inherit", () => {
    expect(reasonOf("inspect", {})).toContain("Missing required parameter: `toString`.");
  });

  it("make the module's own check throw", () => {
    expect(reasonOf("match", { pattern: "(" })).toContain("Wrong parameters: Invalid regular expression");
  });

  it("bear names of the language itself", () => {
    const hostile: unknown = JSON.parse(
      '{"__proto__": {"title": "T"}, "constructor": 1, "title": "T", "content": "c"}',
    );
    const reason = reasonOf("writeNote", hostile);
    expect(reason).toContain("Unexpected parameter: `__proto__`.");
    expect(reason).toContain("Unexpected parameter: `constructor`.");
    expect(reasonOf("writeNote", JSON.parse('{"__proto__": {"title": "T", "content": "c"}}'))).toContain(
      "Missing",
    );
  });

  it("are shown briefly, however long and many they are", () => {
    const long = "x".repeat(100_000);
    expect(reasonOf("completeGoal", { goalNumber: long }).length).toBeLessThan(500);
    expect(reasonOf("completeGoal", long).length).toBeLessThan(500);
    const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`p${n}`, n]));
    expect(reasonOf("writeNote", many).length).toBeLessThan(1_000);
  });
});

describe("parameters that are accepted", () => {
  it.each([
    ["a number in text", { number: " 3.5 " }, { number: 3.5 }],
    ["a truth value in text", { flag: "True" }, { flag: true }],
    ["a list in text", { list: '["a", "b"]' }, { list: ["a", "b"] }],
    ["an object in text", { object: '{"a": 1}' }, { object: { a: 1 } }],
    ["null in text", { nothing: "null" }, { nothing: null }],
    ["a number for text", { text: 3 }, { text: "3" }],
    ["a truth value for text", { text: false }, { text: "false" }],
    ["text that looks like something else", { text: "[1]", either: "3" }, { text: "[1]", either: "3" }],
    ["a number where both would do", { either: 3 }, { either: 3 }],
    ["an optional one left empty", { number: "", list: null, text: null }, {}],
    ["empty text", { text: "" }, { text: "" }],
    ["anything", { anything: "3" }, { anything: "3" }],
    ["what the schema is still to transform", { length: "seven" }, { length: "seven" }],
    ["thoughts of the model", { thoughts: "hm", text: "x" }, { text: "x" }],
    ["nothing", undefined, {}],
    ["null", null, {}],
  ])("as %s", (_, given, expected) => {
    expect(accepted("everything", given)).toEqual(expected);
  });

  it("include thoughts where the action asks for them", () => {
    expect(accepted("think", { thoughts: "hm" })).toEqual({ thoughts: "hm" });
    expect(accepted("noop", { thoughts: "hm" })).toEqual({});
  });

  it("are read again from text as what they are", () => {
    const values = fc.record(
      {
        text: fc.string({ minLength: 1 }),
        number: fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => n + 0),
        flag: fc.boolean(),
        list: fc.array(fc.string()),
        object: fc.record({ a: fc.integer() }, { noNullPrototype: true }),
      },
      { requiredKeys: [], noNullPrototype: true },
    );
    fc.assert(
      fc.property(values, (given) => {
        const written = Object.entries(given).map(([name, value]) => [
          name,
          typeof value === "string" ? value : JSON.stringify(value),
        ]);
        expect(accepted("everything", Object.fromEntries(written))).toEqual(
          JSON.parse(JSON.stringify(given)),
        );
      }),
    );
  });
});

it("never throws and changes nothing, whatever the call is", () => {
  const names = fc.oneof(fc.string(), fc.constantFrom(...Object.keys(ACTIONS)));
  const keys = fc.constantFrom("text", "number", "list", "title", "__proto__", "pattern", "x");
  const parameters = fc.oneof(fc.jsonValue(), fc.dictionary(keys, fc.jsonValue(), { noNullPrototype: true }));
  fc.assert(
    fc.property(names, parameters, (name, given) => {
      const before = JSON.stringify(given);
      expect(["ready", "refused"]).toContain(check(name, given).kind);
      expect(JSON.stringify(given)).toBe(before);
    }),
    { numRuns: 1_000 },
  );
});

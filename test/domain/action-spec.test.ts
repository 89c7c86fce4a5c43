import { describe, expect, it } from "vitest";
import { z } from "zod";
import { findSpec, parametersOf, toActionSpec } from "../../src/domain/action-spec.ts";
import { isLegionError } from "../../src/base/errors.ts";
import { defineAction, ok } from "../../src/domain/authoring/module.ts";

function specOf(parameters: z.ZodRawShape, aliases: readonly string[] = []) {
  return toActionSpec(
    "act",
    defineAction({ description: "Act", parameters, aliases, execute: () => ok("") }),
  );
}

describe("toActionSpec", () => {
  it("shows how to write the action", () => {
    const { usage } = specOf({
      url: z.string().describe("URL of the page"),
      count: z.number().int().describe("How many\n  at most").optional(),
      order: z.enum(["up", "down"]).describe("Direction"),
      kind: z.literal("page"),
      files: z.array(z.string()).describe("Paths").default([]),
      flag: z.boolean(),
      size: z.union([z.string(), z.number()]),
      anything: z.unknown().optional(),
    });
    expect(usage).toBe(`Usage:
\`\`\`
act
thoughts: <reasoning behind this action> (optional)
url: <URL of the page>
count: <how many at most> (optional)
order: <direction: one of up, down>
kind: <string: one of page>
files: <paths, as JSON> (optional)
flag: <boolean>
size: <string or number>
anything: <any value> (optional)
\`\`\``);
  });

  it("describes what a caller may give as JSON Schema", () => {
    const { parameters } = specOf({
      page: z.number().int().min(1).default(1),
      name: z.string().describe("N"),
    });
    expect(parameters).toEqual({
      type: "object",
      properties: {
        page: { type: "integer", minimum: 1, default: 1 },
        name: { type: "string", description: "N" },
      },
      required: ["name"],
      additionalProperties: false,
    });
  });

  it("makes one spec for all agents that share an action, and one for each name", () => {
    const action = defineAction({ description: "Act", execute: () => ok("") });
    expect(toActionSpec("act", action)).toBe(toActionSpec("act", action));
    expect(toActionSpec("perform", action)).toMatchObject({
      name: "perform",
      usage: expect.stringContaining("\nperform\n"),
    });
  });

  it("refuses an action whose parameters no model can write", () => {
    try {
      specOf({ when: z.date() });
      expect.unreachable();
    } catch (error) {
      expect(isLegionError(error, "CONFIG")).toBe(true);
      expect(String(error)).toContain("Action act cannot be shown to a model: Date");
    }
  });
});

describe("parametersOf", () => {
  it("takes together the types of all alternatives", () => {
    const spec = specOf({
      a: z.union([z.number(), z.array(z.string())]),
      b: z.string().nullable(),
      c: z.union([z.string(), z.unknown()]),
    });
    expect(parametersOf(spec).map(({ types }) => [...types].sort())).toEqual([
      ["array", "number"],
      ["null", "string"],
      [],
    ]);
  });
});

describe("findSpec", () => {
  const named = (name: string, aliases: readonly string[] = []) => ({
    ...specOf({}),
    name,
    aliases,
  });
  const specs = [named("readFile", ["cat"]), named("cat2", ["CAT"]), named("Noop")];

  it("finds an action by its name, by an alias, and by another case where only one can be meant", () => {
    expect(findSpec("readFile", specs)).toBe(specs[0]);
    expect(findSpec("CAT", specs)).toBe(specs[1]);
    expect(findSpec("noop", specs)).toBe(specs[2]);
    expect(findSpec("Cat", specs)).toBeUndefined();
    expect(findSpec("constructor", specs)).toBeUndefined();
  });

  it("reads the list once, however long it is and however often something is looked up", () => {
    const many = Array.from({ length: 1_280 }, (_, n) => named(`tool${n}`, [`alias${n}`]));
    let reads = 0;
    const watched = new Proxy(many, {
      get: (list, key) => (reads++, Reflect.get(list, key) as unknown),
    });
    findSpec("tool0", watched);
    const once = reads;
    expect(findSpec("tool1279", watched)).toBe(many[1_279]);
    expect(findSpec("ALIAS7", watched)).toBe(many[7]);
    expect(findSpec("unknown", watched)).toBeUndefined();
    expect(reads).toBe(once);
  });
});

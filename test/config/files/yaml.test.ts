import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { isLegionError, messageOf } from "../../../src/base/errors.ts";
import { section } from "../../../src/config/files/settings.ts";
import { parseYaml } from "../../../src/config/files/yaml.ts";

const schema = section({
  model: z.string().optional(),
  tick: z.number("expected a number").optional(),
  limits: section({
    steps: z.int("expected a whole number").optional(),
    cost: z.number().optional(),
  }).optional(),
  agents: z
    .record(z.string().regex(/^[a-z]+$/, "expected a lower-case id"), section({ agent: z.string() }))
    .optional(),
  list: z.array(z.string()).optional(),
  web: z.record(z.string(), z.unknown()).optional(),
});

const read = (text: string, firstLine = 1) => parseYaml({ file: "x.yaml", text, firstLine }, schema);

async function refusal(text: string, firstLine?: number): Promise<string> {
  const error: unknown = await read(text, firstLine).catch((thrown: unknown) => thrown);
  expect(isLegionError(error, "CONFIG"), messageOf(error)).toBe(true);
  return messageOf(error);
}

describe("parseYaml", () => {
  it("reads what the schema takes", async () => {
    const text = "# all of it\nmodel: offline\nlimits: { steps: 3 }\nagents:\n  writer: { agent: poet }\n";
    expect(await read(text)).toEqual({
      model: "offline",
      limits: { steps: 3 },
      agents: { writer: { agent: "poet" } },
    });
  });

  it.each(["", "# nothing\n", "---\n", "model:\nlimits: ~\n", "\uFEFF# byte order mark\n", "\r\n"])(
    "takes %j for an empty map",
    async (text) => {
      expect(await read(text)).toEqual({});
    },
  );

  it("keeps keys that look like numbers, and words that YAML 1.1 took for booleans", async () => {
    expect(await read("web: { 1: off, 2: yes, on: 0o17 }")).toEqual({ web: { 1: "off", 2: "yes", on: 15 } });
  });

  it("follows anchors", async () => {
    expect(await read("agents:\n  a: &x { agent: poet }\n  b: *x\n")).toEqual({
      agents: { a: { agent: "poet" }, b: { agent: "poet" } },
    });
  });

  it.each([
    ["# c\nmodle: x", 'x.yaml:2: unknown key "modle"; did you mean "model"?'],
    [
      "tick: 1\nquorum: 3",
      'x.yaml:2: unknown key "quorum"; known keys: model, tick, limits, agents, list, web',
    ],
    ["limits:\n\n  stpes: 3", 'x.yaml:3: limits: unknown key "stpes"; did you mean "steps"?'],
    ["tick: fast", "x.yaml:1: tick: expected a number"],
    ["model: [1]", "x.yaml:1: model: expected string, received array"],
    ["model:\n  3", "x.yaml:1: model: expected string, received number"],
    ["limits:\n  cost: 1\n  steps: 1.5", "x.yaml:3: limits.steps: expected a whole number"],
    ["limits: 3", "x.yaml:1: limits: expected a map with the keys steps, cost"],
    ["agents:\n  w:\n    agnet: x", 'x.yaml:3: agents.w: unknown key "agnet"; did you mean "agent"?'],
    ["tick: 1\nagents:\n  w: {}", 'x.yaml:3: agents.w: "agent" is missing'],
    ["tick: 1\nagents:\n  w: { agent: }", 'x.yaml:3: agents.w: "agent" is missing'],
    ["agents:\n  w: { agent: x }\n  W: { agent: x }", "x.yaml:3: agents.W: expected a lower-case id"],
    ["list:\n  - a\n  - 3", "x.yaml:3: list.1: expected string, received number"],
    ["agents:\n  a: &x { agent: 3 }\n  b: *x", "x.yaml:2: agents.a.agent: expected string, received number"],
    ["- a\n- b", "x.yaml:1: expected a map with the keys model, tick, limits, agents, list, web"],
    ["just a text", "x.yaml:1: expected a map with the keys model, tick, limits, agents, list, web"],
    ["tick: 1\nmodel: a\ntick: 2", 'x.yaml:3: the key "tick" is here a second time'],
    ["web:\n  __proto__: { a: 1 }", 'x.yaml:2: "__proto__" cannot be a key'],
    [
      "constructor: 1",
      'x.yaml:1: unknown key "constructor"; known keys: model, tick, limits, agents, list, web',
    ],
  ])("says of %j what is wrong, on which line, and what would be right", async (text, message) => {
    expect(await refusal(text)).toBe(message);
  });

  it("names the first of several mistakes", async () => {
    expect(await refusal("lists: []\ntick: no\nmodel: 3")).toMatch(/^x\.yaml:1: unknown key "lists"/);
    expect(await refusal("model: 3\ntick: no\nlists: []")).toMatch(/^x\.yaml:1: model: /);
  });

  it("counts lines from where the text stands in its file", async () => {
    expect(await refusal("tick: 1\nmodle: x", 2)).toMatch(/^x\.yaml:3: unknown key/);
    expect(await refusal("tick: 1\r\nmodle: x", 2)).toMatch(/^x\.yaml:3: unknown key/);
  });

  it.each([
    ['model: "x', 1],
    ["tick: 1\nmodel: a: b", 2],
    ["tick: 1\n\tmodel: x", 2],
    ["tick: 1\nmodel: {{x}}", 2],
    ["tick: 1\n---\nmodel: x", 2],
    ["model: *nowhere", 1],
    ["web: &web { again: *web }", 1],
    ["[".repeat(20_000), 1],
    [
      "a: &a [x,x,x,x,x,x,x,x,x,x,x]\n" + "bcdefg".replace(/./g, (at, i: number) => alias(at, "abcdef"[i]!)),
      1,
    ],
  ])("refuses what is no YAML, or was made to exhaust its reader, in one line: %#", async (text, line) => {
    const message = await refusal(text);
    expect(message).toMatch(new RegExp(`^x\\.yaml:${line}: not valid YAML: .`));
    expect(message).not.toMatch(/[\n\p{Cc}]/u);
  });

  it("stays within one short line whatever the keys and values hold", async () => {
    const text = fc.string({ unit: "binary", maxLength: 200 });
    const hostile = fc.dictionary(text, fc.oneof(text, fc.array(text)), { minKeys: 1, maxKeys: 5 });
    await fc.assert(
      fc.asyncProperty(hostile, async (value) => {
        const message = await refusal(JSON.stringify({ ...value, unknownKey: 1 }));
        expect(message).not.toMatch(/[\n\p{Cc}]/u);
        expect(message.length).toBeLessThan(500);
      }),
    );
  });

  it("finds the first mistake of very many in time", async () => {
    const agents = Array.from({ length: 150_000 }, (_, n) => `  A${n}: { agent: x }`).join("\n");
    expect(await refusal(`agents:\n${agents}`)).toBe("x.yaml:2: agents.A0: expected a lower-case id");
  });

  it("reads a map of many keys in time", async () => {
    const keys = Array.from({ length: 150_000 }, (_, n) => `  k${n}: 1`).join("\n");
    const { web } = await read(`web:\n${keys}`);
    expect(Object.keys(web!)).toHaveLength(150_000);
  });
});

function alias(name: string, of: string): string {
  return `${name}: &${name} [${Array(11).fill(`*${of}`).join(",")}]\n`;
}

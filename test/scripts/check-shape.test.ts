import { execFileSync, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { house, problems } from "./small-house.ts";

const lines = (count: number, text = "// a line") => `${text}\n`.repeat(count);

describe("sizes", () => {
  it("allows 300 lines to a file, and 150 to the actor", () => {
    expect(problems({ "src/past/view.ts": lines(300), "src/agent/actor.ts": lines(150) })).toEqual([]);
    expect(
      problems({
        "src/past/view.ts": lines(301),
        "src/agent/actor.ts": lines(151),
        "test/a.test.ts": lines(301),
      }),
    ).toEqual([
      "src/agent/actor.ts:151: file has 151 lines, more than 150",
      "src/past/view.ts:301: file has 301 lines, more than 300",
      "test/a.test.ts:301: file has 301 lines, more than 300",
    ]);
  });

  it("allows 60 lines to a function, except in tests", () => {
    const long = `\nexport function f(): void {\n${lines(59)}}\n`;
    expect(problems({ "src/past/view.ts": `export const f = () => {\n${lines(58)}};\n` })).toEqual([]);
    expect(
      problems({
        "src/past/view.ts": long,
        "scripts/a.mjs": long.replace(": void", ""),
        "test/a.test.ts": long,
      }),
    ).toEqual([
      "scripts/a.mjs:2: function has 61 lines, more than 60",
      "src/past/view.ts:2: function has 61 lines, more than 60",
    ]);
  });
});

describe("signatures", () => {
  it.each([
    ["function f(a: 1, b: 2, c: 3, d: 4, e: 5) {}"],
    ["const f = (a: 1, b: 2, c: 3, d: 4, ...e: 5[]) => {};"],
    ["interface I { f(a: 1, b: 2, c: 3, d: 4, e: 5): void }"],
    ["type F = (a: 1, b: 2, c: 3, d: 4, e: 5) => void;"],
  ])("allows at most four parameters: %s", (text) => {
    expect(problems({ "src/past/view.ts": text })).toEqual([
      "src/past/view.ts:1: 5 parameters, more than 4: pass an object",
    ]);
  });

  it.each([
    ["function f(loud: boolean) {}"],
    ["const f = (loud?: boolean) => {};"],
    ["const f = async (loud: boolean | undefined) => {};"],
    ["const o = { f(loud = true) {} };"],
    ["interface I { f(loud: boolean): void }"],
    ["interface I { readonly f: (loud: boolean) => void }"],
    ["declare function f(loud: boolean): void;"],
    ["list.map(function (loud: boolean) {});"],
  ])("refuses a boolean parameter: %s", (text) => {
    expect(problems({ "src/past/view.ts": text })).toEqual([
      "src/past/view.ts:1: boolean parameter: use a union of words",
    ]);
  });

  it("leaves booleans alone that a caller cannot confuse", () => {
    const text = `
      interface Options { readonly loud: boolean }
      function f({ loud }: { loud: boolean }, test: (value: string) => boolean): boolean { return loud && test(""); }
      type Pair = Map<boolean, string>;
    `;
    expect(problems({ "src/past/view.ts": text })).toEqual([]);
  });
});

describe("constructs that we do without", () => {
  it.each([
    ["let x: any;", "`any`"],
    ["const f = (x: Map<string, any[]>) => x;", "`any`"],
    ["const x = y as unknown as string;", "cast of a cast"],
    ["class Store {}", "class: use plain data and functions"],
    ["const Store = class extends Base {};", "class: use plain data and functions"],
    ["export default function f() {}", "default export"],
    ["const f = 1; export { f as default };", "default export"],
    ['export { f } from "./fold.ts";', "re-export"],
    ['export * from "./fold.ts";', "re-export"],
    ['export type { T } from "./fold.ts";', "re-export"],
    ['import { f } from "./fold.ts"; export { f };', "re-export"],
    ["process.exit(1);", "process.exit: only src/cli/index.ts"],
    ["function f( {", "cannot be parsed"],
  ])("%s", (text, objection) => {
    expect(problems({ "src/past/view.ts": `\n\n${text}\n` })).toEqual([expect.stringContaining(objection)]);
    expect(problems({ "src/past/view.ts": `\n\n${text}\n` })[0]).toMatch(/^src\/past\/view\.ts:[34]: /);
  });

  it("allows error classes, words in comments and strings, and the exits and re-exports at their one place", () => {
    expect(
      problems({
        "src/base/errors.ts":
          'export class LegionError extends Error {}\n// any class\nexport const text = "as any";',
        "src/index.ts": 'export { LegionError } from "./base/errors.ts";',
        "src/cli/index.ts": "process.exit(0);",
      }),
    ).toEqual([]);
  });

  it("counts lines right after characters outside of the basic plane", () => {
    expect(problems({ "src/past/view.ts": "// 😀 é 漢\n// 😀\nlet x: any;" })).toEqual([
      expect.stringMatching(/^src\/past\/view\.ts:3: /),
    ]);
  });
});

describe("names", () => {
  it.each([
    ["src/log-utils.ts", "utils"],
    ["src/common/log.ts", "common"],
    ["modules/helper.ts", "helper"],
    ["test/helpers/log.ts", "helpers"],
  ])("refuses the file name %s", (path, word) => {
    expect(problems({ [path]: "" })).toEqual([expect.stringContaining(`"${word}" in the name`)]);
  });

  it.each([
    ["export function createHandler() {}", "Handler"],
    ["export interface AgentInfo {}", "Info"],
    ["const x = 1;\nexport { x as HTMLData };", "Data"],
    ["export const MISC_LIMIT = 1;", "MISC"],
  ])("refuses an exported name: %s", (text, word) => {
    expect(problems({ "src/past/view.ts": text })).toEqual([
      expect.stringContaining(`"${word}" in the name`),
    ]);
  });

  it("allows words that only contain a banned one, and names that stay inside of a file", () => {
    expect(problems({ "src/metadata.ts": "export const informed = 1;\nconst data = 2;" })).toEqual([]);
  });
});

describe("the name of a type", () => {
  it("means one thing in all of src/", () => {
    const files = {
      "src/past/view.ts": "export interface Shown {}\ntype Item = 1;",
      "src/past/fold.ts": "interface Shown {}",
      "modules/web.ts": "interface Shown {}",
      "test/a.test.ts": "type Item = 2;",
    };
    expect(problems(files)).toEqual([
      "src/past/view.ts:1: Shown is a type of src/past/fold.ts already: say what is different here",
    ]);
  });
});

describe("invariants", () => {
  const actor = "// The loop.\n//\n//   A1. One writer.\n//   A2. See A9 and A1.\n";
  const bus = "/**\n * What carries messages.\n *   B1. Nothing is lost.\n */\nexport interface Bus {}\n";

  it("have to be named in a test title", () => {
    expect(problems({ "src/agent/actor.ts": actor, "src/bus/bus.ts": bus })).toEqual([
      "src/agent/actor.ts:3: no test title names invariant A1",
      "src/agent/actor.ts:4: no test title names invariant A2",
      "src/bus/bus.ts:3: no test title names invariant B1",
    ]);
  });

  it("are found in titles of every form", () => {
    const test = [
      'it("has one writer (A1, A2)", () => {});',
      "export function testBus(name: string) { describe.each([1])(`${name} loses nothing (B1)`, () => {}); }",
    ];
    expect(
      problems({ "src/agent/actor.ts": actor, "src/bus/bus.ts": bus, "test/bus.ts": test.join("\n") }),
    ).toEqual([]);
  });

  it.each([
    ["a skipped test", 'it.skip("has one writer (A1)", () => {});'],
    ["a planned test", 'it.todo("has one writer (A1)");'],
    ["a comment", "// has one writer (A1)"],
    ["another tag", 'it("has one writer (A10)", () => {});'],
    ["another call", 'expect("A1");'],
  ])("are not kept by %s", (_, test) => {
    expect(problems({ "src/agent/actor.ts": "//   A1. One writer.\n", "test/a.test.ts": test })).toHaveLength(
      1,
    );
  });

  it("belong to one file", () => {
    const files = {
      "src/agent/actor.ts": "//   A1. x\n",
      "src/agent/think/ask.ts": "//   A1. y\n",
      "test/a.test.ts": 'it("A1", f);',
    };
    expect(problems(files)).toEqual([
      "src/agent/think/ask.ts:1: A1 is an invariant of src/agent/actor.ts already",
    ]);
  });
});

describe("check-shape, the command", () => {
  const script = fileURLToPath(new URL("../../scripts/check-shape.mjs", import.meta.url));

  it("prints problems by file and line, and fails", () => {
    const root = house({
      "src/b.ts": "let x: any;",
      "src/a.ts": "\nlet x: any;\nlet y: any;",
      "test/fixtures/a.ts": "let x: any;",
    });
    const { stdout, status } = spawnSync(process.execPath, [script, root], { encoding: "utf8" });
    expect(stdout.split("\n").map((line) => line.split(" ")[0])).toEqual([
      "src/a.ts:2:",
      "src/a.ts:3:",
      "src/b.ts:1:",
      "",
    ]);
    expect(status).toBe(1);
  });

  it("says nothing about a house in order", () => {
    const root = house({ "src/a.ts": "export const a = 1;\n" });
    expect(execFileSync(process.execPath, [script, root], { encoding: "utf8" })).toBe("");
  });
});

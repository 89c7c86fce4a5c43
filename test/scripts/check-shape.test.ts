import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { checkShape } from "../../scripts/shape/shape.mjs";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function house(files: Record<string, string>): string {
  const root = mkdtempSync(join(tmpdir(), "shape-"));
  folders.push(root);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

function problems(files: Record<string, string>): string[] {
  return checkShape(house(files)).map(({ path, line, text }) => `${path}:${line}: ${text}`);
}

const lines = (count: number, text = "// a line") => `${text}\n`.repeat(count);

describe("sizes", () => {
  it("allows 300 lines to a file, and 150 to the actor", () => {
    expect(problems({ "src/view.ts": lines(300), "src/actor.ts": lines(150) })).toEqual([]);
    expect(
      problems({ "src/view.ts": lines(301), "src/actor.ts": lines(151), "test/a.test.ts": lines(301) }),
    ).toEqual([
      "src/actor.ts:151: file has 151 lines, more than 150",
      "src/view.ts:301: file has 301 lines, more than 300",
      "test/a.test.ts:301: file has 301 lines, more than 300",
    ]);
  });

  it("allows 60 lines to a function, except in tests", () => {
    const long = `\nexport function f(): void {\n${lines(59)}}\n`;
    expect(problems({ "src/view.ts": `export const f = () => {\n${lines(58)}};\n` })).toEqual([]);
    expect(
      problems({ "src/view.ts": long, "scripts/a.mjs": long.replace(": void", ""), "test/a.test.ts": long }),
    ).toEqual([
      "scripts/a.mjs:2: function has 61 lines, more than 60",
      "src/view.ts:2: function has 61 lines, more than 60",
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
    expect(problems({ "src/view.ts": text })).toEqual([
      "src/view.ts:1: 5 parameters, more than 4: pass an object",
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
    expect(problems({ "src/view.ts": text })).toEqual([
      "src/view.ts:1: boolean parameter: use a union of words",
    ]);
  });

  it("leaves booleans alone that a caller cannot confuse", () => {
    const text = `
      interface Options { readonly loud: boolean }
      function f({ loud }: { loud: boolean }, test: (value: string) => boolean): boolean { return loud && test(""); }
      type Pair = Map<boolean, string>;
    `;
    expect(problems({ "src/view.ts": text })).toEqual([]);
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
    ['export { f } from "./message.ts";', "re-export"],
    ['export * from "./message.ts";', "re-export"],
    ['export type { T } from "./message.ts";', "re-export"],
    ['import { f } from "./message.ts"; export { f };', "re-export"],
    ["process.exit(1);", "process.exit: only src/cli/index.ts"],
    ["function f( {", "cannot be parsed"],
  ])("%s", (text, objection) => {
    expect(problems({ "src/view.ts": `\n\n${text}\n` })).toEqual([expect.stringContaining(objection)]);
    expect(problems({ "src/view.ts": `\n\n${text}\n` })[0]).toMatch(/^src\/view\.ts:[34]: /);
  });

  it("allows error classes, words in comments and strings, and the exits and re-exports at their one place", () => {
    expect(
      problems({
        "src/errors.ts":
          'export class LegionError extends Error {}\n// any class\nexport const text = "as any";',
        "src/index.ts": 'export { LegionError } from "./errors.ts";',
        "src/cli/index.ts": "process.exit(0);",
      }),
    ).toEqual([]);
  });

  it("counts lines right after characters outside of the basic plane", () => {
    expect(problems({ "src/view.ts": "// 😀 é 漢\n// 😀\nlet x: any;" })).toEqual([
      expect.stringMatching(/^src\/view\.ts:3: /),
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
    expect(problems({ "src/view.ts": text })).toEqual([expect.stringContaining(`"${word}" in the name`)]);
  });

  it("allows words that only contain a banned one, and names that stay inside of a file", () => {
    expect(problems({ "src/metadata.ts": "export const informed = 1;\nconst data = 2;" })).toEqual([]);
  });
});

describe("imports", () => {
  const from = (path: string) => `import "${path}";`;

  it.each([
    ["src/cli/start.ts", "../legion.ts"],
    ["src/server/api.ts", "../legion.ts"],
    ["src/index.ts", "./legion.ts"],
    ["src/legion.ts", "./supervisor.ts"],
    ["src/supervisor.ts", "./actor.ts"],
    ["src/actor.ts", "./view.ts"],
    ["src/ask.ts", "./prompt.ts"],
    ["src/ask.ts", "./model/registry.ts"],
    ["src/module-set.ts", "../modules/core.ts"],
    ["src/log/file-log.ts", "./event-log.ts"],
    ["src/bus/memory-bus.ts", "../log/lock.ts"],
    ["src/log/event-log.ts", "../event.ts"],
    ["modules/web.ts", "../src/module.ts"],
    ["modules/web.ts", "./web/page.ts"],
    ["modules/web/page.ts", "../../src/module.ts"],
    ["modules/web.ts", "zod"],
    ["test/actor.test.ts", "../src/actor.ts"],
  ])("%s may import %s", (path, specifier) => {
    expect(problems({ [path]: from(specifier) })).toEqual([]);
  });

  it.each([
    ["src/legion.ts", "./cli/start.ts", "the legion may not know surfaces"],
    ["src/cli/start.ts", "../index.ts", "surfaces may not know the library surface"],
    ["src/supervisor.ts", "./legion.ts", "the supervisor may not know the legion"],
    ["src/actor.ts", "./supervisor.ts", "the actor may not know the supervisor"],
    ["src/view.ts", "./actor.ts", "stages may not know the actor"],
    ["src/log/file-log.ts", "../view.ts", "implementations of a contract may not know stages"],
    ["src/log/event-log.ts", "./file-log.ts", "contracts may not know implementations"],
    ["src/module.ts", "../modules/core.ts", "contracts may not know modules"],
    ["src/view.ts", "../scripts/repo.mjs", "outside of src/ and modules/"],
    [
      "modules/web.ts",
      "../src/message.ts",
      "a module imports only src/module.ts, src/network.ts and libraries",
    ],
    ["modules/web.ts", "./webcam.ts", "a module imports only src/module.ts, src/network.ts and libraries"],
    [
      "modules/web/page.ts",
      "../notes.ts",
      "a module imports only src/module.ts, src/network.ts and libraries",
    ],
  ])("%s may not import %s", (path, specifier, objection) => {
    const objections = [expect.stringContaining(objection)];
    expect(problems({ [path]: from(specifier) })).toEqual(objections);
    expect(problems({ [path]: `import type { T } from "${specifier}";` })).toEqual(objections);
    expect(problems({ [path]: `const later = () => import("${specifier}");` })).toEqual(objections);
    expect(problems({ [path]: `type T = import("${specifier}").T;` })).toEqual(objections);
  });

  it("keep libraries out of what every command loads", () => {
    const files = {
      "src/cli/index.ts":
        'import { f } from "../view.ts";\nimport "node:fs";\nconst g = () => import("./start.ts");',
      "src/cli/start.ts": 'import "commander";',
      "src/view.ts": 'import type { z } from "zod";\nimport { type Pino } from "pino";',
    };
    expect(problems(files)).toEqual(["src/view.ts:2: pino is loaded by every command: use await import()"]);
  });
});

describe("invariants", () => {
  const actor = "// The loop.\n//\n//   A1. One writer.\n//   A2. See A9 and A1.\n";
  const bus = "/**\n * What carries messages.\n *   B1. Nothing is lost.\n */\nexport interface Bus {}\n";

  it("have to be named in a test title", () => {
    expect(problems({ "src/actor.ts": actor, "src/bus/bus.ts": bus })).toEqual([
      "src/actor.ts:3: no test title names invariant A1",
      "src/actor.ts:4: no test title names invariant A2",
      "src/bus/bus.ts:3: no test title names invariant B1",
    ]);
  });

  it("are found in titles of every form", () => {
    const test = [
      'it("has one writer (A1, A2)", () => {});',
      "export function testBus(name: string) { describe.each([1])(`${name} loses nothing (B1)`, () => {}); }",
    ];
    expect(
      problems({ "src/actor.ts": actor, "src/bus/bus.ts": bus, "test/bus.ts": test.join("\n") }),
    ).toEqual([]);
  });

  it.each([
    ["a skipped test", 'it.skip("has one writer (A1)", () => {});'],
    ["a planned test", 'it.todo("has one writer (A1)");'],
    ["a comment", "// has one writer (A1)"],
    ["another tag", 'it("has one writer (A10)", () => {});'],
    ["another call", 'expect("A1");'],
  ])("are not kept by %s", (_, test) => {
    expect(problems({ "src/actor.ts": "//   A1. One writer.\n", "test/a.test.ts": test })).toHaveLength(1);
  });

  it("belong to one file", () => {
    const files = {
      "src/actor.ts": "//   A1. x\n",
      "src/ask.ts": "//   A1. y\n",
      "test/a.test.ts": 'it("A1", f);',
    };
    expect(problems(files)).toEqual(["src/ask.ts:1: A1 is an invariant of src/actor.ts already"]);
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

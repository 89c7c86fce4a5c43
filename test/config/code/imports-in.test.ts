import { describe, expect, it } from "vitest";
import { importsIn } from "../../../src/config/code/imports-in.ts";

describe("what a text loads", () => {
  it.each([
    [`import "./a.js"`],
    [`import"./a.js"`],
    [`import a from './a.js'`],
    [`import { a,\n  b as c } from "./a.js" with { type: "json" }`],
    [`import type { A } from "./a.js"`],
    [`export * from\n\n"./a.js";`],
    [`export{a}from"./a.js"`],
    [`import /* from "x */ a /**/ from // what?\n "./a.js"`],
    [`const a = await import("./a.js")`],
    [`const a = await import ( /* lazily */ './a.js' , { with: {} })`],
    ["import(`./a.js`)"],
    [`[...import("./a.js")]`],
    [`import.defer("./a.js")`],
    [`const a = require("./a.js")`],
    [`module . require( "./a.js" )`],
    [`module.require("./a.js")`],
    [`require.main.require("./a.js")`],
    [`require?.("./a.js")`],
    [`require.resolve("./a.js")`],
    [`if (a) /re"gex/.test(a); import "./a.js"`],
    ["const a = `${`\\``}`; import './a.js'"],
    [`// import "./a.js"`],
  ])("is found in %j", (text) => {
    expect(importsIn(text)).toEqual({ specifiers: ["./a.js"], untold: [] });
  });

  it.each([
    [`import(name)`, "import(...)"],
    ["import(`./${name}.js`)", "import(...)"],
    [`import("./" + name)`, "import(...)"],
    [`import("./\\x61.js")`, "import(...)"],
    [`import "./\\u0061.js"`, "import(...)"],
    [`import(`, "import(...)"],
    [`require(name)`, "require(...)"],
    [`import { createRequire } from "node:module"`, "node:module"],
    [`import vm from "vm"`, "vm"],
    [`new Worker(new URL("./a.js", import.meta.url))`, "new Worker"],
    [`eval (text)`, "eval"],
    [`Function (text)()`, "Function"],
    [`import { fork } from "node:child_process"; fork("./a.js")`, "fork"],
    [`import cluster from "node:cluster"`, "node:cluster"],
    [`new Function("a", text)`, "new Function"],
    [`process.getBuiltinModule("module")`, "getBuiltinModule"],
  ])("cannot be told from %j", (text, untold) => {
    expect(importsIn(text).untold).toEqual([untold]);
  });

  it.each([
    [`Array.from("./a.js")`],
    [`important("./a.js")`],
    [`import.meta.url`],
    [`legion.import("./a.js")`],
    [`// what we require, and where it comes from`],
    [`import`],
    [`from "`],
    [`from "a\nb"`],
  ])("is not made up from %j", (text) => {
    expect(importsIn(text)).toEqual({ specifiers: [], untold: [] });
  });

  it("is looked for once, however often a text begins: this ends", () => {
    expect(importsIn("import/*".repeat(200_000)).untold).toEqual([]);
    expect(importsIn("import//".repeat(500_000)).untold).toEqual([]);
    expect(importsIn("import//a\n//b\n/**/ './a.js'").specifiers).toEqual(["./a.js"]);
    expect(importsIn(`import${" ".repeat(1_000_000)}"./a.js"`).specifiers).toEqual(["./a.js"]);
  });
});

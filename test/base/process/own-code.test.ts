import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { excerptAt, ownFrame } from "../../../src/base/process/own-code.ts";
import { needOfTypeScript } from "../../../src/base/process/typescript.ts";
import { packageDir } from "../../../src/base/package.ts";
import { createTempProject } from "../../temp-project.ts";

const at = (path: string, line: number): string => `    at go (${pathToFileURL(path).href}:${line}:7)`;

describe("the place of a mistake in a user's own code", () => {
  it("is the first frame of a stack that is not ours, a library's or Node's", () => {
    const error = new TypeError("boom");
    const stack = [
      "TypeError: boom",
      at("/project/node_modules/zod/index.js", 3),
      at(join(packageDir, "src/agent/act/perform.ts"), 4),
      "    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)",
      at("/elsewhere/secret.mjs", 5),
      "    at async Object.execute (/project/my modules/weather (1).mjs:12:9)",
      at("/project/later.mjs", 13),
    ];
    error.stack = stack.join("\n");
    expect(ownFrame(error, "/project")).toEqual({ path: "/project/later.mjs", line: 13 });
    error.stack = stack.filter((line) => !line.includes("later")).join("\n");
    expect(ownFrame(error, "/project")).toBeUndefined();
    expect(ownFrame("no error", "/project")).toBeUndefined();
  });

  it("is shown with the lines around it, and nothing in them reaches the terminal as a command", async () => {
    const project = await createTempProject({
      "a.mjs": `one\n\ttwo\nth\u001b[31mree ${"x".repeat(200)}\nfour\nfive\nsix\n`,
    });
    const path = join(project, "a.mjs");
    expect(await excerptAt({ path, line: 3 })).toBe(
      ["  1 | one", "  2 |   two", `> 3 | th?[31mree ${"x".repeat(89)}`, "  4 | four", "  5 | five"].join(
        "\n",
      ),
    );
    expect(await excerptAt({ path, line: 99 })).toBeUndefined();
    expect(await excerptAt({ path: join(project, "gone.mjs"), line: 1 })).toBeUndefined();
  });
});

describe("a module in TypeScript", () => {
  it.each([
    ["20.19.0", "TypeScript needs Node 22.18 or later; write it in JavaScript"],
    [
      "22.6.0",
      "TypeScript needs Node 22.18 or later, or NODE_OPTIONS=--experimental-strip-types; write it in JavaScript",
    ],
    [
      "23.5.0",
      "TypeScript needs Node 23.6 or later, or NODE_OPTIONS=--experimental-strip-types; write it in JavaScript",
    ],
  ])("says what it needs on Node %s", (version, need) => {
    expect(needOfTypeScript(version)).toBe(need);
  });
});

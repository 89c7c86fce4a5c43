import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { system } from "../../../../modules/system/index.ts";
import { createTestHost, type TestHost } from "../../test-host.ts";

async function outline(agent: TestHost, parameters: Readonly<Record<string, unknown>>): Promise<string[]> {
  return (await agent.act("outline", parameters)).content.split("\n");
}

/** What it says of one file. */
async function about(path: string, text: string): Promise<string> {
  const agent = createTestHost(system);
  agent.file(path, text);
  return (await outline(agent, { path })).at(-1)!.replace(/^- [^:]+: \d+ lines?(?:; )?/, "");
}

describe("outline", () => {
  it("keeps no more imports in mind than there is memory for", async () => {
    const agent = createTestHost(system);
    for (let n = 0; n < 60; n++) {
      const lines = Array.from({ length: 50_000 }, (_, line) => `import"./${n}${line}"`);
      agent.file(`${n}.ts`, lines.join("\n"));
    }
    expect((await outline(agent, { path: "." }))[0]).toContain("60 files, 3000000 lines");
  }, 30_000);

  it("shows sums, what stands out, and each file below with a few words", async () => {
    const agent = createTestHost(system);
    agent.file(".gitignore", "dist/\n");
    agent.file("README.md", "# Garden\n");
    agent.file(
      "src/main.ts",
      '#!/usr/bin/env node\n// Starts it all. Then more.\nimport { a } from "./a.js";\n',
    );
    agent.file("src/a.ts", "export const a = 1;\nexport const b = 2;\n\n\n");
    agent.file("src/deep/use.py", '"""Uses things."""\nfrom . import other\n');
    agent.file("test/a.test.ts", 'import { a } from "../src/a.ts";\nimport { b } from "../src/a.ts";\n');
    agent.file("dist/built.js", "x");
    agent.file("node_modules/x/index.js", "x");
    expect(await outline(agent, { path: "." })).toEqual([
      "Outline of .: 6 files, 13 lines, 239 bytes, 3 folders, 0 not read.",
      "Holds: src/ (3 files), test/ (1 file).",
      "Largest: src/a.ts (4 lines), src/main.ts (3 lines), src/deep/use.py (2 lines), test/a.test.ts (2 lines), " +
        ".gitignore (1 line), README.md (1 line).",
      "Most imported: src/a.ts (2).",
      "- .gitignore: 1 line",
      "- README.md: 1 line; Garden",
      "In src/:",
      "- a.ts: 4 lines; exports a, b",
      "- main.ts: 3 lines; Starts it all",
      "In src/deep/:",
      "- use.py: 2 lines; Uses things",
      "In test/:",
      "- a.test.ts: 2 lines",
    ]);
    expect((await outline(agent, { path: ".", limit: 0 })).length).toBe(4);
    expect(await outline(agent, { path: "src", limit: 1, offset: 2 })).toEqual([
      expect.stringMatching(/^Outline of src: 3 files/),
      "Holds: deep/ (1 file).",
      expect.stringMatching(/^Largest: a\.ts/),
      "Most imported: a.ts (1).",
      "- main.ts: 3 lines; Starts it all",
      "[1 more file; go on with offset 3.]",
    ]);
    expect(await outline(agent, { path: "src/a.ts" })).toEqual([
      "Outline of src/a.ts: 1 file, 4 lines, 42 bytes, 0 folders, 0 not read.",
      "- a.ts: 4 lines; exports a, b",
    ]);
  });

  it.each([
    [
      "a.ts",
      "/**\n * Copyright 2020.\n */\nexport class Tree {}\nexport function grow() {}\n",
      "exports Tree, grow",
    ],
    ["a.ts", "import x from 'x';\n\n// Not of the file.\n", ""],
    ["a.go", "// Package tree grows.\npackage tree\n", "Package tree grows"],
    ["a.rs", "pub fn grow() {}\n", "exports grow"],
    ["a.py", "class Tree:\n    pass\n", "defines Tree"],
    ["a.md", "```sh\n# no\n```\n\n# Yes <b>`x`</b>\n", "Yes bx/b"],
    ["a.yaml", "# What is\n# said here: more\nkey: 1\n", "What is said here"],
    ["a.sh", "#!/bin/sh\n# Ends.\n", "Ends"],
    ["a.ts", `// ${"word ".repeat(40)}\n`, "word word word word word word word word word word word..."],
    ["a.txt", "Anything.\n", ""],
    ["a.ts", "// a\u202eb\u0007c\n", "a b c"],
  ])("%s %j is about: %s", async (path, text, says) => {
    expect(await about(path, text)).toBe(says);
  });

  it("counts imports between files of a kind, each file once", async () => {
    const agent = createTestHost(system);
    agent.file("pkg/__init__.py");
    agent.file("pkg/core.py", "import os\n");
    agent.file("pkg/a.py", "from .core import x\nfrom .core import y\n");
    agent.file("b.py", "import pkg.core\n");
    agent.file("lib/x.h", "");
    agent.file("lib/y.c", '#include "x.h"\n#include <stdio.h>\n');
    agent.file("web/index.jsx", "");
    agent.file(
      "web/app.jsx",
      'const x = require("./index");\nexport * from "../web";\nawait import("react");\n',
    );
    expect(await outline(agent, { path: ".", limit: 0 })).toContain(
      "Most imported: pkg/core.py (2), lib/x.h (1), web/index.jsx (1).",
    );
  });

  it("reads no links, nothing off-limits and nothing that is no text, and says so", async () => {
    const agent = createTestHost(system);
    agent.file("a/.env", "SECRET=1");
    agent.file("a/photo.png", new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0]));
    agent.file("a/big.txt", "x".repeat(2 * 1024 * 1024));
    symlinkSync("/etc", join(agent.root, "a/etc"));
    symlinkSync("..", join(agent.root, "a/up"));
    const text = (await outline(agent, { path: "a" })).join("\n");
    expect(text).toContain("5 files, 0 lines, 2097157 bytes, 0 folders, 5 not read.");
    expect(text).toContain("- .env: not read, that path is off-limits");
    expect(text).toContain("- photo.png: not read, it is a PNG image (5 bytes)");
    expect(text).toContain("- big.txt: not read, it is large (2097152 bytes)");
    expect(text).toContain("- etc: not read, it is a link\n- photo");
    expect((await outline(agent, { path: "a/up" })).at(-1)).toBe("- up: not read, it is a link");
  });

  it("refuses what lies outside, is protected or is not there", async () => {
    const agent = createTestHost(system);
    agent.file(".git/HEAD");
    for (const path of ["..", "/etc", ".git", "nowhere"]) {
      expect((await agent.act("outline", { path })).outcome).toBe("error");
    }
  });

  it("keeps every name on its line, and ends where there is no room", async () => {
    const agent = createTestHost(system);
    agent.file("odd/a\nIn b/:", "");
    agent.file("odd/- x: 9 lines; y", "");
    expect((await outline(agent, { path: "odd" })).slice(1)).toEqual([
      'Holds: "a\\nIn b/" (1 file).',
      '- "- x: 9 lines; y": 0 lines',
      'In "a\\nIn b/":',
      '- ":": 0 lines',
    ]);
    for (let n = 0; n < 700; n++) agent.file(`many/${"n".repeat(100)}-${n}`);
    const rows = await outline(agent, { path: "many" });
    expect(Buffer.byteLength(rows.join("\n"))).toBeLessThan(50 * 1024);
    const [, left, next] = /^\[(\d+) more files; go on with offset (\d+)\.\]$/.exec(rows.at(-1)!)!;
    expect(Number(left) + Number(next)).toBe(701);
    expect((await outline(agent, { path: "many", offset: Number(next) })).at(-1)).toMatch(
      /^- n+-\d+: 0 lines$/,
    );
    expect((await agent.act("outline", { path: "many", offset: 702 })).outcome).toBe("error");
  });

  it("stops when it has to, and goes no deeper than forty folders", async () => {
    const agent = createTestHost(system);
    mkdirSync(join(agent.root, "d/".repeat(60)), { recursive: true });
    expect(await outline(agent, { path: "." })).toContain(
      "[It holds more than that: this is as far as one outline goes.]",
    );
    const ended = createTestHost(system, { signal: AbortSignal.abort(new Error("enough")) });
    ended.file("a");
    await expect(ended.act("outline", { path: "." })).rejects.toThrow("enough");
  });
});

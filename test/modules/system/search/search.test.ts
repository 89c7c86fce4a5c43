import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { createSearcher, ENGINES } from "./engines.ts";

describe.each(ENGINES)("a search by %s", (engine) => {
  function createProject() {
    const agent = createSearcher(engine);
    agent.file("src/a.ts", "one\nconst two = 2;\n\nthree TWO\n");
    agent.file("src/deep/b.js", "two\r\nthree\r\n");
    agent.file("README.md", "# Two\n");
    agent.file(".github/flow.yml", "two\n");
    agent.file("-n", "two\n");
    return agent;
  }

  const find = async (agent: ReturnType<typeof createProject>, parameters: object) =>
    (await agent.act("findFiles", parameters)).content;
  const search = async (agent: ReturnType<typeof createProject>, parameters: object) =>
    (await agent.act("searchText", parameters)).content;

  it("finds lines, with their places, by path and line", async () => {
    const agent = createProject();
    expect(await agent.act("searchText", { pattern: "two" })).toEqual({
      outcome: "ok",
      content:
        "Found 4 hits:\n-n:1: two\n.github/flow.yml:1: two\nsrc/a.ts:2: const two = 2;\nsrc/deep/b.js:1: two",
    });
    expect(await search(agent, { pattern: "(?i)t[wx]o\\b", path: "src" })).toBe(
      "Found 3 hits:\nsrc/a.ts:2: const two = 2;\nsrc/a.ts:4: three TWO\nsrc/deep/b.js:1: two",
    );
    expect(await search(agent, { pattern: "^t\\w+$", path: "src/deep/b.js" })).toBe(
      "Found 2 hits:\nsrc/deep/b.js:1: two\nsrc/deep/b.js:2: three",
    );
    expect(await search(agent, { pattern: "four" })).toBe("Found no hit.");
  });

  it.each([
    ["*.ts", ["src/a.ts"]],
    ["*.{ts,js}", ["src/a.ts", "src/deep/b.js"]],
    ["src/", ["src/a.ts", "src/deep/b.js"]],
    ["src", []],
    ["src/*", ["src/a.ts"]],
    ["src/**", ["src/a.ts", "src/deep/b.js"]],
    ["src/*.js", []],
    ["src/**/*.js", ["src/deep/b.js"]],
    ["./src/**/[ab].js", ["src/deep/b.js"]],
    ["/README.md", ["README.md"]],
    ["?n", ["-n"]],
    ["!*.{ts,js}", [".github/flow.yml", "-n", "README.md"]],
  ])("finds the files that %s means", async (pattern, files) => {
    const rows = (await find(createProject(), { pattern })).split("\n").slice(1);
    expect(rows.toSorted()).toEqual([...files].toSorted());
  });

  it("reads a glob from the folder that is searched", async () => {
    const agent = createProject();
    expect(await find(agent, { pattern: "deep/*.js", path: "src" })).toBe("Found 1 file:\nsrc/deep/b.js");
    expect(await search(agent, { pattern: "two", glob: "*.js" })).toBe("Found 1 hit:\nsrc/deep/b.js:1: two");
    expect(await search(agent, { pattern: "two", glob: "!*.js", path: "src" })).toBe(
      "Found 1 hit:\nsrc/a.ts:2: const two = 2;",
    );
  });

  it("leaves out what git ignores, by the rules of every folder, wherever it begins", async () => {
    const agent = createSearcher(engine);
    agent.file(".gitignore", "*.log\n/out/\n!kept.log\nsub/tied\n");
    agent.file("sub/.gitignore", "!*.log\n/own\ndeep/\\!x\n");
    agent.file("sub/deep/.gitignore", "b*\n!bb\n");
    for (const name of ["a.log", "kept.log", "out/x", "sub/a.log", "sub/own", "sub/tied", "sub/deep/a.log"])
      agent.file(name, "hit\n");
    for (const name of ["sub/deep/!x", "sub/deep/ba", "sub/deep/bb", "sub/deep/own"])
      agent.file(name, "hit\n");
    const below = ["sub/deep/a.log", "sub/deep/bb", "sub/deep/own"];
    const files = async (path: string) =>
      (await find(agent, { pattern: "[!.]*", path })).split("\n").slice(1);
    expect(await files(".")).toEqual(["kept.log", "sub/a.log", ...below]);
    expect(await files("sub")).toEqual(["sub/a.log", ...below]);
    expect(await files("sub/deep")).toEqual(below);
    expect(await files("out")).toEqual(["out/x"]);
    expect(await search(agent, { pattern: "hit", path: "a.log" })).toBe("Found 1 hit:\na.log:1: hit");
  });

  it("heeds neither .ignore files nor what git is told for one clone", async () => {
    const agent = createProject();
    agent.file(".ignore", "*.ts\n");
    agent.file(".git/info/exclude", "*.ts\n");
    expect(await find(agent, { pattern: "*.ts" })).toBe("Found 1 file:\nsrc/a.ts");
  });

  it("shows 100 hits of 500 characters, those where a long line has the text", async () => {
    const agent = createSearcher(engine);
    for (let n = 0; n < 30; n++) agent.file(`f${String(n).padStart(2, "0")}`, "hit\n".repeat(4));
    const lines = (await search(agent, { pattern: "hit" })).split("\n");
    expect(lines[0]).toBe("The first 100 hits; there are more, narrow it down to see them:");
    expect(lines.at(-1)).toBe("f24:4: hit");
    agent.file("long", `${"ä".repeat(1_000)}here${"z".repeat(1_000)}\n`);
    const [, row = ""] = (await search(agent, { pattern: "here" })).split("\n");
    expect(row).toBe(`long:1: ...${"ä".repeat(50)}here${"z".repeat(446)}...`);
    agent.file("many", "hit\n".repeat(500));
    expect((await search(agent, { pattern: "hit", path: "many" })).split("\n")).toHaveLength(101);
  });

  it("shows 1,000 files, and less where the result has to be shorter", async () => {
    const agent = createSearcher(engine, { maxTokens: 10_000 });
    for (let n = 0; n < 1_200; n++) agent.file(`folder/file-${String(n).padStart(4, "0")}`);
    const lines = (await find(agent, { pattern: "*" })).split("\n");
    expect(lines[0]).toBe("The first 1000 files; there are more, narrow it down to see them:");
    expect(lines.at(-1)).toBe("folder/file-0999");
    const short = createSearcher(engine, { maxTokens: 10 });
    for (const name of ["aaaaaaaaaaaa", "bbbbbbbbbbbb", "cccccccccccc"]) short.file(name);
    expect(await find(short, { pattern: "*" })).toMatch(/^The first 2 files; there are more/);
  });

  it("passes over what is no text, a file that is too long, and one that it may not open", async () => {
    const agent = createSearcher(engine);
    agent.file("text", "hit\n");
    agent.file("early", "hit\n\0");
    agent.file("late", `hit\n${"x".repeat(300_000)}\n\0`);
    agent.file("utf16", Buffer.from("\ufeffhit\n", "utf16le"));
    expect(await search(agent, { pattern: "hit" })).toBe("Found 1 hit:\ntext:1: hit");
    expect(await search(agent, { pattern: "hit", path: "early" })).toContain("it cannot be searched as text");
    expect(await search(agent, { pattern: "hit", path: "late" })).toBe("Found no hit.");
  });
});

describe("hostile: paths", () => {
  describe.each(ENGINES)("a search by %s", (engine) => {
    it("shows nothing of protected files, nor of what a rule denies (F2)", async () => {
      const agent = createSearcher(engine, {
        permits: (touching) => touching.kind !== "read" || !touching.path.includes("/secrets"),
        settings: { privatePaths: ["hidden"] },
      });
      for (const name of [".env", "tls/a.pem", ".git/config", "node_modules/x/y", ".ai-legion/config.yaml"])
        agent.file(name, "word\n");
      for (const name of ["secrets/a", "hidden/b", ".GIT/config", "id_rsa", "open"])
        agent.file(name, "word\n");
      expect((await agent.act("findFiles", { pattern: "*" })).content).toBe("Found 1 file:\nopen");
      expect((await agent.act("searchText", { pattern: "word" })).content).toBe("Found 1 hit:\nopen:1: word");
      for (const path of ["secrets", "secrets/a", ".env", "hidden", "node_modules"])
        expect((await agent.act("searchText", { pattern: "word", path })).outcome).toBe("error");
    });

    it("follows no link, in no circle and to nothing outside (F1)", async () => {
      const agent = createSearcher(engine);
      const outside = createSearcher(engine);
      outside.file("secret", "word\n");
      agent.file("real/file", "word\n");
      symlinkSync(".", join(agent.root, "circle"));
      symlinkSync("self", join(agent.root, "self"));
      symlinkSync(outside.root, join(agent.root, "out"));
      symlinkSync(join(outside.root, "secret"), join(agent.root, "leak"));
      symlinkSync("real", join(agent.root, "inside"));
      expect((await agent.act("searchText", { pattern: "word" })).content).toBe(
        "Found 1 hit:\nreal/file:1: word",
      );
      expect((await agent.act("searchText", { pattern: "word", path: "inside" })).content).toBe(
        "Found 1 hit:\nreal/file:1: word",
      );
      for (const path of ["out", "leak", "..", outside.root, "self", "missing"])
        for (const action of ["findFiles", "searchText"])
          expect((await agent.act(action, { pattern: "word", path })).outcome).toBe("error");
    });

    it("shows names and lines that could be taken for more than they are in quotes, or spelt out", async () => {
      const agent = createSearcher(engine);
      agent.file("two\nlines:1: x", "word\n");
      agent.file("esc\u001b[31m", "\u001b[2Jword\u0007\n");
      expect((await agent.act("searchText", { pattern: "word" })).content.split("\n").slice(1)).toEqual([
        '"esc\\\\x1b[31m":1: \\x1b[2Jword\\x07',
        '"two\\nlines:1: x":1: word',
      ]);
    });

    it.each([
      [
        { pattern: "a(b" },
        "That pattern cannot be used: ( at character 2 is never closed; \\( is a bracket itself.",
      ],
      [{ pattern: "a)" }, "That pattern cannot be used: ) at character 2 closes no group."],
      [
        { pattern: "a**" },
        "That pattern cannot be used: there is nothing to repeat before * at character 3.",
      ],
      [{ pattern: "[z-a]" }, "That pattern cannot be used: a range in [ ] has to go up."],
      [
        { pattern: "[abc" },
        "That pattern cannot be used: [ at character 1 is never closed; \\[ is a bracket itself.",
      ],
      [{ pattern: "a(?=b)" }, "That pattern cannot be used: it cannot look ahead or behind."],
      [{ pattern: "(a)\\1" }, "That pattern cannot be used: it cannot refer back to a group."],
      [
        { pattern: "a\\nb" },
        "That pattern cannot be used: it is held against single lines, and cannot hold the end of one.",
      ],
      [
        { pattern: "a", glob: "../x" },
        "That pattern cannot be used: it cannot lead up with ..; set path to where it begins.",
      ],
    ])("says what is wrong with %j", async (parameters, said) => {
      const agent = createSearcher(engine);
      agent.file("a", "a\n");
      expect(await agent.act("searchText", parameters)).toEqual({ outcome: "error", content: said });
    });

    it("shows nothing that lies elsewhere when a folder becomes a link while it is searched (F3)", async () => {
      const agent = createSearcher(engine);
      const outside = createSearcher(engine);
      outside.file("secret", "word of a secret\n");
      for (let n = 0; n < 50; n++) agent.file(`folder/f${n}`, "word\n");
      const [folder, aside] = [join(agent.root, "folder"), join(agent.root, "aside")];
      const swap = (): void => {
        renameSync(folder, aside);
        symlinkSync(outside.root, folder);
      };
      const swapBack = (): void => {
        rmSync(folder);
        renameSync(aside, folder);
      };
      for (const [action, pattern] of [
        ["searchText", "word"],
        ["findFiles", "*"],
      ] as const) {
        for (let n = 0; n < 15; n++) {
          const searching = agent.act(action, { pattern, path: n % 2 === 0 ? "." : "folder" });
          for (let turn = 0; turn < 30 * n; turn++) await setImmediate();
          swap();
          for (let turn = 0; turn < 100; turn++) await setImmediate();
          swapBack();
          expect((await searching).content).not.toContain("secret");
        }
      }
    });

    it("is not taken for an option, whatever the pattern, the glob and the names look like", async () => {
      const agent = createSearcher(engine);
      agent.file("--pre=touch pwned/-e", "--files\n");
      expect(
        (await agent.act("searchText", { pattern: "--files", path: "--pre=touch pwned", glob: "-*" }))
          .content,
      ).toBe("Found 1 hit:\n--pre=touch pwned/-e:1: --files");
      expect((await agent.act("findFiles", { pattern: "--pre=*/-*" })).content).toBe(
        "Found 1 file:\n--pre=touch pwned/-e",
      );
    });

    it("ends soon when the action has to stop, and says when it took too long", async () => {
      const stopping = new AbortController();
      const agent = createSearcher(engine, { signal: stopping.signal });
      const content = "a".repeat(10_000);
      for (let n = 0; n < 200; n++) agent.file(`f${n}`, content);
      const searching = agent.act("searchText", { pattern: "(a|b|ab)*c$" });
      stopping.abort(new Error("stop"));
      await expect(searching).rejects.toThrow("stop");
    });

    it("finds what there is beside a pipe and an empty folder", async () => {
      const agent = createSearcher(engine);
      mkdirSync(join(agent.root, "empty"));
      writeFileSync(join(agent.root, "a"), "");
      expect((await agent.act("searchText", { pattern: "^$" })).content).toBe("Found no hit.");
      expect((await agent.act("findFiles", { pattern: "*", path: "empty" })).content).toBe("Found no file.");
      expect((await agent.act("findFiles", { pattern: "*", path: "a" })).content).toBe(
        "That is a file, not a folder. Path: a",
      );
    });
  });
});

describe("the search on our own", () => {
  it("ends a pattern that backtracks, and says so", async () => {
    const agent = createSearcher("own walk", { timeoutMs: 1_500 });
    agent.file("a", `${"a".repeat(50)}b\n`);
    expect(await agent.act("searchText", { pattern: "(a+)+$" })).toEqual({
      outcome: "error",
      content: "The search was ended after 1.5 s, its time limit: narrow it down.",
    });
  });
});

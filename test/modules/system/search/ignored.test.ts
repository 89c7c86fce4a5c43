import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { ignoredBy, readRules, type Rules } from "../../../../modules/system/search/rules.ts";
import { gitIsThere } from "../../../git.ts";
import { system } from "../../../../modules/system/index.ts";
import { createTestHost } from "../../test-host.ts";

/** Git leaves out a path if it leaves out any folder on the way; folders end in `/`. */
function isLeftOut(files: Readonly<Record<string, string>>, path: string): boolean {
  const names = path.split("/").filter((name) => name !== "");
  return names.some((name, depth) => {
    const folder = names.slice(0, depth);
    const rules = Array.from({ length: depth + 1 }, (_, n): Rules => {
      const from = folder.slice(0, n);
      return { folder: from, lines: readRules(files[[...from, ".gitignore"].join("/")] ?? "") };
    });
    const isFolder = depth < names.length - 1 || path.endsWith("/");
    return ignoredBy(rules, folder)(name, isFolder ? "folder" : "file");
  });
}

/** What git itself says. */
function asGit(files: Readonly<Record<string, string>>, paths: readonly string[]): readonly string[] {
  const root = mkdtempSync(join(tmpdir(), "legion-git-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const env = { PATH: process.env["PATH"], GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
  const git = (args: readonly string[], input = "") =>
    spawnSync("git", args, { cwd: root, env, input, encoding: "utf8" });
  git(["init", "-q"]);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(root, dirname(path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  for (const path of paths) if (path.endsWith("/")) mkdirSync(join(root, path), { recursive: true });
  // With a slash at its end, git would ask the rules inside of the folder, too.
  const asked = new Map(paths.map((path) => [path.replace(/\/$/, ""), path]));
  const { stdout, stderr } = git(
    ["check-ignore", "--no-index", "--stdin", "-z"],
    [...asked.keys(), ""].join("\0"),
  );
  expect(stderr).toBe("");
  return stdout.split("\0").flatMap((path) => asked.get(path) ?? []);
}

const FILES = ["ab", "a.b", " ", "-", "]"];
const FOLDERS = ["a", "A", "b "].flatMap((first) => [first, `${first}/a`, `${first}/b`]);
/** What lies in the folders that git is asked about; folders end in `/`. */
const PATHS = [
  ...FOLDERS.map((folder) => `${folder}/`),
  ...["", ...FOLDERS.map((folder) => `${folder}/`)].flatMap((folder) => FILES.map((name) => folder + name)),
];

it("takes no longer than others can wait, whatever rules and names there are", async () => {
  const agent = createTestHost(system);
  agent.file(".gitignore", "*a*b*c\n".repeat(37_000));
  for (let n = 0; n < 300; n++) agent.file(`${"a".repeat(40)}${n}`, "");
  let turns = 0;
  const others = setInterval(() => turns++, 10);
  const { content } = await agent.act("outline", { path: "." });
  clearInterval(others);
  expect(content).toContain("301 files");
  expect(turns).toBeGreaterThan(3);
  expect((await agent.act("listDirectory", { path: "." })).content).toContain("[file]");
});

describe("what git ignores", () => {
  it.each([
    ["dist/", ["dist/", "x/dist/", "dist/a/b"], ["dist", "distant/"]],
    ["*.log", ["a.log", "x/b.log"], ["a.log.txt", "log"]],
    ["/todo.md", ["todo.md"], ["x/todo.md"]],
    ["docs/*.txt", ["docs/a.txt"], ["docs/x/a.txt", "x/docs/a.txt"]],
    ["a/**/b", ["a/b", "a/x/y/b"], ["ab", "x/a/b"]],
    ["**/cache/**", ["cache/a", "x/cache/y/z"], ["cache/", "cache"]],
    ["*\n!keep.txt\n!src/", ["a", "x/keep.txt"], ["keep.txt", "src/"]],
    [
      "# no\n\\#yes\n\\!really\nspace\\ \ntrailing  ",
      ["#yes", "!really", "space ", "trailing"],
      ["no", "# no"],
    ],
    ["/.ai-legion/*\n!/.ai-legion/config.yaml", [".ai-legion/logs/"], [".ai-legion/config.yaml"]],
    ["[ab]?[!c-e]", ["axz", "bxb"], ["axd", "cxz", "ax"]],
  ])("%j", (text, ignored, kept) => {
    const files = { ".gitignore": text };
    expect(ignored.filter((path) => !isLeftOut(files, path))).toEqual([]);
    expect(kept.filter((path) => isLeftOut(files, path))).toEqual([]);
  });

  it.runIf(gitIsThere)("is what git says, whatever the files of rules say", () => {
    const piece = fc.constantFrom(
      ..."a b A * ? / ! # [ ] - \\ . ** a* [a-b] [!a] /** **/ [[:alpha:]]".split(" "),
      " ",
    );
    // Git takes `a**/b` for `ab`, against its own manual; and who escapes a slash, or looks for it in brackets (in which a
    // first `]` is one of the characters)?
    const isOdd = (line: string): boolean => /[^/]\*\*\/|\\\/|\[[!^]?\]?[^\]]*\//.test(line);
    const line = fc.array(piece, { maxLength: 5 }).map((pieces) => pieces.join(""));
    const text = fc
      .array(
        line.filter((one) => !isOdd(one)),
        { maxLength: 4 },
      )
      .map((lines) => lines.join("\n"));
    const files = fc.record({ ".gitignore": text, "a/.gitignore": text, "a/b/.gitignore": text });
    fc.assert(
      fc.property(files, (given) => {
        expect(PATHS.filter((path) => isLeftOut(given, path))).toEqual(asGit(given, PATHS));
      }),
      { numRuns: 60 },
    );
  });

  it("is decided in no time, however the rules are written", () => {
    const name = "a".repeat(250);
    const path = Array.from({ length: 39 }, () => name).join("/");
    const files = {
      ".gitignore": `${"*a".repeat(2_000)}b\n${"**/a*/".repeat(600)}b\n${"[a-".repeat(9_000)}`,
    };
    expect(isLeftOut(files, path)).toBe(false);
  });

  it("is marked in the list of a folder, by the rules of all folders from the top", async () => {
    const agent = createTestHost(system);
    agent.file(".gitignore", "*.log\nbuild/\n");
    agent.file("pkg/.gitignore", "!keep.log\n/own\n");
    for (const name of ["a.log", "keep.log", "own", "build/x", "main.ts"]) agent.file(`pkg/${name}`);
    expect((await agent.act("listDirectory", { path: "pkg" })).content.split("\n").slice(1)).toEqual([
      ".gitignore [file]",
      "a.log [file, ignored by git]",
      "build [directory, ignored by git]",
      "keep.log [file]",
      "main.ts [file]",
      "own [file, ignored by git]",
    ]);
  });

  it("does not hide what a folder holds that is left out itself, where that folder is asked for", async () => {
    const agent = createTestHost(system);
    agent.file(".gitignore", "dist/\n*.log\n");
    for (const name of ["a.js", "a.log", "sub/b.js"]) agent.file(`dist/${name}`, "1\n");
    expect((await agent.act("listDirectory", { path: "dist" })).content.split("\n").slice(1)).toEqual([
      "a.js [file]",
      "a.log [file, ignored by git]",
      "sub [directory]",
    ]);
    expect((await agent.act("outline", { path: "dist" })).content).toContain("2 files");
  });

  it("is not learned from outside the workspace, through a link or from a pipe", async () => {
    const agent = createTestHost(system);
    agent.file("a");
    symlinkSync("/dev/zero", join(agent.root, ".gitignore"));
    expect((await agent.act("listDirectory", { path: "." })).content).toContain("a [file]");
    rmSync(join(agent.root, ".gitignore"));
    spawnSync("mkfifo", [join(agent.root, ".gitignore")]);
    expect((await agent.act("listDirectory", { path: "." })).content).toContain("a [file]");
  });
});

import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { plain } from "../../../src/cli/kit/terminal.ts";
import { context } from "../../storage/contract/memory/memory-letters.ts";
import { createTempProject } from "../../temp-project.ts";
import { fill, FOLDER, memory, rememberingProject, said } from "./kit.ts";

describe("legion memory", () => {
  it("says that there is none, and how there comes to be one, and writes nothing", async () => {
    const cwd = await createTempProject();
    const { out, exitCode } = await memory(cwd);
    expect(out).toBe(
      "There is no long-term memory here yet; agents make one whose definition says `memories: [main/legion]`.\n",
    );
    expect(exitCode).toBe(0);
    expect((await memory(cwd, ["list"])).err).toBe(
      "legion: there is no long-term memory here yet; agents make one whose definition says `memories: [main/legion]`\n",
    );
    expect(await readdir(cwd)).toEqual([]);
  });

  it("lists those that there are, with what they hold and who keeps them", async () => {
    const cwd = await rememberingProject();
    await fill(cwd, [said(1, "x")], "team/notes");
    const { out } = await memory(cwd);
    const { json } = await memory(cwd, ["--json"]);
    expect(out).toMatch(/^MEMORY +ENTRIES +NEWEST +KEEPER +BEHIND +SIZE +SHARDS +STRAYS$/m);
    expect(out).toMatch(/^main\/legion +3 +\d+s +scribe +- +[\d.]+ kB +2 +1$/m);
    expect(out).toMatch(/^team\/notes +1 +\d+s +- +- +[\d.]+ (k?)B +0 +0$/m);
    expect(json).toMatchObject([
      { memory: "main/legion", entries: 3, keeper: "scribe", shards: 2, strays: 1, foreign: false },
      { memory: "team/notes", entries: 1, keeper: null, problem: null },
    ]);
  });

  it("fits a narrow terminal", async () => {
    const cwd = await rememberingProject();
    for (const argv of [[], ["list"], ["search", "built"], ["show", "2"], ["context", "--all"]]) {
      const { out } = await memory(cwd, argv, { columns: 40 });
      for (const row of out.split("\n")) expect(row.length).toBeLessThanOrEqual(40);
    }
  });
});

describe("legion memory search", () => {
  it("finds what was said, the best first, and only what is asked for", async () => {
    const cwd = await rememberingProject();
    const found = async (...argv: string[]) =>
      (await memory(cwd, ["search", "--json", ...argv])).json.map((one) => (one as { seq: number }).seq);
    expect(await found("built", "Toulouse")).toEqual([3, 6, 2]);
    expect(await found("built", "--role", "assistant")).toEqual([3]);
    expect(await found("built", "--speaker", "0", "--limit", "1")).toEqual([6]);
    expect(await found("built", "--since", "2026-02-01T00:00:00Z", "--until", "2026-02-20")).toEqual([3]);
    expect(await found("built", "--tag", "topic=planes")).toEqual([3]);
    expect(await found("built", "--tag", "topic=planes", "--tag", "a=b")).toEqual([]);
    expect(await found("submarines")).toEqual([]);
    const { out } = await memory(cwd, ["search", "toulouse"]);
    expect(out).toMatch(
      /^#3 {2}2026-0\d-\d\d \d\d:\d\d {2}Agent 2 \(assistant, in 0,2\)\n {2}Planes are built in Toulouse\.\n/,
    );
    expect((await memory(cwd, ["search", "submarines"])).out).toBe(
      "Nothing in main/legion is like `submarines`. Other words may find it.\n",
    );
  });

  it("shows of a long text what was found in it, whatever its accents and however far on it stands", async () => {
    const cwd = await createTempProject();
    await fill(cwd, [said(1, `${"on and ".repeat(500)}on to München by boat. ${"Then ".repeat(500)}`)]);
    const { out } = await memory(cwd, ["search", "on", "Munchen"]);
    expect(out).toMatch(
      /\n {2}\[\.\.\. \d+ characters\] (?:on )?and .* on to München by boat\. .* \[\.\.\. \d+ characters more\]\n/,
    );
    expect((await memory(cwd, ["list"])).out).toMatch(/\n {2}on and .* \[\.\.\. \d+ characters more\]\n/);
  });

  it("takes the last day for one that is over when it is over, by the clock of this machine", async () => {
    const cwd = await createTempProject();
    const late = new Date(2026, 4, 3, 23, 59).toISOString();
    await fill(cwd, [said(1, "late", { said: late })]);
    expect((await memory(cwd, ["search", "late", "--until", "2026-05-03", "--json"])).json).toHaveLength(1);
    expect((await memory(cwd, ["search", "late", "--since", "2026-05-04", "--json"])).json).toHaveLength(0);
    expect((await memory(cwd, ["search", "late", "--until", "2026-05-02", "--json"])).json).toHaveLength(0);
  });
});

describe("legion memory list", () => {
  it("shows the newest, oldest first", async () => {
    const cwd = await rememberingProject();
    const { json } = await memory(cwd, ["list", "--limit", "2", "--json"]);
    expect(json).toMatchObject([
      { seq: 3, raw: "Planes are built in Toulouse.", by: "x", tags: { topic: "planes" } },
      { seq: 6 },
    ]);
    const { out } = await memory(cwd, ["list"]);
    expect([...out.matchAll(/^#(\d+) /gm)].map(([, seq]) => seq)).toEqual(["2", "3", "6"]);
  });
});

describe("legion memory show", () => {
  it("shows an entry whole, with who entered it and what marks it", async () => {
    const cwd = await createTempProject();
    await fill(cwd, [
      said(1, `First\n${"long ".repeat(300)}end`, { summary: "short" }, { taint: ["a page"] }),
    ]);
    const { out } = await memory(cwd, ["show", "2"]);
    expect(out).toMatch(/^#2 .*\nentered .* by x\ntags: topic=boats\n\(after words from outside: a page\)\n/);
    expect(out).toContain("summary: short\n\nFirst\nlong long");
    expect(out).toContain("long end\n");
    expect((await memory(cwd, ["show", "#2", "--json"])).json).toMatchObject([
      { kind: "entry", seq: 2, summary: "short", taint: ["a page"] },
    ]);
  });

  it("shows a shard of context, and what it is among the others", async () => {
    const cwd = await rememberingProject();
    const states = [];
    for (const seq of ["5", "7", "8"]) states.push((await memory(cwd, ["show", seq, "--json"])).json[0]);
    expect(states).toMatchObject([{ state: "older" }, { state: "current", base: 5 }, { state: "stray" }]);
    expect((await memory(cwd, ["show", "8"])).out).toMatch(/^#8 .* context by other: stray, .*\n\n# Lies\n$/);
  });
});

describe("legion memory context", () => {
  it("prints the current one: for a file just the document", async () => {
    const cwd = await rememberingProject();
    expect((await memory(cwd, ["context"])).out).toBe("# Places\nBergen, Toulouse, Kassel\n");
    expect((await memory(cwd, ["context"], { columns: 80 })).out).toMatch(
      /^#7 .* context by scribe: current, of the entries up to #6, 33\ncharacters\n\n# Places\n/,
    );
    expect((await memory(cwd, ["context", "--json"])).json).toMatchObject([{ seq: 7, state: "current" }]);
  });

  it("prints what a person made of the file, and with --all the older and stray ones, too", async () => {
    const cwd = await rememberingProject();
    await writeFile(join(cwd, FOLDER, "context.md"), "# Mine\n");
    expect((await memory(cwd, ["context"])).out).toBe("# Mine\n");
    const { json } = await memory(cwd, ["context", "--all", "--json"]);
    expect(json).toMatchObject([
      { seq: 5, state: "older" },
      { seq: 7, state: "current" },
      { seq: 8, state: "stray" },
      { state: "edited", path: `${FOLDER}/context.md`, content: "# Mine" },
    ]);
    expect((await memory(cwd, ["context", "--all"])).out).toContain("as you edited it");
    await writeFile(join(cwd, FOLDER, "context.md"), "");
    expect((await memory(cwd, ["context"])).out).toContain(`You emptied ${FOLDER}/context.md`);
  });

  it("says that there is none", async () => {
    const cwd = await createTempProject();
    await fill(cwd, [said(1, "x")]);
    expect((await memory(cwd, ["context"])).out).toBe("main/legion has no context.\n");
  });
});

it("sends nothing to a terminal that it would act on, whatever is remembered", async () => {
  const evil = "\u001b]0;title\u0007\u009b2J\u202egood\u001b[31m";
  const cwd = await createTempProject();
  await fill(cwd, [
    said(
      1,
      evil,
      { tags: { "evil\u202e": "\u001b[2J" }, thread: "a\u202eb", speaker: "x\u2028y" },
      { taint: [evil] },
    ),
    context(1, { from: "scribe", content: evil, upTo: 2 }),
    context(1, { from: "other", content: evil, upTo: 2 }),
  ]);
  const looks = [
    ["list"],
    ["search", "good"],
    ["show", "2"],
    ["show", "4"],
    ["context"],
    ["context", "--all"],
  ];
  for (const argv of looks)
    for (const more of [[], ["--json"]]) {
      const { out, exitCode } = await memory(cwd, [...argv, ...more], { columns: 50 });
      expect(exitCode).toBe(0);
      expect(out).toContain("good");
      expect(plain(out)).toBe(out);
    }
});

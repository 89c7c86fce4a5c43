import { existsSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { everythingIn } from "../../environment/workspace/trees.ts";
import { createTempProject } from "../../temp-project.ts";
import { createWorld } from "../../world.ts";
import { legion } from "../legion.ts";
import { run } from "../run/prune/kit.ts";
import { context } from "../../storage/contract/memory/memory-letters.ts";
import { fill, FOLDER, inMemories, memory, rememberingProject, said } from "./kit.ts";

/** Every byte of the memory. */
function bytesOf(cwd: string): string {
  return Object.keys(everythingIn(join(cwd, FOLDER)))
    .filter((path) => !path.endsWith("/"))
    .map((path) => readFileSync(join(cwd, FOLDER, path), "latin1"))
    .join("\n");
}

const seqsIn = async (cwd: string): Promise<unknown[]> =>
  (await memory(cwd, ["list", "--json"])).json.map((one) => (one as { seq: number }).seq);

describe("legion memory forget", () => {
  it("shows what it will take, with the documents that were made of it, and then takes it for good", async () => {
    const cwd = await rememberingProject();
    const asked = await memory(cwd, ["forget", "3"]);
    expect(asked).toMatchObject({ exitCode: 2 });
    expect(asked.err).toBe(
      "legion: nothing was forgotten: nobody can be asked here; --yes forgets without a question\n",
    );
    expect(bytesOf(cwd)).toContain("Toulouse");
    const { out, exitCode } = await memory(cwd, ["forget", "3", "--yes", "--reason", "asked to"]);
    expect(exitCode).toBe(0);
    expect(out).toMatch(
      /^1 entry of main\/legion goes:\n {2}#3 .* Agent 2: Planes are built in Toulouse\.\n/,
    );
    expect(out).toMatch(/With that go 3 shards of context that may hold it:\n {2}#5 .*\n {2}#7 .*\n {2}#8 /);
    expect(out).toContain("Forgotten in main/legion: 1 entry and 3 shards of context.");
    expect(bytesOf(cwd)).not.toContain("Toulouse");
    expect(await seqsIn(cwd)).toEqual([2, 6]);
    expect((await memory(cwd, ["search", "Toulouse", "--json"])).json).toEqual([]);
    expect((await memory(cwd, ["context"])).out).toBe("main/legion has no context.\n");
    expect((await memory(cwd, ["show", "3"])).err).toMatch(
      /^legion: #3 of main\/legion was forgotten .* by Control: asked to; nothing of it is left here\n$/,
    );
    expect((await memory(cwd, ["--json"])).json).toMatchObject([
      { entries: 2, keeper: "scribe", shards: 0, strays: 0 },
    ]);
  });

  it("has the sessions of every scribe of that memory end, which may hold it, and of nobody else", async () => {
    const record = (more: object): string => JSON.stringify({ id: "x", director: "scribe", ...more });
    const cwd = await rememberingProject({
      ".ai-legion/agents/scribe/agent.json": record({ memories: ["main/legion"] }),
      ".ai-legion/agents/second/agent.json": record({ memories: ["main/legion"] }),
      ".ai-legion/agents/elsewhere/agent.json": record({ memories: ["main/other", "main/legion"] }),
      ".ai-legion/agents/reader/agent.json": JSON.stringify({ id: "x", memories: ["main/legion"] }),
    });
    expect((await memory(cwd, ["forget", "3", "--yes"])).err).toBe("");
    const unread = (await legion(["ps", "--json"], { cwd })).json as { id: string; unread: number }[];
    expect(unread.filter((one) => one.unread > 0).map(({ id }) => id)).toEqual(["scribe", "second"]);
  });

  it("leaves the newest older document as the current one, if that holds nothing of it", async () => {
    const cwd = await rememberingProject();
    await memory(cwd, ["forget", "--query", "KASSEL trains", "--yes"]);
    expect((await memory(cwd, ["context"])).out).toBe("# Places\nBergen, Toulouse\n");
    expect(readFileSync(join(cwd, FOLDER, "context.md"), "utf8")).toBe("# Places\nBergen, Toulouse\n");
    expect(bytesOf(cwd)).not.toContain("Kassel");
  });

  it.each([
    [["2,6"], [3]],
    [["2", "#6"], [3]],
    [
      ["--thread", "0,2"],
      [2, 6],
    ],
    [["--speaker", "0"], [3]],
    [["--before", "2026-02-15"], [6]],
    [
      ["--before", "2026-02-15", "--speaker", "0"],
      [3, 6],
    ],
    [
      ["--query", "built boats"],
      [3, 6],
    ],
    [
      ["2", "3", "--speaker", "2"],
      [2, 6],
    ],
    [["8"], [2, 3, 6]],
  ])("takes %j: all of it has to hold", async (argv, left) => {
    const cwd = await rememberingProject();
    expect(await memory(cwd, ["forget", ...argv, "--yes"])).toMatchObject({ exitCode: 0, err: "" });
    expect(await seqsIn(cwd)).toEqual(left);
  });

  it("takes a shard that was named, and those that were made from it", async () => {
    const cwd = await rememberingProject();
    const { json } = await memory(cwd, ["forget", "5", "--yes", "--json"]);
    expect(json).toMatchObject([
      { kind: "context", seq: 5, forgotten: true },
      { kind: "context", seq: 7, forgotten: true },
      { kind: "context", seq: 8, forgotten: true },
    ]);
    expect((await memory(cwd, ["context", "--all", "--json"])).json).toEqual([]);
  });

  it("takes what a person made of the document, too, and says so before", async () => {
    const cwd = await rememberingProject();
    await writeFile(join(cwd, FOLDER, "context.md"), "# Mine: Toulouse\n");
    const { out } = await memory(cwd, ["forget", "--query", "Toulouse", "--yes"]);
    expect(out).toContain(`So does what you made of ${FOLDER}/context.md, which is taken in first.`);
    expect(bytesOf(cwd)).not.toContain("Toulouse");
    expect((await memory(cwd, ["context", "--all"])).out).toBe("There is no shard of context.\n");
  });

  it("says that there is nothing like that, and writes nothing", async () => {
    const cwd = await rememberingProject();
    const before = everythingIn(cwd);
    expect(await memory(cwd, ["forget", "--thread", "nobody's", "--yes"])).toMatchObject({
      ...{ exitCode: 0, out: "There is nothing like that in main/legion.\n" },
    });
    expect(everythingIn(cwd)).toEqual(before);
  });

  it("deletes the search index of that memory, never by way of a link", async () => {
    const cwd = await rememberingProject({
      ".ai-legion/cache/memory/main/legion/index.db": "Toulouse",
      ".ai-legion/cache/memory/main/other/index.db": "x",
      "outside/index.db": "mine",
    });
    await memory(cwd, ["forget", "3", "--yes"]);
    expect(readdirSync(join(cwd, ".ai-legion/cache/memory/main"))).toEqual(["other"]);
    symlinkSync(join(cwd, "outside"), join(cwd, ".ai-legion/cache/memory/main/legion"));
    await memory(cwd, ["forget", "2", "--yes"]);
    expect(existsSync(join(cwd, "outside/index.db"))).toBe(true);
  });

  it("takes no more of what is there by now than what was shown, but all that was made of that", async () => {
    const { chooseAgain, choose } = await import("../../../src/cli/memory/forget/choice.ts");
    const { contentsOf } = await import("../../../src/past/memory/shards.ts");
    const cwd = await createTempProject();
    await fill(cwd, [said(1, "one"), said(2, "two")]);
    const look = () => inMemories(cwd, (memories) => contentsOf(memories.read("main/legion")));
    const shown = choose(await look(), { speaker: "0" });
    await fill(cwd, [said(3, "three"), context(1, { from: "scribe", content: "# One", upTo: 3 })]);
    await memory(cwd, ["forget", "2", "--yes"]);
    await fill(cwd, [context(2, { from: "scribe", content: "# Two", upTo: 4 })]);
    const now = chooseAgain(await look(), shown);
    expect(now.entries.map(({ raw }) => raw)).toEqual(["two"]);
    expect(now.built.map(({ content }) => content)).toEqual(["# Two"]);
  });
});

describe("legion memory forget, of what stands elsewhere", () => {
  it("names the logs of agents that hold it, also of runs, and other memories, and leaves them", async () => {
    const secret = 'the "canary"\nsings at dawn';
    const calls = [{ action: "writeNote", parameters: { title: "a", content: secret } }];
    const world = await createWorld({ "2": { script: [{ calls }] }, "3": {} });
    const cwd = world.project;
    await world.say("2", `Remember: ${secret}`);
    await world.idle();
    await world.stop();
    await run(cwd, "fox", "now");
    await fill(cwd, [said(1, secret), said(2, "Hello, fox."), said(3, "ok")]);
    await fill(cwd, [said(1, `so: ${secret}`)], "team/notes");
    const { json } = await memory(cwd, ["forget", "2", "3", "4", "--yes", "--json"]);
    const places = json.filter((one) => (one as { kind: string }).kind === "elsewhere");
    expect(places).toEqual(
      expect.arrayContaining([
        { kind: "elsewhere", folder: ".ai-legion/agents/2", agent: "2", files: expect.any(Number) as number },
        { kind: "elsewhere", folder: ".ai-legion/memory/team/notes", memory: "team/notes", files: 1 },
        expect.objectContaining({ folder: ".ai-legion/runs/fox/agents/1", agent: "1", run: "fox" }),
      ]),
    );
    expect(places).not.toContainEqual(expect.objectContaining({ agent: "3" }));
    expect((await memory(cwd, ["list", "--memory", "team/notes"])).out).toContain("sings at dawn");
  });

  it("says how it goes from there", async () => {
    const cwd = await rememberingProject({ ".ai-legion/agents/7/log/x": "Planes are built in Toulouse." });
    const { out } = await memory(cwd, ["forget", "3"], { columns: 200 });
    expect(out).toContain(
      "It also stands elsewhere, where it stays:\n  Agent 7: 1 file in .ai-legion/agents/7, which may be deleted while nothing runs\n",
    );
  });

  it("follows no link", async () => {
    const cwd = await rememberingProject({ "outside/a.txt": "Planes are built in Toulouse." });
    await mkdir(join(cwd, ".ai-legion/agents/7"), { recursive: true });
    symlinkSync(join(cwd, "outside"), join(cwd, ".ai-legion/agents/7/log"));
    symlinkSync(join(cwd, "outside"), join(cwd, ".ai-legion/agents/8"));
    expect((await memory(cwd, ["forget", "3"])).out).not.toContain("elsewhere");
  });
});

it.each([
  ["nothing to go by", ["forget", "--yes"], "say what to forget: numbers, --thread"],
  ["a malformed number", ["forget", "2,x", "--yes"], "`x` is no number"],
  ["a number that is not there", ["forget", "2", "99", "--yes"], "#99 is no entry and no shard here"],
  ["the number of something else", ["forget", "4", "--yes"], "#4 is no entry and no shard here"],
  ["a time that is none", ["forget", "--before", "soon", "--yes"], "`soon` is no time"],
  ["no words", ["forget", "--query", " ", "--yes"], "--query: there is nothing to look for"],
  ["an empty reason", ["forget", "2", "--reason", "", "--yes"], "--reason: say it in 1 to 500 characters"],
  ["an option of another order", ["list", "--before", "2026-01-01"], "it goes with `legion memory forget`"],
])("refuses to forget by %s, in one line, and writes nothing", async (_, argv, reason) => {
  const cwd = await rememberingProject();
  const before = everythingIn(cwd);
  const { exitCode, err, out } = await memory(cwd, argv);
  expect({ exitCode, out }).toEqual({ exitCode: 2, out: "" });
  expect(err).toContain(reason);
  expect(err.trimEnd().split("\n")).toHaveLength(1);
  expect(everythingIn(cwd)).toEqual(before);
});

import { mkdir, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { messageOf } from "../../../src/base/errors.ts";
import { findClaudeAgents } from "../../../src/config/claude/files.ts";
import { findDefinition, findTeam } from "../../../src/config/definition.ts";
import { NO_TRUST } from "../../../src/config/grants/grant.ts";
import { createTempProject } from "../../temp-project.ts";

const agent = (name: string, more = ""): string =>
  `---\nname: ${name}\ndescription: ${name}.\n${more}---\nYou are ${name}.\n`;

async function placesOf(
  project: Readonly<Record<string, string>>,
  home: Readonly<Record<string, string>> = {},
  packaged: Readonly<Record<string, string>> = {},
) {
  const [projectDir, homeDir, packageDir] = await Promise.all(
    [project, home, packaged].map(createTempProject),
  );
  return { projectDir: projectDir!, home: homeDir!, packageDir: packageDir! };
}

describe("agents of .claude/agents", () => {
  it("are definitions, by name, file name or path, in folders of the project and of the home", async () => {
    const places = await placesOf(
      { ".claude/agents/team/qa.md": agent("tester") },
      { ".claude/agents/poet.md": agent("poet") },
    );
    for (const reference of ["tester", "qa", ".claude/agents/team/qa.md", "./.claude/agents/team/qa.md"])
      expect(await findDefinition(reference, places)).toMatchObject({
        name: "tester",
        brief: "You are tester.",
      });
    for (const reference of ["poet", "~/.claude/agents/poet.md"])
      expect(await findDefinition(reference, places)).toMatchObject({ name: "poet", description: "poet." });
  });

  it("are what their files say now, also where the length and the time of a file stay", async () => {
    const places = await placesOf({ ".claude/agents/a.md": agent("one") });
    const file = join(places.projectDir, ".claude/agents/a.md");
    expect((await findDefinition("a", places)).brief).toBe("You are one.");
    const { atime, mtime } = await stat(file);
    await writeFile(file, agent("two"));
    await utimes(file, atime, mtime);
    expect((await findDefinition("a", places)).brief).toBe("You are two.");
    const other = await placesOf({ ".claude/agents/a.md": agent("six") });
    expect((await findDefinition("a", other)).brief).toBe("You are six.");
  });

  it("stand behind agents/ of the project; those of the project before ours, those at home behind", async () => {
    const own = "---\ndescription: own\n---\n";
    const places = await placesOf(
      { ".claude/agents/a.md": agent("a"), "agents/a.md": own, ".claude/agents/b.md": agent("b") },
      { ".claude/agents/b.md": agent("b", "color: red\n"), ".claude/agents/c.md": agent("c") },
      { "agents/b.md": own, "agents/c.md": own },
    );
    const said = async (name: string) => (await findDefinition(name, places)).description;
    expect([await said("a"), await said("b"), await said("c")]).toEqual(["own", "b.", "own"]);
    expect((await findDefinition("~/.claude/agents/c.md", places)).description).toBe("c.");
  });

  it("widen nothing that the person did not grant, unless they are the person's own", async () => {
    const text = agent("a", "maxTurns: 900\n");
    const places = await placesOf({ ".claude/agents/a.md": text }, { ".claude/agents/b.md": text });
    const bounds = { ...NO_TRUST.bounds, limits: { ...NO_TRUST.bounds.limits, agent: { turns: 50 } } };
    const trust = { ...NO_TRUST, bounds };
    const project = await findDefinition(".claude/agents/a.md", { ...places, trust });
    expect(project.limits).toEqual({ turns: undefined });
    expect(project.grants).toMatchObject([
      { what: ".claude/agents/a.md limits.turns", value: "900", isGranted: false },
    ]);
    expect(await findDefinition("~/.claude/agents/b.md", { ...places, trust })).toMatchObject({
      limits: { turns: 900 },
      grants: [],
    });
  });

  it("say what forbids by their file", async () => {
    const places = await placesOf({ ".claude/agents/a.md": agent("a", "disallowedTools: Bash(rm:*)\n") });
    expect((await findDefinition("a", places)).policy).toEqual([
      { by: ".claude/agents/a.md", as: "anybody", deny: ["run rm *"] },
    ]);
  });

  it("have ids as a team that can be typed, whatever they are called, each its own", async () => {
    const names = ["0", "all", "control", "My Cool Agent", "twin", "twin", "twin", "Ünï", "../x", "-"];
    const files = names.map((name, n) => [`.claude/agents/a${n}.md`, agent(JSON.stringify(name))] as const);
    const team = await findTeam(".claude", await placesOf(Object.fromEntries(files)));
    expect(team.map(({ id }) => id)).toEqual([
      ...["agent-0", "agent-all", "agent-control", "my-cool-agent", "twin", "twin-2", "twin-3"],
      ...["n", "a8", "a9"],
    ]);
    expect(team.map(({ agent: path }) => path)).toEqual(files.map(([path]) => path));
  });

  describe("hostile: definitions", () => {
    it("links out of the project, folders that turn in circles and what is no text harm no other", async () => {
      const outside = await createTempProject({ "x.md": agent("x") });
      const places = await placesOf({
        ".claude/agents/good.md": agent("good"),
        ".claude/agents/README.md": "# About these",
        ".claude/agents/long.md": `---\nname: long\n---\n${"x".repeat(2_000_000)}`,
      });
      const folder = join(places.projectDir, ".claude/agents");
      await writeFile(join(folder, "latin.md"), Buffer.from([0x2d, 0x2d, 0x2d, 0x0a, 0xe9, 0xff]));
      await symlink(join(outside, "x.md"), join(folder, "x.md"));
      await symlink(outside, join(folder, "out"));
      await mkdir(join(folder, "deep"));
      await symlink("..", join(folder, "deep/up"));
      const found = await findClaudeAgents(places);
      expect(found.map(({ shown, fault, agent: read }) => [shown, read?.name ?? fault])).toEqual([
        [".claude/agents/good.md", "good"],
        [".claude/agents/latin.md", ".claude/agents/latin.md: is not UTF-8 text"],
        [".claude/agents/long.md", expect.stringContaining("at most 1048576 are read")],
      ]);
      const refusal = async (reference: string): Promise<string> =>
        messageOf(await findDefinition(reference, places).catch((error: unknown) => error));
      expect(await refusal(".claude/agents/x.md")).toContain("outside the project");
      expect(await refusal("~/.claude/agents/../../x.md")).toMatch(/outside the project|there is no file/);
      expect(await refusal(".claude/agents/README.md")).toBe(
        ".claude/agents/README.md:1: expected ---, the line that opens the front matter",
      );
      expect(await refusal("goood")).toContain('did you mean "good"?');
      await writeFile(join(folder, "deep/cool.md"), agent("My Cool Agent"));
      expect(await refusal("my cool agent")).toContain('did you mean "My Cool Agent"?');
    });
  });
});

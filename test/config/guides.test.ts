import { symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { messageOf } from "../../src/base/errors.ts";
import { packageDir } from "../../src/base/package.ts";
import { decisivePaths } from "../../src/config/code/startable.ts";
import { findDefinition } from "../../src/config/definition.ts";
import { createTempProject } from "../temp-project.ts";

const AGENT = "---\nname: a\ndescription: b\n---\nYou help.\n";

async function briefIn(files: Readonly<Record<string, string>>, name = "own"): Promise<string> {
  return (await findDefinition(name, { projectDir: await createTempProject(files), packageDir })).brief;
}

describe("what a project tells all agents", () => {
  it("is part of the brief of those that ask for it, in their order, each text once", async () => {
    const own = "---\nguides: [CLAUDE.md, AGENTS.md]\n---\nYou build.\n";
    expect(await briefIn({ "agents/own.md": own, "AGENTS.md": "Use tabs.", "CLAUDE.md": "Be kind." })).toBe(
      "You build.\n\n# CLAUDE.md of this project\n\nBe kind.\n\n# AGENTS.md of this project\n\nUse tabs.",
    );
    expect(await briefIn({ "agents/own.md": own, "AGENTS.md": "Same.", "CLAUDE.md": "Same.\n" })).toBe(
      "You build.\n\n# CLAUDE.md of this project\n\nSame.",
    );
    expect(await briefIn({ "agents/own.md": own })).toBe("You build.");
    expect(await briefIn({ "agents/own.md": "---\n---\nX", "CLAUDE.md": "Be kind." })).toBe("X");
  });

  it("is CLAUDE.md for agents of Claude Code", async () => {
    const files = { ".claude/agents/a.md": AGENT, "CLAUDE.md": "Be kind.", "AGENTS.md": "Use tabs." };
    expect(await briefIn(files, "a")).toBe("You help.\n\n# CLAUDE.md of this project\n\nBe kind.");
  });

  it("is also .claude/CLAUDE.md, and what both import: relative, in a row, each file once", async () => {
    const files = {
      ".claude/agents/a.md": AGENT,
      "CLAUDE.md":
        "See @docs/style.md, @AGENTS.md. Mail a@b.md; `@docs/code.md`\n```\n@docs/code.md\n```\n@package.json",
      ".claude/CLAUDE.md": "- @../docs/style.md\n- @more.md",
      ".claude/more.md": "More.",
      "docs/style.md": "Style: @style/names.md",
      "docs/style/names.md": "Names. @../style.md",
      "docs/code.md": "Never.",
      "AGENTS.md": "Use tabs. @docs/my\\ file.md#part",
      "docs/my file.md": "Mine.",
      "package.json": "{}",
    };
    const brief = await briefIn(files, "a");
    expect(brief.match(/^# .* of this project$/gm)?.map((line) => line.split(" of this")[0])).toEqual([
      "# CLAUDE.md",
      "# docs/style.md",
      "# docs/style/names.md",
      "# AGENTS.md",
      "# docs/my file.md",
      "# .claude/CLAUDE.md",
      "# .claude/more.md",
    ]);
    expect(brief).not.toMatch(/Never|\{\}/);
    const own = { ...files, "agents/own.md": "---\nguides: [AGENTS.md]\n---\nX" };
    expect(await briefIn(own)).not.toContain("Mine.");
  });

  it("is out of the agents' reach as soon as one has it", async () => {
    const projectDir = await createTempProject({ ".claude/agents/a.md": AGENT });
    const none = { definitions: [], teams: [], modules: [], programs: [] };
    const reach = () => decisivePaths(none, { places: { projectDir, packageDir }, ownDir: packageDir });
    expect(await reach()).toEqual(expect.arrayContaining(["CLAUDE.md", ".claude/CLAUDE.md"]));
    expect(await reach()).not.toContain("AGENTS.md");
    await writeFile(
      join(projectDir, "CLAUDE.md"),
      "@AGENTS.md @lib/CLAUDE.md @.claude/style.md @README.md @docs/none.md",
    );
    await writeFile(join(projectDir, "AGENTS.md"), "Use tabs.");
    await writeFile(join(projectDir, "README.md"), "A tool.");
    const guides = ["CLAUDE.md", "AGENTS.md", "lib/CLAUDE.md", ".claude/style.md"];
    expect(await reach()).toEqual(expect.arrayContaining(guides));
    // What is imported besides is part of the project, and agents may be asked to work on it.
    expect(await reach()).not.toContain("README.md");
    expect(await reach()).not.toContain("docs/none.md");
    expect((await findDefinition("a", { projectDir, packageDir })).brief).toContain("A tool.");
  });

  describe("hostile: definitions", () => {
    it("one that leads out, is no text or hides something stops our own in one line, and others not", async () => {
      const outside = await createTempProject({ "secret.md": "secret" });
      const projectDir = await createTempProject({
        "agents/own.md": "---\nguides: [CLAUDE.md]\n---\nYou build.\n",
        ".claude/agents/a.md": AGENT,
      });
      const places = { projectDir, packageDir };
      await symlink(join(outside, "secret.md"), join(projectDir, "CLAUDE.md"));
      const error: unknown = await findDefinition("own", places).catch((thrown: unknown) => thrown);
      expect(messageOf(error)).toBe("CLAUDE.md leads out of the project; put a real file in its place");
      const { brief, remarks } = await findDefinition("a", places);
      expect(brief).toBe("You help.");
      expect(remarks).toEqual([expect.stringContaining("not part of its brief: CLAUDE.md leads out")]);
      await writeFile(join(projectDir, "agents/own.md"), "---\nguides: [AGENTS.md]\n---\n");
      await writeFile(join(projectDir, "AGENTS.md"), `a\u202eb\u{e0041}${"x".repeat(100_000)}`);
      const { brief: long } = await findDefinition("own", places);
      expect(long).toMatch(/^# AGENTS\.md of this project\n\nabx+$/);
      expect(long.length).toBeLessThan(40_100);
    });

    it.each([
      ["to the home", "@~/.claude/secret.md", "it leads out of the project"],
      ["above", "@../secret.md", "it leads out of the project"],
      ["to the root", "@/etc/secret.md", "it leads out of the project"],
      ["by a link", "@link.md", "link.md leads out of the project"],
      ["to what is no text", "@latin.md", "is not UTF-8 text"],
      ["to nothing", "@none.md", "there is no such file"],
      ["in a circle", "@circle.md", undefined],
      ["with a name of 30,000 characters", `@${"!".repeat(30_000)}.md`, undefined],
      ["to a folder", "@folder.md", "there is no such file"],
      ["ever deeper", "@deep/1.md", "more than 5 files in a row"],
      ["to very many", Array.from({ length: 50 }, (_, n) => `@many/${n}.md`).join(" "), "more than 20 files"],
      [
        "to very long ones",
        "@long/1.md @long/2.md @long/3.md @long/4.md",
        "more than 100000 characters in all",
      ],
    ])("an import %s takes nothing along, and is said", async (_, text, why) => {
      const outside = await createTempProject({ "secret.md": "secret" });
      const projectDir = await createTempProject({
        ".claude/agents/a.md": AGENT,
        "CLAUDE.md": `Kind. ${text}`,
        "circle.md": "@CLAUDE.md @circle.md",
        "folder.md/x": "",
        ...Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`deep/${n}.md`, `${n} @${n + 1}.md`])),
        ...Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`many/${n}.md`, `${n}`])),
        ...Object.fromEntries(Array.from({ length: 5 }, (_, n) => [`long/${n}.md`, `${n} `.repeat(50_000)])),
      });
      await symlink(join(outside, "secret.md"), join(projectDir, "link.md"));
      await writeFile(join(projectDir, "latin.md"), Buffer.from([0xe9, 0xff]));
      const { brief, remarks } = await findDefinition("a", { projectDir, packageDir });
      expect(brief).toContain("Kind.");
      expect(brief).not.toContain("secret\n");
      expect(brief.length).toBeLessThan(170_000);
      if (why === undefined) expect(remarks).toEqual([]);
      else expect(remarks?.[0]).toMatch(new RegExp(`^not part of its brief: @.*: .*${why}`));
      expect(remarks?.length).toBeLessThan(40);
    });
  });

  it.each(["README.md", "[../x.md]", "[3]"])("refuses guides: %s", async (guides) => {
    const error: unknown = await briefIn({ "agents/own.md": `---\nguides: ${guides}\n---\n` }).catch(
      (thrown: unknown) => thrown,
    );
    expect(messageOf(error)).toContain("agents/own.md:2: guides");
    expect(messageOf(error)).toContain("expected a list of AGENTS.md and CLAUDE.md");
  });
});

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

  it("is out of the agents' reach as soon as one has it", async () => {
    const projectDir = await createTempProject({ ".claude/agents/a.md": AGENT });
    const none = { definitions: [], teams: [], modules: [], programs: [] };
    const paths = await decisivePaths(none, { places: { projectDir, packageDir }, ownDir: packageDir });
    expect(paths).toContain("CLAUDE.md");
    expect(paths).not.toContain("AGENTS.md");
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
  });

  it.each(["README.md", "[../x.md]", "[3]"])("refuses guides: %s", async (guides) => {
    const error: unknown = await briefIn({ "agents/own.md": `---\nguides: ${guides}\n---\n` }).catch(
      (thrown: unknown) => thrown,
    );
    expect(messageOf(error)).toContain("agents/own.md:2: guides");
    expect(messageOf(error)).toContain("expected a list of AGENTS.md and CLAUDE.md");
  });
});

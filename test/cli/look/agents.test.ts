import { rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { findTeam } from "../../../src/config/definition.ts";
import { createTempProject } from "../../temp-project.ts";
import { legion, type Seen } from "../legion.ts";

const agent = (name: string, more = ""): string =>
  `---\nname: ${name}\ndescription: It is ${name}.\n${more}---\nYou help.\n`;

let project: string;
let home: string;

beforeEach(async () => {
  project = await createTempProject({
    "agents/own.md": "---\ndescription: Of this project.\n---\n",
    ".claude/agents/reviewer.md": agent("reviewer", "tools: Read, LSP\nhooks: {}\ncolor: red\nmodel: opus\n"),
  });
  home = await createTempProject({
    ".claude/agents/reviewer.md": agent("reviewer"),
    ".claude/agents/poet.md": agent("poet", "maxTurns: 9\n"),
  });
});

function run(...args: readonly string[]): Promise<Seen> {
  return legion(["agents", ...args], { cwd: project, columns: 110, env: { HOME: home, NO_COLOR: "1" } });
}

async function listed(): Promise<readonly string[]> {
  const { json } = await run("--json");
  return (json as readonly { agent: string; from: string }[]).map((line) => `${line.agent} ${line.from}`);
}

describe("legion agents", () => {
  it("lists every definition that can be started, where it comes from, and how it is named", async () => {
    expect(await listed()).toEqual([
      "own agents",
      "reviewer .claude/agents",
      ...["assistant", "builder", "legionnaire", "planner", "researcher", "roamer", "scribe", "swe"].map(
        (name) => `${name} ai-legion`,
      ),
      "poet ~/.claude/agents",
      "~/.claude/agents/reviewer.md ~/.claude/agents",
    ]);
    const { json } = await run("--json");
    expect(json[1]).toEqual({
      ...{ agent: "reviewer", name: "reviewer", from: ".claude/agents", description: "It is reviewer." },
      ...{ color: "red", model: "anthropic/claude-opus-5-5", modules: ["core", "messaging", "system"] },
      actions: expect.arrayContaining(["readFile", "sendMessage"]) as unknown,
      notes: [
        "tools: LSP: nothing here does what it does",
        "hooks: no hook runs; the policy judges each call",
      ],
    });
  });

  it("says on a terminal what does not hold", async () => {
    const { out, exitCode } = await run();
    expect(exitCode).toBe(0);
    expect(out).toMatch(/^AGENT +FROM +MODEL +DESCRIPTION\nown +agents +- +Of this project\.\n/);
    expect(out).toContain("\nreviewer: hooks: no hook runs; the policy judges each call\n");
  });

  it("says that .claude/agents is a link out of the project, and so does a start of it", async () => {
    const line =
      ".claude/agents leads out of the project; keep it there, or link it from your home: ~/.claude/agents";
    const elsewhere = await createTempProject({ "x.md": "---\nname: x\ndescription: y\n---\n" });
    await rm(join(project, ".claude/agents"), { recursive: true });
    await symlink(elsewhere, join(project, ".claude/agents"));
    expect((await run()).out.replaceAll("\n", " ")).toContain(line);
    const places = { projectDir: project, packageDir: project };
    await expect(findTeam(".claude", places)).rejects.toMatchObject({ code: "USAGE", message: line });
  });

  it("says which skills and servers there are not, and which mark has nothing to stand for", async () => {
    await writeFile(join(project, "agents/clerk.md"), "---\nskills: [writing-skils]\nmcp: [files]\n---\n");
    await writeFile(join(project, "agents/plain.md"), "---\nmodules: [core]\n---\n{SKILLS_METADATA}\n");
    const { out } = await run();
    expect(out).toContain('\nclerk: skills: there is no "writing-skils"; did you mean "writing-skills"?\n');
    expect(out).toContain('\nclerk: mcp: there is no "files"; there are none\n');
    expect(out).toContain("\nplain: its brief has the mark {SKILLS_METADATA} and it has no skills");
  });

  it("says why a path stands for a name that another has, in the color of the file on a terminal", async () => {
    await writeFile(join(project, ".claude/agents/second.md"), agent("reviewer"));
    const { out } = await legion(["agents"], {
      cwd: project,
      columns: 110,
      env: { HOME: home, FORCE_COLOR: "1" },
    });
    expect(out).toContain("\n\u001b[31mreviewer\u001b[39m  ");
    expect(out).toContain(
      "\n.claude/agents/second.md: its name, reviewer, means .claude/agents/reviewer.md; its path means it\n",
    );
    expect(out).toContain(
      "\n~/.claude/agents/reviewer.md: its name, reviewer, means .claude/agents/reviewer.md;",
    );
  });

  describe("hostile: definitions", () => {
    it("lists what cannot be started with the reason, and nothing that a terminal would obey", async () => {
      const folder = join(project, ".claude/agents");
      await writeFile(join(folder, "long.md"), `---\nname: long\n---\n${"x".repeat(2_000_000)}`);
      await writeFile(
        join(folder, "evil\u001b[2J.md"),
        agent("'\\u202e'", 'version: "\u001b[31m"\n"\u001b[1m": x\n'),
      );
      await writeFile(join(project, "agents/broken.md"), "---\nmodle: x\n---\n");
      const { out, exitCode } = await run();
      expect(exitCode).toBe(0);
      expect(out).toContain("cannot be started: .claude/agents/long.md: is 20000");
      expect(out).toContain(
        'cannot be started: agents/broken.md:2: unknown key "modle"; did you mean "model"?',
      );
      expect(out).not.toMatch(/[\u001b\u202e]/u);
      expect(await listed()).toContain("long .claude/agents");
    });
  });
});

import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { createTempProject } from "../../temp-project.ts";
import { legion, type Seen } from "../legion.ts";

const skill = (name: string, description = `Does ${name}.`) =>
  `---\nname: ${name}\ndescription: ${description}\n---\n\nText.\n`;

let project: string;
let home: string;

beforeEach(async () => {
  project = await createTempProject({
    ".ai-legion/skills/pdf/SKILL.md": skill("pdf"),
    ".claude/skills/zip/SKILL.md": skill("tar"),
    "skills/readme.md": "No skill.",
  });
  home = await createTempProject({
    ".claude/skills/pdf/SKILL.md": skill("pdf", "Another."),
    ".agents/skills/mail/SKILL.md": skill("mail"),
  });
});

function run(...args: readonly string[]): Promise<Seen> {
  const env = { HOME: home, XDG_CONFIG_HOME: join(home, "config") };
  return legion(args, { cwd: project, columns: 100, env });
}

async function names(): Promise<readonly string[]> {
  const { json } = await run("skills", "--json");
  return (json as readonly { name: string; from: string }[]).map(({ name, from }) => `${name} ${from}`);
}

describe("legion skills", () => {
  it("lists those of the person and of the program, and says what was not trusted of the project", async () => {
    expect(await names()).toEqual([
      "mail ~/.agents/skills",
      "pdf ~/.claude/skills",
      "writing-skills ai-legion",
    ]);
    const { out, err } = await run("skills");
    expect(out).toMatch(/^SKILL +FROM +DESCRIPTION\nmail +~\/\.agents\/skills +Does mail\.\n/);
    expect((out + err).replace(/\s+/g, " ")).toContain(
      "teach its agents 1 skill of .ai-legion/skills, and what comes to stand there (.ai-legion/skills)",
    );
    expect(out + err).not.toContain("(skills)");
  });

  it("lists those of the project before all others once the person trusted them", async () => {
    await run("trust", "--trust");
    expect(await names()).toEqual([
      "mail ~/.agents/skills",
      "pdf .ai-legion/skills",
      "tar .claude/skills",
      "writing-skills ai-legion",
    ]);
    const { out } = await run("skills");
    expect(out).toContain('tar: the name "tar" is not that of its folder, zip');
    expect(out).toContain(`left out: ${home}/.claude/skills/pdf: "pdf" is in`);
    await run("trust", "--forget");
    expect(await names()).toHaveLength(3);
  });

  it("says which folder of the project is a link out of it, unless the person has what it leads to", async () => {
    const elsewhere = await createTempProject({ "docx/SKILL.md": skill("docx") });
    await mkdir(join(project, ".agents"));
    await symlink(elsewhere, join(project, ".agents/skills"));
    const line =
      "left out: .agents/skills leads out of the project; keep its skills there, or link them from your home";
    expect((await run("skills")).out.replaceAll("\n", " ")).toContain(line);
    expect((await run("doctor")).out).toContain(line);
    await mkdir(join(home, ".ai-legion"));
    await symlink(elsewhere, join(home, ".ai-legion/skills"));
    expect((await run("skills")).out).not.toContain(line);
    expect(await names()).toContain("docx ~/.ai-legion/skills");
  });

  it("goes on listing what a trusted folder holds as it changes", async () => {
    await run("trust", "--trust");
    await mkdir(join(project, ".claude/skills/new"));
    await writeFile(join(project, ".claude/skills/new/SKILL.md"), skill("new"));
    expect(await names()).toContain("new .claude/skills");
  });
});

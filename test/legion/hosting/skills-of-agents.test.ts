import { describe, expect, it } from "vitest";
import { NO_SECRETS } from "../../../src/base/redaction/redactor.ts";
import { packageDir } from "../../../src/base/package.ts";
import { recordOf } from "../../../src/legion/hosting/agent-plan.ts";
import { planRoster, type Roster } from "../../../src/legion/roster.ts";
import { toRecord } from "../../../src/storage/contract/reader.ts";
import { ownHome } from "../../own-config-home.ts";
import { createTempProject } from "../../temp-project.ts";
import { loadTrusted } from "../../trusting.ts";

const skill = (name: string) => `---\nname: ${name}\ndescription: Does ${name}.\n---\n\nText.\n`;

/** A team of the agents that `team` says. */
async function plan(team: string, files: Readonly<Record<string, string>> = {}): Promise<Roster> {
  const projectDir = await createTempProject({
    "skills/pdf/SKILL.md": skill("pdf"),
    "skills/zip/SKILL.md": skill("zip"),
    "agents/clerk.md": "---\nmodules: [core]\nskills: [pdf]\n---\nYou file.\n",
    "agents/plain.md":
      "---\nmodules: [core]\n---\nBefore.\n\n{SKILLS_METADATA}\n\nAfter {SKILLS_METADATA}.\n",
    "agents/team.yaml": `agents:\n${team}`,
    ...files,
  });
  const config = await loadTrusted({ projectDir, env: ownHome(), flags: {} });
  return planRoster({ kind: "team", team: "team" }, { config, places: { projectDir, packageDir } });
}

describe("a member of a team", () => {
  it("has the skills and servers that the team says, in place of the definition's, also when it is started again", async () => {
    const { roles } = await plan(
      "  a: { agent: clerk, skills: [zip], mcp: [files] }\n  b: { agent: clerk }\n  c: { agent: plain, skills: all }\n",
    );
    const said = roles.map(({ plan: { settings }, modules }) => [
      settings?.["skills"],
      settings?.["mcp"],
      modules,
    ]);
    expect(said).toMatchObject([
      [{ names: ["zip"] }, { names: ["files"] }, ["core", "skills", "mcp"]],
      [{ names: ["pdf"] }, { names: "all" }, ["core", "skills"]],
      [{ names: "all" }, { names: "all" }, ["core", "skills"]],
    ]);
    expect(toRecord(recordOf(roles[0]!.plan, NO_SECRETS))).toMatchObject({ skills: ["zip"], mcp: ["files"] });
    expect(toRecord(recordOf(roles[1]!.plan, NO_SECRETS)).skills).toBeUndefined();
  });

  it.each([
    ["skills", "expected all, or a list of skills such as [pdf, release-notes]"],
    ["mcp", "expected all, or a list of MCP servers such as [files, tickets]"],
  ])("is told what %s may be", async (key, expected) => {
    await expect(plan(`  a: { agent: clerk, ${key}: pdf }\n`)).rejects.toThrow(
      `agents/team.yaml:2: agents.a.${key}: ${expected}`,
    );
  });
});

describe("a skill that there is not", () => {
  it("is reported with the nearest name, or with those that there are", async () => {
    const files = { "agents/clerk.md": "---\nmodules: [core]\nskills: [pfd]\n---\n" };
    expect((await plan("  a: { agent: clerk }\n  b: { agent: clerk }\n", files)).remarks).toEqual([
      'clerk: skills: there is no "pfd"; did you mean "pdf"?',
    ]);
    const { remarks } = await plan("  a: { agent: plain, skills: [pdf, mail, chess] }\n");
    expect(remarks[0]).toBe('plain: skills: there is no "mail", "chess"; there are pdf, writing-skills, zip');
    expect((await plan("  a: { agent: clerk }\n")).remarks).toEqual([]);
  });
});

describe("an MCP server that there is not", () => {
  const servers = {
    files: { command: "x" },
    off: { command: "x", disabled: true },
    odd: { command: "x", url: "y" },
  };
  const mcp = { ".mcp.json": JSON.stringify({ mcpServers: servers }, null, 2) };
  const own = "---\nname: own\nmcpServers: [db: { command: x }]\n---\n";

  it("is reported as a skill is; one that is disabled or wrong is there, one of another agent is not", async () => {
    const files = { ...mcp, ".claude/agents/own.md": own, "agents/clerk.md": "---\nmcp: [flies]\n---\n" };
    const { remarks } = await plan(
      "  a: { agent: clerk }\n  b: { agent: plain, mcp: [off, db] }\n  c: { agent: own }\n",
      files,
    );
    expect(remarks).toEqual([
      'clerk: mcp: there is no "flies"; did you mean "files"?',
      'plain: mcp: there is no "db"; there are files, off, odd',
      '.mcp.json:10: server "odd": has a command and a url; leave out the one that is not meant',
      "Not all holds that plain says; `legion agents` lists it.",
    ]);
  });

  it("is none where an agent has no servers, and neither is what is wrong with them said then", async () => {
    expect((await plan("  a: { agent: clerk, skills: [pdf] }\n", mcp)).remarks).toEqual([]);
  });
});

describe("the mark of a brief", () => {
  it("is taken out where its agent has no skills, and that is said", async () => {
    const { roles, remarks } = await plan("  a: { agent: plain }\n  b: { agent: plain, skills: all }\n");
    expect(roles.map(({ plan: { identity } }) => identity.brief)).toEqual([
      "Before.\n\nAfter .",
      "Before.\n\n{SKILLS_METADATA}\n\nAfter {SKILLS_METADATA}.",
    ]);
    expect(remarks).toEqual(["Not all holds that plain says; `legion agents` lists it."]);
  });
});

import { describe, expect, it } from "vitest";
import type { DoctorFinding } from "../../../src/cli/doctor/finding.ts";
import { createTempProject } from "../../temp-project.ts";
import { legion } from "../legion.ts";

const agent = (name: string, more = ""): string =>
  `---\nname: ${name}\ndescription: x\n${more}---\nYou help.\n`;
const skill = (name: string) => `---\nname: ${name}\ndescription: Does ${name}.\n---\nText.\n`;
const CHECKS = [".claude/agents", "skills", "mcp"];

async function found(files: Readonly<Record<string, string>>, home: Readonly<Record<string, string>> = {}) {
  const [cwd, HOME] = [await createTempProject(files), await createTempProject(home)];
  const { exitCode, json, err } = await legion(["doctor", "--json"], { cwd, env: { HOME } });
  expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
  const findings = json as readonly DoctorFinding[];
  return findings
    .filter(({ check }) => CHECKS.includes(check))
    .map(({ check, status, detail }) => `${check} ${status}: ${detail}`);
}

describe("what agents find outside", () => {
  it("is told of in a line each where something is wrong with it, or waits for the person", async () => {
    const lines = await found(
      {
        ".claude/agents/a.md": agent("a", "hooks: {}\nskills: pdf, zip, mial\nmcpServers: [flies]\n"),
        ".claude/agents/long.md": `---\nname: long\n---\n${"x".repeat(2_000_000)}`,
        ".claude/skills/zip/SKILL.md": skill("zip"),
        ".mcp.json":
          '{ "mcpServers": {\n"files": { "command": "x" },\n"odd": {},\n"site": { "url": "https://x.example/mcp" } } }',
      },
      { ".claude/skills/mail/SKILL.md": skill("mail"), ".agents/skills/tar/SKILL.md": skill("other") },
    );
    expect(lines).toEqual([
      ".claude/agents ok: 1 valid definition; of 1 not all holds, `legion agents` lists it",
      expect.stringMatching(/^\.claude\/agents wrong: \.claude\/agents\/long\.md: is 2\d+ bytes long/),
      "skills ok: 3 that agents can have; `legion skills` lists them",
      expect.stringMatching(
        /^skills warning: left out, as you have not trusted it: teach its agents 1 skill/,
      ),
      'skills warning: other: the name "other" is not that of its folder, tar',
      'skills wrong: a: skills: there is no "pdf", "mial"; there are mail, other, writing-skills, zip',
      "mcp ok: 2 servers, 0 allowed; `legion mcp` lists them",
      expect.stringMatching(
        /^mcp warning: not allowed, so never started: files.*; `legion mcp allow <server>`$/,
      ),
      expect.stringMatching(/^mcp wrong: \.mcp\.json:3: server "odd": /),
      'mcp wrong: a: mcp: there is no "flies"; did you mean "files"?',
    ]);
  });

  it("is silent of what is not there", async () => {
    expect(await found({})).toEqual(["skills ok: 1 that agents can have; `legion skills` lists them"]);
  });

  it("tells of ten of a kind, and how many more", async () => {
    const many = (path: (n: number) => string, text: string) =>
      Object.fromEntries(Array.from({ length: 30 }, (_, n) => [path(n), text]));
    const servers = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`s${n}`, { command: "x" }]));
    const lines = await found(
      { ".mcp.json": JSON.stringify({ mcpServers: servers }) },
      many((n) => `.claude/skills/s${n}/SKILL.md`, "No front matter."),
    );
    expect(lines.filter((line) => line.startsWith("skills warning"))).toHaveLength(11);
    expect(lines).toContain("skills warning: and 20 more");
    expect(lines.join("\n")).toContain("s8, s9 and 20 more; ");
  });
});

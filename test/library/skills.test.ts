import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { packageDir } from "../../src/base/package.ts";
import { openTestLegion } from "../../src/testing.ts";
import { bubblewrapIsThere } from "../environment/opened.ts";
import { call } from "./programs.ts";

const PDF =
  "---\nname: pdf\ndescription: Fills forms.\nallowed-tools: Bash(curl *)\n---\n\nRead references/forms.md.\n";
const FILES = {
  ".ai-legion/skills/pdf/SKILL.md": PDF,
  ".ai-legion/skills/pdf/references/forms.md": "Forms are made of fields.\n",
  ".ai-legion/skills/pdf/scripts/fill.sh": "echo filled by a script\n",
  ".ai-legion/skills/pdf/.env": "KEY=1\n",
  "agents/clerk.md":
    "---\nmodules: [core, system]\nskills: all\npolicy: { deny: [run curl *] }\n---\nBefore {SKILLS_METADATA} after.\n",
  ".claude/agents/filer.md":
    "---\nname: filer\ndescription: Files.\ntools: Read\nskills: pdf\n---\nYou file.\n",
  "agents/plain.md": "---\nmodules: [core, system]\n---\nNo skills.\n",
};

async function open(script: Parameters<typeof openTestLegion>[0], said: "trusted" | "nothing" = "trusted") {
  const legion = await openTestLegion(script, { files: FILES, ...(said === "trusted" && { trust: true }) });
  onTestFinished(() => legion.stop());
  return legion;
}

/** What came of each call, as the agent's model was shown it. */
async function outcomes(legion: Awaited<ReturnType<typeof open>>, agent: string): Promise<string> {
  await (await legion.spawn(agent)).prompt("Go on.");
  return JSON.stringify(legion.model.requests.at(-1)!.turns);
}

describe("skills of a project", () => {
  it("are listed at the mark of the brief, and read by name and file", async () => {
    const legion = await open([
      call("getSkill", { name: "pdf" }),
      call("readFile", { path: ".ai-legion/skills/pdf/references/forms.md" }),
      "Done.",
    ]);
    const shown = await outcomes(legion, "clerk");
    const { system } = legion.model.requests[0]!;
    expect(system).toContain("Before ### Available Skills\n\n**pdf** - Fills forms.\n**writing-skills** - ");
    expect(system).not.toContain("--- SKILLS ---");
    expect(shown).toContain("Read references/forms.md.");
    expect(shown).toContain("Forms are made of fields.");
  });

  it("may be read, and not changed, where they lie outside the workspace", async () => {
    const path = join(packageDir, "skills/writing-skills/SKILL.md");
    const legion = await open([
      call("getSkill", { name: "writing-skills" }),
      call("readFile", { path, limit: 1 }),
      call("listDirectory", { path: join(packageDir, "skills") }),
      call("readFile", { path: join(packageDir, "package.json") }),
      call("editFile", { path, oldText: "# Writing a skill", newText: "" }),
      "Done.",
    ]);
    const shown = await outcomes(legion, "clerk");
    expect(shown).toContain("The front matter");
    expect(shown).toContain("Lines 1 to 1 are shown");
    expect(shown).toContain("writing-skills [directory]");
    expect(shown.match(/profile workspace forbids it/g)).toHaveLength(2);
  });

  it("stand in the first prompt where an agent of Claude Code names them", async () => {
    const legion = await open(["Done."]);
    await outcomes(legion, "filer");
    const { system } = legion.model.requests[0]!;
    expect(system).toContain("Skill: pdf\n");
    expect(system).toContain("Read references/forms.md.");
    expect(system).not.toContain("writing-skills");
  });

  it.runIf(bubblewrapIsThere)("have scripts that run as commands, judged like every command", async () => {
    const run = (command: string) => call("executeCommand", { command });
    const legion = await open([
      run("sh .ai-legion/skills/pdf/scripts/fill.sh"),
      run("echo no >> .ai-legion/skills/pdf/scripts/fill.sh"),
      run("curl .ai-legion/skills/pdf"),
      "Done.",
    ]);
    const shown = await outcomes(legion, "clerk");
    expect(shown).toContain("filled by a script");
    expect(shown).toContain("Read-only file system");
    expect(shown).toMatch(/forbid/);
  });

  it.runIf(bubblewrapIsThere)("are not there for commands of an agent without skills", async () => {
    const script = { command: "sh .ai-legion/skills/pdf/scripts/fill.sh" };
    const legion = await open([call("executeCommand", script), "Done."]);
    expect(await outcomes(legion, "plain")).not.toContain("filled by a script");
  });

  it("are left out as long as nobody trusted them", async () => {
    const legion = await open([call("getSkill", { name: "pdf" }), "Done."], "nothing");
    const shown = await outcomes(legion, "clerk");
    expect(legion.model.requests[0]!.system).not.toContain("**pdf**");
    expect(shown).toContain('There is no skill \\"pdf\\"');
  });
});

describe("hostile: skills", () => {
  it.each([
    ["the legion's own folder", ".ai-legion/skills/pdf/SKILL.md"],
    ["a folder that is not there yet", "skills/evil/SKILL.md"],
    ["the folder of other programs", ".agents/skills/evil/SKILL.md"],
    ["the folder of Claude Code", ".claude/skills/evil/SKILL.md"],
  ])("no agent writes into %s", async (_, path) => {
    const legion = await open([call("writeFile", { path, content: "evil" }), "Done."]);
    expect(await outcomes(legion, "clerk")).toMatch(/off-limits|can only be read|denied|not permitted/);
  });

  it("an agent without skills reads nothing of them, and one with skills no secrets there", async () => {
    const read = (file: string) => call("readFile", { path: `.ai-legion/skills/pdf/${file}` });
    const plain = await open([read("SKILL.md"), "Done."]);
    expect(await outcomes(plain, "plain")).toContain("off-limits");
    const clerk = await open([read(".env"), read("../../config.yaml"), "Done."]);
    const shown = await outcomes(clerk, "clerk");
    expect(shown.match(/off-limits/g)).toHaveLength(2);
    expect(shown).not.toContain("KEY=1");
  });
});

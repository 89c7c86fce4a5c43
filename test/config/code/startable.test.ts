import { realpath, symlink } from "node:fs/promises";
import { join, sep } from "node:path";
import { describe, expect, it } from "vitest";
import { loadConfig } from "../../../src/config/load-config.ts";
import { packageDir } from "../../../src/base/package.ts";
import { planRoster, type Who } from "../../../src/legion/roster.ts";
import { createTempProject } from "../../temp-project.ts";
import { ownHome } from "../../own-config-home.ts";

const one: Who = { kind: "count", count: 1 };

async function pathsOf(projectDir: string, who = one): Promise<readonly string[]> {
  const config = await loadConfig({ projectDir, env: ownHome(), flags: {} });
  return (await planRoster(who, { config, places: { projectDir, packageDir } })).protectedPaths;
}

function pathsIn(files: Readonly<Record<string, string>>, who?: Who): Promise<readonly string[]> {
  const definition = { "agents/legionnaire.md": "---\ndescription: Does things.\n---\n" };
  return createTempProject({ ...definition, ...files }).then((project) => pathsOf(project, who));
}

describe("what no agent may change", () => {
  const MODULE = "export default { name: 'weather', actions: {} };";

  it("is every file that the agents are made from, by its name and where it really lies", async () => {
    const team: Who = { kind: "team", team: "teams/t.yaml" };
    const paths = await pathsIn(
      {
        "teams/t.yaml":
          "agents: { a: { agent: roles/a.md }, b: { agent: legionnaire, modules: [core, ./b.mjs] } }",
        "roles/a.md": "---\nmodules: [core, ./tools/../tools/a.mjs]\n---\n",
        "tools/a.mjs": MODULE,
        "b.mjs": MODULE,
      },
      team,
    );
    expect(paths.toSorted()).toEqual(
      [
        ".agents/skills",
        ".claude/agents",
        ".claude/skills",
        "agents",
        "agents/legionnaire.md",
        "b.mjs",
        "package.json",
        "roles/a.md",
        "skills",
        "teams/t.yaml",
        "tools/a.mjs",
        "tools/package.json",
      ].map((path) => path.split("/").join(sep)),
    );
  });

  it("is both ends of a link", async () => {
    const projectDir = await createTempProject({
      "agents/legionnaire.md": "---\nmodules: [./link.mjs]\n---\n",
      "lib/real.mjs": MODULE,
    });
    await symlink("lib/real.mjs", join(projectDir, "link.mjs"));
    expect(await pathsOf(projectDir)).toEqual(
      expect.arrayContaining(["agents", "link.mjs", join("lib", "real.mjs")]),
    );
  });

  it("is what a definition or a team names that does not run now, and what that would import", async () => {
    const paths = await pathsIn({
      "agents/resting.md": "---\nmodules: [core, ./later.mjs, ./gone.mjs]\n---\n",
      "agents/broken.md": "---\nmodules: 3\n---\n",
      "agents/pair.yml": "agents: { a: { agent: roles/a.md, modules: [./pair.mjs] } }",
      "roles/a.md": "---\nmodules: [./role.mjs]\n---\n",
      "later.mjs": `import "./lib/deep.mjs";`,
      ".ai-legion/agents/7/agent.json": `{ "definition": "old/b.md", "modules": ["./recorded.mjs"] }`,
      "old/b.md": "---\nmodules: [./old.mjs]\n---\n",
    });
    const names = ["later.mjs", "gone.mjs", "lib/deep.mjs", "lib/deep.mjs.js", "pair.mjs", "role.mjs"];
    const recorded = ["recorded.mjs", "old/b.md", "old.mjs"];
    expect(paths.map((path) => path.split(sep).join("/"))).toEqual(
      expect.arrayContaining([...names, ...recorded, "roles/a.md", "package.json"]),
    );
  });

  it("is this program itself, where agents work in a clone of it", async () => {
    expect(await pathsOf(await realpath(packageDir))).toEqual(
      expect.arrayContaining(["dist", "src", "scripts", "package.json"]),
    );
  });
});

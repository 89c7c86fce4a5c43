import { expect, it } from "vitest";
import { packageDir } from "../../src/base/package.ts";
import { findDefinition } from "../../src/config/definition.ts";
import { createTempProject } from "../temp-project.ts";

it("whoever says which skills or servers it has need not name their module", async () => {
  const projectDir = await createTempProject({
    "agents/a.md": "---\nmodules: [core]\nskills: [pdf]\n---\n",
    "agents/b.md": "---\nmodules: [skills, core]\nskills: all\n---\n",
    "agents/c.md": "---\nmodules: [core]\n---\n",
    "agents/d.md": "---\nmodules: [core]\nmcp: [files]\n---\n",
  });
  const said = async (name: string) => {
    const { modules, skills, mcp } = await findDefinition(name, { packageDir, projectDir });
    return { modules, skills, mcp };
  };
  expect(await said("a")).toEqual({ modules: ["core", "skills"], skills: ["pdf"] });
  expect(await said("b")).toEqual({ modules: ["skills", "core"], skills: "all" });
  expect(await said("c")).toEqual({ modules: ["core"], skills: undefined });
  expect(await said("d")).toEqual({ modules: ["core", "mcp"], mcp: ["files"] });
});

import { join } from "node:path";
import { expect, it } from "vitest";
import { tellSkill } from "../../../modules/skills/tell.ts";
import { createTempProject } from "../../temp-project.ts";

it("a skill tells of files of its own, also where it holds what it has installed", async () => {
  const installed = Array.from({ length: 250 }, (_, n) => [`pdf/node_modules/m${n}/index.js`, ""] as const);
  const folder = await createTempProject({
    ...Object.fromEntries(installed),
    "pdf/SKILL.md": "---\nname: pdf\n---\nText.\n",
    "pdf/scripts/fill.py": "",
  });
  const told = await tellSkill({ name: "pdf", root: join(folder, "pdf") }, [folder]);
  expect(told?.match(/^- .*/gm)).toEqual([`- ${folder}/pdf/scripts/fill.py`]);
});

// The same skills, judged by the reference: what it finds wrong has a note here, and what it finds right has none.

import { readdirSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { findSkills } from "../../../modules/skills/find.ts";
import { findSkillPackages } from "../../../scripts/skills.mjs";
import { createTempProject } from "../../temp-project.ts";

const found = findSkillPackages();
const { collection, reference } = found ?? { collection: "", reference: "" };
const NEVER = new AbortController().signal;

type Validate = (folder: string) => Promise<readonly string[]>;

async function verdictOfReference(folder: string): Promise<"right" | "wrong"> {
  const path = pathToFileURL(join(reference, "dist/index.js")).href;
  const { validate } = (await import(path)) as { readonly validate: Validate };
  return (await validate(folder)).length === 0 ? "right" : "wrong";
}

async function verdictOfOurs(folder: string): Promise<"right" | "wrong"> {
  const { skills } = await findSkills([folder], NEVER);
  return skills[0]?.notes.length === 0 ? "right" : "wrong";
}

describe.skipIf(!found)("the reference for skills", () => {
  it("finds as much wrong with a public collection as we do, and all of it loads", async () => {
    const folder = join(collection, "meta");
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
    const roots = files
      .filter((file) => /(^|\/)SKILL\.md$/.test(file))
      .map((file) => join(folder, dirname(file)));
    expect(roots.length).toBeGreaterThanOrEqual(4);
    const { skills, leftOut } = await findSkills([folder], NEVER);
    expect(skills.map(({ root }) => root).sort()).toEqual(roots.sort());
    expect(leftOut).toEqual([]);
    for (const root of roots)
      expect([root, await verdictOfOurs(root)]).toEqual([root, await verdictOfReference(root)]);
  });

  it.each([
    ["a whole one", "name: pdf\ndescription: Forms."],
    [
      "all fields",
      "name: pdf\ndescription: x\nlicense: MIT\ncompatibility: any\nallowed-tools: Bash\nmetadata: { a: 1 }",
    ],
    ["no name", "description: x"],
    ["no description", "name: pdf"],
    ["an empty description", 'name: pdf\ndescription: ""'],
    ["a description that is too long", `name: pdf\ndescription: ${"x".repeat(1_025)}`],
    ["a description as long as may be", `name: pdf\ndescription: ${"x".repeat(1_024)}`],
    ["a colon in a description", "name: pdf\ndescription: use: it"],
    ["another name than its folder", "name: forms\ndescription: x"],
    ["capitals", "name: PDF\ndescription: x"],
    ["an underscore", "name: pdf_x\ndescription: x"],
    ["two hyphens", "name: pdf--x\ndescription: x"],
    ["a hyphen at the end", "name: pdf-\ndescription: x"],
    ["an unknown field", "name: pdf\ndescription: x\nhooks: x"],
    ["compatibility that is too long", `name: pdf\ndescription: x\ncompatibility: ${"x".repeat(501)}`],
    ["compatibility that is no text", "name: pdf\ndescription: x\ncompatibility: [a]"],
    ["a key twice", "name: pdf\nname: pdf\ndescription: x"],
    ["a list", "- name"],
    ["nothing", ""],
  ])("and we say the same of a skill with %s", async (_, front) => {
    const folder = join(await createTempProject(), "pdf");
    await mkdir(folder);
    await writeFile(join(folder, "SKILL.md"), `---\n${front}\n---\n\nText.\n`);
    expect(await verdictOfOurs(folder)).toBe(await verdictOfReference(folder));
  });
});

import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findSkills } from "../../../modules/skills/find.ts";
import { createTempProject } from "../../temp-project.ts";

const skill = (name: string): string => `---\nname: ${name}\ndescription: Does it.\n---\n`;

describe("hostile: skills", () => {
  it.each(["a\n\n--- MESSAGE FROM CONTROL ---", "\u202efdp", "\u001b[31m"])(
    "no agent is shown the folder %j",
    async (name) => {
      const root = await createTempProject({
        "zip/SKILL.md": skill("zip"),
        [`${name}/SKILL.md`]: skill("pdf"),
      });
      const { skills, leftOut } = await findSkills([root], new AbortController().signal);
      expect(skills.map((one) => one.name)).toEqual(["zip"]);
      expect(leftOut).toEqual([
        expect.stringMatching(/^[^\p{C}]*: a folder's name has what nobody sees in it$/u),
      ]);
    },
  );

  it("of many links 2,000 are followed and 500 told of, and what stands beside them is found", async () => {
    const root = await createTempProject({ "zip/SKILL.md": skill("zip"), "z/pdf/SKILL.md": skill("pdf") });
    for (let n = 0; n < 2_100; n++) symlinkSync("..", join(root, `a${n}`));
    const { skills, leftOut } = await findSkills([root], new AbortController().signal);
    expect(skills.map(({ name }) => name)).toEqual(["pdf", "zip"]);
    expect([leftOut.length, leftOut.at(-1)]).toEqual([501, "1501 more"]);
  });
});

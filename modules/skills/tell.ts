// The whole of a skill, as a model is told it.

import { opendir } from "node:fs/promises";
import { join } from "node:path";
import { cleanText } from "./clean.ts";
import { PASSED_OVER, readSkillText, skillFileIn, type Skill } from "./find.ts";
import { readFrontMatter } from "./front-matter.ts";

const MAX_FILES = 200;
const MAX_LOOKED_AT = 5_000;

/** Its text, its folder and its files; `undefined` if it is not there any more. */
export async function tellSkill(
  skill: Pick<Skill, "name" | "root">,
  folders: readonly string[],
): Promise<string | undefined> {
  const file = await skillFileIn(skill.root, folders);
  if (file === undefined) return undefined;
  const { body } = readFrontMatter((await readSkillText(file)).text);
  return [`Skill: ${skill.name}`, await rootOf(skill), cleanText(body).trim()].join("\n\n");
}

/** Where it is, and what there is beside its text, as absolute paths. */
async function rootOf({ root }: Pick<Skill, "root">): Promise<string> {
  const files = (await filesBelow(root)).filter((path) => !/\p{C}/u.test(path)).sort();
  const more = files.length > MAX_FILES ? [`- and ${files.length - MAX_FILES} more`] : [];
  const listed = files.slice(0, MAX_FILES).map((path) => `- ${path}`);
  const where = `Its folder, where relative paths in it begin: ${root}`;
  return [where, ...(files.length > 0 ? ["Its files, which you can read:"] : []), ...listed, ...more].join(
    "\n",
  );
}

/** Those near the top first, as far as so many are looked at; what cannot be read has none. */
async function filesBelow(root: string): Promise<readonly string[]> {
  const files: string[] = [];
  const folders = [root];
  let looked = 0;
  for (const folder of folders) {
    const entries = await opendir(folder).catch(() => undefined);
    for await (const entry of entries ?? []) {
      if (++looked > MAX_LOOKED_AT) return files;
      const path = join(folder, entry.name);
      if (entry.isDirectory() && !PASSED_OVER.includes(entry.name)) folders.push(path);
      if (entry.isFile() && !/^skill\.md$/i.test(entry.name)) files.push(path);
    }
  }
  return files;
}

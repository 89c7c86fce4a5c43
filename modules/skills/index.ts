import type { Dirent } from "node:fs";
import { opendir } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { defineAction, defineModule, fail, ok } from "../../src/domain/authoring/module.ts";
import { defineShared } from "../../src/domain/authoring/module-state.ts";
import { cleanText } from "./clean.ts";
import type { KnownFiles, Skill } from "./find.ts";
import type { Host } from "../../src/domain/authoring/host.ts";

const MAX_TOKENS = 8_000;
const MAX_FILES = 200;
const MAX_LOOKED_AT = 5_000;

const Offered = z.array(
  z.object({ name: z.string(), description: z.string(), root: z.string(), notes: z.array(z.string()) }),
);
const Settings = z.object({
  /** Absolute real paths, those first whose skills outrank the others. */
  folders: z.array(z.string()).default([]),
  /** Which of the skills its agent has. */
  names: z.union([z.literal("all"), z.array(z.string())]).default("all"),
});

const knownFiles = defineShared((): KnownFiles => new Map());

/** Instructions that people keep in folders with a SKILL.md: an agent knows what there is, and reads one when it needs it. */
export const skills = defineModule({
  name: "skills",

  instructions({ offer, tokens }) {
    const known = skillsIn(offer);
    return known.length === 0 ? undefined : `### Available Skills\n\n${listing(known, tokens).join("\n")}`;
  },

  offers: {
    async find(host) {
      const { folders, names } = Settings.parse(host.settings);
      // A parser of YAML comes with it, for those who look for skills alone.
      const { findSkills } = await import("./find.ts");
      const found = await findSkills(folders, host.signal, knownFiles(host));
      return found.skills.filter(({ name }) => names === "all" || names.includes(name));
    },
  },

  actions: {
    getSkill: defineAction({
      description: "Read the instructions of a skill, before you do what it is for",
      parameters: { name: z.string().trim().min(1).max(200).describe("Name of an available skill") },
      aliases: ["get_skill"],
      effects: "reads",
      touches({ name }, { offer }) {
        const skill = skillNamed(name, offer);
        return skill ? [{ kind: "read", path: skill.root }] : [];
      },
      async execute({ name }, host) {
        const known = skillsIn(host.offer);
        const skill = skillNamed(name, host.offer);
        const names = known.map((each) => each.name).join(", ");
        if (!skill)
          return fail(`There is no skill "${name}". ${names ? `There are: ${names}.` : "There are none."}`);
        const { readSkillText, skillFileIn } = await import("./find.ts");
        const { readFrontMatter } = await import("./front-matter.ts");
        const file = await skillFileIn(skill.root, Settings.parse(host.settings).folders);
        if (file === undefined) return fail(`The skill "${skill.name}" is not there any more.`);
        const { text } = await readSkillText(file);
        const { body } = readFrontMatter(text);
        const told = ok([`Skill: ${skill.name}`, await rootOf(skill), cleanText(body).trim()].join("\n\n"));
        return { ...told, keeps: `skill ${skill.name}` };
      },
    }),
  },
});

/** What the log keeps may be of another version. */
function skillsIn(offer: unknown): readonly Skill[] {
  const read = Offered.safeParse(offer);
  return read.success ? read.data : [];
}

function skillNamed(name: string, offer: unknown): Skill | undefined {
  return skillsIn(offer).find((skill) => skill.name === name.toLowerCase());
}

/** One line each in at most 8,000 tokens: where they are too many for that, the last ones by name only, or counted. */
function listing(known: readonly Skill[], tokens: Host["tokens"]): readonly string[] {
  const sizes = known.map(({ name }) => tokens(`**${name}**\n`));
  let room = MAX_TOKENS - sizes.reduce((sum, size) => sum + size, 0);
  let names = MAX_TOKENS;
  const lines: string[] = [];
  for (const [index, { name, description }] of known.entries()) {
    const size = tokens(` - ${description}`);
    names -= sizes[index]!;
    const fits = size <= room;
    room = fits ? room - size : 0;
    if (fits) lines.push(`**${name}** - ${description}`);
    else if (names >= 0) lines.push(`**${name}**`);
  }
  const left = known.length - lines.length;
  return left === 0 ? lines : [...lines, `(${left} more)`];
}

/** Where it is, and what there is beside its text, as absolute paths. */
async function rootOf({ root }: Skill): Promise<string> {
  const entries: Dirent[] = [];
  for await (const entry of await opendir(root, { recursive: true })) {
    if (entries.push(entry) === MAX_LOOKED_AT) break;
  }
  const files = entries
    .filter((entry) => entry.isFile() && !/^skill\.md$/i.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !/\p{C}/u.test(path))
    .sort();
  const more = files.length > MAX_FILES ? [`- and ${files.length - MAX_FILES} more`] : [];
  const listed = files.slice(0, MAX_FILES).map((path) => `- ${path}`);
  const where = `Its folder, where relative paths in it begin: ${root}`;
  return [where, ...(files.length > 0 ? ["Its files, which you can read:"] : []), ...listed, ...more].join(
    "\n",
  );
}

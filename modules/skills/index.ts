import { z } from "zod";
import { defineAction, defineModule, fail, ok } from "../../src/domain/authoring/module.ts";
import { defineShared } from "../../src/domain/authoring/module-state.ts";
import { escapeHeadings } from "../../src/domain/authoring/outside.ts";
import type { KnownFiles, Skill } from "./find.ts";
import type { Host } from "../../src/domain/authoring/host.ts";

const MAX_TOKENS = 8_000;
/** Texts that are there from the start may take an eighth of the model's window together; what is pinned may take a quarter. */
const SHARE_OF_PINNED = 1 / 2;

const Offered = z.array(
  z.object({
    name: z.string(),
    description: z.string(),
    root: z.string(),
    /** Of one that its agent has read from the start; empty: there was no room for it. */
    text: z.string().optional(),
  }),
);
type OfferedSkill = z.output<typeof Offered>[number];
const Settings = z.object({
  /** Absolute real paths, those first whose skills outrank the others. */
  folders: z.array(z.string()).default([]),
  /** Which of the skills its agent has. */
  names: z.union([z.literal("all"), z.array(z.string())]).default("all"),
  /** Which of them it has read from the start. */
  preloaded: z.array(z.string()).default([]),
});

const knownFiles = defineShared((): KnownFiles => new Map());

/** Instructions that people keep in folders with a SKILL.md: an agent knows what there is, and reads one when it needs it. */
export const skills = defineModule({
  name: "skills",

  instructions({ offer, tokens }) {
    const known = skillsIn(offer);
    if (known.length === 0) return undefined;
    return [`### Available Skills\n\n${listing(known, tokens).join("\n")}`, ...textsOf(known)].join("\n\n");
  },

  offers: {
    async find(host) {
      const settings = Settings.parse(host.settings);
      const { folders, names } = settings;
      // A parser of YAML comes with it, for those who look for skills alone.
      const { findSkills } = await import("./find.ts");
      const found = await findSkills(folders, host.signal, knownFiles(host));
      const own = found.skills.filter(({ name }) => names === "all" || names.includes(name));
      return preload(own, settings, host);
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
        const skill = skillNamed(name, host.offer);
        if (!skill) return fail(`There is no skill "${name}". ${namesOf(skillsIn(host.offer))}`);
        const { tellSkill } = await import("./tell.ts");
        const text = await tellSkill(skill, Settings.parse(host.settings).folders);
        if (text === undefined) return fail(`The skill "${skill.name}" is not there any more.`);
        return { ...ok(text), keeps: `skill ${skill.name}` };
      },
    }),
  },
});

/** What the log keeps may be of another version. */
function skillsIn(offer: unknown): readonly OfferedSkill[] {
  const read = Offered.safeParse(offer);
  return read.success ? read.data : [];
}

const MAX_NAMED = 100;

function namesOf(known: readonly OfferedSkill[]): string {
  if (known.length === 0) return "There are none.";
  const more = known.length > MAX_NAMED ? ` and ${known.length - MAX_NAMED} more` : "";
  const names = known.slice(0, MAX_NAMED).map(({ name }) => name);
  return `There are: ${names.join(", ")}${more}.`;
}

function skillNamed(name: string, offer: unknown): OfferedSkill | undefined {
  return skillsIn(offer).find((skill) => skill.name === name.toLowerCase());
}

/** With the texts of those that are read from the start, as far as there is room for them; the first named come first. */
async function preload(
  found: readonly Skill[],
  { folders, preloaded }: z.output<typeof Settings>,
  { tokens, maxPinnedTokens }: Host,
): Promise<readonly OfferedSkill[]> {
  const { tellSkill } = await import("./tell.ts");
  let room = maxPinnedTokens * SHARE_OF_PINNED;
  const texts = new Map<string, string>();
  for (const name of preloaded) {
    const skill = found.find((each) => each.name === name);
    const text = skill && (await tellSkill(skill, folders).catch(() => undefined));
    if (text === undefined || texts.has(name)) continue;
    const size = tokens(text);
    texts.set(name, size <= room ? text : "");
    if (size <= room) room -= size;
  }
  // What is wrong with them is for people, and would be in the log with each change.
  return found.map(({ name, description, root }) => ({ name, description, root, text: texts.get(name) }));
}

/** For the model, a part each; none if nothing was to be read from the start. */
function textsOf(known: readonly OfferedSkill[]): readonly string[] {
  const texts = known.flatMap(({ text }) => (text ? [escapeHeadings(text)] : []));
  const left = known.filter(({ text }) => text === "").map(({ name }) => name);
  return [
    ...(texts.length > 0 ? ["These you have read already:", ...texts] : []),
    ...(left.length > 0 ? [`Read with \`getSkill\` before you begin: ${left.join(", ")}`] : []),
  ];
}

/** One line each in at most 8,000 tokens: where they are too many for that, the last ones by name only, or counted. */
function listing(known: readonly OfferedSkill[], tokens: Host["tokens"]): readonly string[] {
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

// Where skills are looked for: in the project, as far as the person trusted that, in their home, and in this package.

import { homedir } from "node:os";
import { realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { isInside } from "../../base/files/project-file.ts";
import { packageDir } from "../../base/package.ts";
import type { Variables } from "../../base/process/variables.ts";
import { count } from "../../base/text/wording.ts";
import type { Trust, WantedGrant } from "../grants/grant.ts";

/** No agent may change what is there. */
export const PROJECT_SKILLS = [".ai-legion/skills", "skills", ".agents/skills", ".claude/skills"] as const;
const HOME_SKILLS = [".ai-legion/skills", ".agents/skills", ".claude/skills"] as const;

export interface SkillFolder {
  /** Absolute real path. */
  readonly path: string;
  /** For people: `.claude/skills`, `~/.claude/skills`, or that it came with this program. */
  readonly shown: string;
  /** Absent: it counts without. */
  readonly needs?: Omit<WantedGrant, "says">;
}

/** All that are there, those first whose skills outrank the others. */
export async function skillFolders(
  projectDir: string,
  env: Variables,
  trust: Trust,
): Promise<readonly SkillFolder[]> {
  const home = env["HOME"] ?? homedir();
  const project = await realpath(projectDir);
  const own = await Promise.all(
    PROJECT_SKILLS.map(async (shown) => {
      const path = await folderAt(join(project, shown));
      // One that leads out is somebody else's.
      if (path === undefined || !isInside(project, path)) return [];
      const grant = { what: `skills ${shown}`, value: "on" };
      return [{ path, shown, needs: { ...grant, by: shown, isGranted: trust.isGranted(grant) } }];
    }),
  );
  const persons = await Promise.all(
    [
      ...HOME_SKILLS.map((name) => [join(home, name), `~/${name}`]),
      [join(packageDir, "skills"), "ai-legion"],
    ].map(async ([at = "", shown = ""]): Promise<SkillFolder[]> => {
      const path = await folderAt(at);
      return path === undefined ? [] : [{ path, shown }];
    }),
  );
  const known = new Set<string>();
  const trusted = new Set(persons.flat().map(({ path }) => path));
  return [...own.flat().filter(({ path }) => !trusted.has(path)), ...persons.flat()].filter(
    ({ path }) => !known.has(path) && known.add(path),
  );
}

/** Those that count. */
export function trustedFolders(folders: readonly SkillFolder[]): readonly string[] {
  return folders.filter(({ needs }) => needs?.isGranted ?? true).map(({ path }) => path);
}

/** For people, a line each: which folders of the project are links out of it, to where the person has none. */
export async function linkedOut(
  projectDir: string,
  folders: readonly SkillFolder[],
): Promise<readonly string[]> {
  const project = await realpath(projectDir);
  const found = PROJECT_SKILLS.map(async (shown) => {
    const path = await folderAt(join(project, shown));
    const isOut = path !== undefined && !isInside(project, path) && !folders.some((one) => one.path === path);
    return isOut
      ? [
          `left out: ${shown} leads out of the project; keep its skills there, or link them from your home: ~/.claude/skills`,
        ]
      : [];
  });
  return (await Promise.all(found)).flat();
}

/** What the project's skills would have: a grant for each folder in which there are some. */
export async function skillGrants(folders: readonly SkillFolder[]): Promise<readonly WantedGrant[]> {
  const { findSkills } = await import("../../../modules/skills/find.ts");
  const grants = folders.map(async ({ path, shown, needs }): Promise<WantedGrant[]> => {
    if (!needs) return [];
    const { skills } = await findSkills([path], new AbortController().signal);
    const says = `teach its agents ${count(skills.length, "skill")} of ${shown}, and what comes to stand there`;
    return skills.length === 0 ? [] : [{ ...needs, says }];
  });
  return (await Promise.all(grants)).flat();
}

/** The names of all that are there, whether or not the person trusted them. */
export async function knownSkills(folders: readonly SkillFolder[]): Promise<readonly string[]> {
  const { findSkills } = await import("../../../modules/skills/find.ts");
  const paths = folders.map(({ path }) => path);
  return (await findSkills(paths, new AbortController().signal)).skills.map(({ name }) => name);
}

async function folderAt(path: string): Promise<string | undefined> {
  try {
    const real = await realpath(path);
    return (await stat(real)).isDirectory() ? real : undefined;
  } catch {
    return undefined;
  }
}

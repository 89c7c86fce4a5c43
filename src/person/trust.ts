// `trust.json` in the person's folder: what a person granted to a project, by the project's real path.

import { z } from "zod";
import { LegionError } from "../errors.ts";
import type { PersonFolder } from "./folder.ts";

const FILE = "trust.json";

/** What can be granted; the next kinds of grants are further names. */
export type GrantName = "code" | "owner";

const record = z.object({
  projects: z.record(
    z.string(),
    z.object({ grants: z.record(z.string(), z.object({ value: z.string(), at: z.iso.datetime() })) }),
  ),
});
type Trust = z.infer<typeof record>;

/** The value with which `what` was granted to `project` (a real path), `undefined` if it was not. */
export async function granted(
  person: PersonFolder,
  project: string,
  what: GrantName,
): Promise<string | undefined> {
  const { projects } = await readTrust(person);
  return projects[project]?.grants[what]?.value;
}

/** Keeps that the person grants `what` to `project`; it replaces an earlier value. */
export async function grant(
  person: PersonFolder,
  project: string,
  { what, value }: { readonly what: GrantName; readonly value: string },
): Promise<void> {
  const trust = await readTrust(person);
  const grants = { ...trust.projects[project]?.grants, [what]: { value, at: new Date().toISOString() } };
  const projects = { ...trust.projects, [project]: { ...trust.projects[project], grants } };
  await person.write(FILE, `${JSON.stringify({ ...trust, projects }, undefined, 2)}\n`);
}

async function readTrust(person: PersonFolder): Promise<Trust> {
  const text = await person.read(FILE);
  if (text === undefined) return { projects: {} };
  try {
    return record.parse(JSON.parse(text));
  } catch (cause) {
    const way = "mend it, or remove it and trust your projects anew";
    throw new LegionError("CONFIG", `${person.path}/${FILE} is no record of trust; ${way}`, { cause });
  }
}

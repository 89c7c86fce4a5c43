// `trust.json` in the person's folder: what a person granted to a project, by the project's real path.

import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { LegionError } from "../../../base/errors.ts";
import { createDisk } from "../../../base/files/disk.ts";
import { takeLock } from "../lock.ts";
import type { PersonFolder } from "./folder.ts";

const FILE = "trust.json";
/** Held for the time of one change. */
const LOCK = "trust.lock";
const PATIENCE_MS = 10_000;

/** What can be granted; the next kinds of grants are further names. A path is relative to the project where it lies inside. */
export type GrantName = "code" | "commands" | "owner" | `code ${string}` | `program ${string}`;

export interface Grant {
  readonly what: GrantName;
  readonly value: string;
}

const record = z.object({
  projects: z.record(
    z.string(),
    z.object({ grants: z.record(z.string(), z.object({ value: z.string(), at: z.iso.datetime() })) }),
  ),
});
type Trust = z.infer<typeof record>;

/** The values of all that was granted to `project` (a real path), by what it is. */
export async function grantsOf(person: PersonFolder, project: string): Promise<ReadonlyMap<string, string>> {
  const { projects } = await readTrust(person);
  const grants = Object.entries(projects[project]?.grants ?? {});
  return new Map(grants.map(([what, { value }]) => [what, value]));
}

/** The value with which `what` was granted to `project` (a real path), `undefined` if it was not. */
export async function granted(
  person: PersonFolder,
  project: string,
  what: GrantName,
): Promise<string | undefined> {
  return (await grantsOf(person, project)).get(what);
}

/** Keeps that the person grants these to `project`; each replaces an earlier value. Others may grant at the same time. */
export async function grant(
  person: PersonFolder,
  project: string,
  ...given: readonly Grant[]
): Promise<void> {
  // Makes the folder, and refuses one that is not the person's, before anything else is written to it.
  await person.create(FILE, `${JSON.stringify({ projects: {} })}\n`);
  // A folder above it may be a link: only what is in it has to be real.
  const folder = await realpath(person.path);
  const disk = createDisk(join(folder, "tmp"));
  const lock = await takeLock(join(folder, LOCK), disk, { role: "command", waitMs: PATIENCE_MS });
  try {
    const trust = await readTrust(person);
    const at = new Date().toISOString();
    const added = Object.fromEntries(given.map(({ what, value }) => [what, { value, at }]));
    const grants = { ...trust.projects[project]?.grants, ...added };
    const projects = { ...trust.projects, [project]: { ...trust.projects[project], grants } };
    await person.write(FILE, `${JSON.stringify({ ...trust, projects }, undefined, 2)}\n`);
  } finally {
    await lock.release();
  }
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

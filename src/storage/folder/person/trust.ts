// `trust.json` in the person's folder: what a person granted to a project, by the project's real path.

import { z } from "zod";
import { LegionError } from "../../../base/errors.ts";
import { alone } from "./alone.ts";
import type { PersonFolder } from "./folder.ts";

const FILE = "trust.json";
/** Held for the time of one change. */
const LOCK = "trust.lock";

/** Something of a project that counts once a person said so, as long as it has this value. */
export interface Grant {
  /** `owner`, `code`, `code <file>`, or the file that says it, and the setting: `.env LEGION_MODEL`. */
  readonly what: string;
  readonly value: string;
}

const at = z.iso.datetime();
const pinnedTools = z.array(z.object({ name: z.string(), hash: z.string() })).readonly();
const serverPins = z.object({
  /** Of the server's entry, as it was allowed. */
  entry: z.string(),
  tools: pinnedTools,
  /** Those that it has now and the person did not allow; absent: none. */
  waiting: pinnedTools.optional(),
});
/** The tools of an MCP server, by the hashes of what it said of them. */
export type ServerPins = z.infer<typeof serverPins>;
const projectRecord = z.looseObject({
  grants: z.record(z.string(), z.looseObject({ value: z.string(), at })),
  /** What the person answered once and for all, in words. */
  answers: z.record(z.string(), z.looseObject({ at })).optional(),
  /** Which tools MCP servers had when the person allowed them. */
  servers: z.record(z.string(), serverPins).optional(),
});
const record = z.looseObject({ projects: z.record(z.string(), projectRecord) });
type TrustRecord = z.infer<typeof record>;
/** What a person said of one project; `at` is when, as ISO 8601. */
export type ProjectTrust = z.infer<typeof projectRecord>;

/** Every project that something was said of, by its real path. */
export async function trustedProjects(person: PersonFolder): Promise<ReadonlyMap<string, ProjectTrust>> {
  return new Map(Object.entries((await readTrust(person)).projects));
}

/** The values of all that was granted to `project` (a real path), by what it is. */
export async function grantsOf(person: PersonFolder, project: string): Promise<ReadonlyMap<string, string>> {
  const grants = Object.entries((await trustedProjects(person)).get(project)?.grants ?? {});
  return new Map(grants.map(([what, { value }]) => [what, value]));
}

/** The value with which `what` was granted to `project` (a real path), `undefined` if it was not. */
export async function granted(
  person: PersonFolder,
  project: string,
  what: string,
): Promise<string | undefined> {
  return (await grantsOf(person, project)).get(what);
}

/** Keeps that the person grants these to `project`; each replaces an earlier value. Others may grant at the same time. */
export async function grant(
  person: PersonFolder,
  project: string,
  ...given: readonly Grant[]
): Promise<void> {
  const now = new Date().toISOString();
  const added = Object.fromEntries(given.map(({ what, value }) => [what, { value, at: now }]));
  await change(person, ({ projects, ...rest }) => {
    const before = Object.hasOwn(projects, project) ? projects[project] : undefined;
    const grants = { ...before?.grants, ...added };
    return { ...rest, projects: { ...projects, [project]: { ...before, grants } } };
  });
}

/** What was granted as `what` is granted no more. False if it was not. Others may do so at the same time. */
export async function takeBack(person: PersonFolder, project: string, what: string): Promise<boolean> {
  if ((await granted(person, project, what)) === undefined) return false;
  await change(person, ({ projects, ...rest }) => {
    const before = Object.hasOwn(projects, project) ? projects[project] : undefined;
    const left = Object.entries(before?.grants ?? {}).filter(([key]) => key !== what);
    return { ...rest, projects: { ...projects, [project]: { ...before, grants: Object.fromEntries(left) } } };
  });
  return true;
}

/** What the person answered once and for all in `project` (a real path); empty if nothing. */
export async function answersOf(person: PersonFolder, project: string): Promise<ReadonlySet<string>> {
  return new Set(Object.keys((await trustedProjects(person)).get(project)?.answers ?? {}));
}

/** Keeps answers of the person in `project`. Others may answer at the same time. */
export async function rememberAnswers(
  person: PersonFolder,
  project: string,
  given: readonly string[],
): Promise<void> {
  const now = new Date().toISOString();
  const added = Object.fromEntries(given.map((answer) => [answer, { at: now }]));
  await change(person, ({ projects, ...rest }) => {
    const before = Object.hasOwn(projects, project) ? projects[project] : undefined;
    const answers = { ...before?.answers, ...added };
    return { ...rest, projects: { ...projects, [project]: { grants: {}, ...before, answers } } };
  });
}

/** What is pinned of the MCP server; `undefined` if it told of no tools yet. */
export async function pinsOf(
  person: PersonFolder,
  project: string,
  server: string,
): Promise<ServerPins | undefined> {
  const pins = (await trustedProjects(person)).get(project)?.servers ?? {};
  return Object.hasOwn(pins, server) ? pins[server] : undefined;
}

/** Keeps what `choose` makes of what was pinned before. Others may do so at the same time. */
export async function pinTools(
  person: PersonFolder,
  { project, server }: { readonly project: string; readonly server: string },
  choose: (before: ServerPins | undefined) => ServerPins,
): Promise<void> {
  await change(person, ({ projects, ...rest }) => {
    const before = Object.hasOwn(projects, project) ? projects[project] : undefined;
    const known = before?.servers ?? {};
    const servers = { ...known, [server]: choose(Object.hasOwn(known, server) ? known[server] : undefined) };
    return { ...rest, projects: { ...projects, [project]: { grants: {}, ...before, servers } } };
  });
}

/** Whatever was said of `project` is said no more. False if nothing was. */
export async function forget(person: PersonFolder, project: string): Promise<boolean> {
  if (!(await trustedProjects(person)).has(project)) return false;
  await change(person, ({ projects, ...rest }) => {
    const others = Object.entries(projects).filter(([path]) => path !== project);
    return { ...rest, projects: Object.fromEntries(others) };
  });
  return true;
}

async function change(person: PersonFolder, to: (trust: TrustRecord) => TrustRecord): Promise<void> {
  // Makes the folder, and refuses one that is not the person's, before anything else is written to it.
  if ((await person.read(FILE)) === undefined)
    await person.create(FILE, `${JSON.stringify({ projects: {} })}\n`);
  await alone(person, LOCK, async () =>
    person.write(FILE, `${JSON.stringify(to(await readTrust(person)), undefined, 2)}\n`),
  );
}

async function readTrust(person: PersonFolder): Promise<TrustRecord> {
  const text = await person.read(FILE);
  if (text === undefined) return { projects: {} };
  try {
    return record.parse(JSON.parse(text));
  } catch (cause) {
    const way = "mend it, or remove it and trust your projects anew";
    throw new LegionError("CONFIG", `${person.path}/${FILE} is no record of trust; ${way}`, { cause });
  }
}

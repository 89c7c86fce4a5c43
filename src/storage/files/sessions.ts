// The runs and sessions of a project: each is a legion with a home of its own, `.ai-legion/runs/<name>/`, in the files of the
// project, whatever place the project's own legion is kept in. A run is a session that nobody gave a name.

import { randomBytes } from "node:crypto";
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { LegionError } from "../../base/errors.ts";
import { nearest } from "../../base/text/nearest.ts";
import { quote } from "../../base/text/wording.ts";
import { CONTROL, isAgentId, type AgentId } from "../../domain/message/message.ts";
import { checkHome } from "../folder/home.ts";
import { legionPaths } from "../folder/paths.ts";
import { openPersonFolder, type PersonFolder } from "../folder/person/folder.ts";
import { createFileReader, type FileReader } from "./reader/reader.ts";

export interface SessionHome {
  readonly name: string;
  /** Absolute path: what `home` is elsewhere. */
  readonly home: string;
}

/** Which session: the one of that name, which may be new; one that nobody has named yet; the one with the newest event. */
export type SessionChoice = { readonly name: string } | "new" | "newest";

/** What would be taken for something else. */
const RESERVED = ["new", "newest"];
const MAX_LISTED = 10;

/**
 * Settles where a session is, or will be. Nothing is written, and it may be open elsewhere. Throws USAGE for a name that is
 * none, and for the newest where there are none; CONFIG as `checkHome` does.
 *
 * @param project real path of its folder
 */
export async function chooseSession(
  project: string,
  choice: SessionChoice,
  person = openPersonFolder(process.env),
): Promise<SessionHome> {
  const session = await settle(project, choice, person);
  await checkHome(legionPaths(project, session.home), person);
  return session;
}

/** As `chooseSession`, for a name that somebody typed of one that is there. Throws USAGE, naming those that are, if it is not. */
export async function findSession(
  project: string,
  name: string,
  person = openPersonFolder(process.env),
): Promise<SessionHome> {
  const sessions = await sessionsOf(project);
  if (sessions.some((session) => session.name === name)) return chooseSession(project, { name }, person);
  const names = sessions.map((session) => session.name);
  const near = nearest(name, names);
  const listed = near.length > 0 ? near : names.slice(-MAX_LISTED);
  const known = listed.length > 0 ? `there is ${listed.join(", ")}` : "there is none yet";
  throw new LegionError("USAGE", `there is no run or session ${quote(name)} here; ${known}`);
}

/** Those that are there, by their names. */
export async function sessionsOf(project: string): Promise<readonly SessionHome[]> {
  const folder = runsIn(project);
  // Through a link nothing is read.
  const isThere = (await lstat(folder).catch(() => undefined))?.isDirectory();
  const entries = isThere ? await readdir(folder, { withFileTypes: true }) : [];
  return entries
    .filter((entry) => entry.isDirectory() && isSessionName(entry.name))
    .map(({ name }) => sessionNamed(project, name))
    .toSorted((a, b) => a.name.localeCompare(b.name, "en", { numeric: true }));
}

/**
 * When the newest event of a session was written, ISO 8601; empty if there is none that can be read. Throws CONFIG as `checkHome`
 * does.
 */
async function newestEventOf(project: string, { home }: SessionHome, person: PersonFolder): Promise<string> {
  const reader = createFileReader(project, { home, person });
  await checkHome(reader.paths, person);
  return newestEventIn(reader, [CONTROL, ...(await reader.known())]);
}

/** The same of the logs of these agents. */
export async function newestEventIn(reader: FileReader, agents: readonly AgentId[]): Promise<string> {
  let newest = "";
  for (const agent of agents) {
    try {
      for await (const { at } of reader.events(agent, await reader.last(agent)))
        if (Date.parse(at) > (Date.parse(newest) || 0)) newest = at;
    } catch {
      // Whoever opens it is told what is wrong with it.
    }
  }
  return newest;
}

async function settle(project: string, choice: SessionChoice, person: PersonFolder): Promise<SessionHome> {
  if (choice === "new") return sessionNamed(project, freshName(new Date()));
  if (choice === "newest") return newestSession(project, person);
  if (!isSessionName(choice.name)) {
    const why = RESERVED.includes(choice.name)
      ? "`new` and `newest` say which one is meant"
      : "it takes small letters, digits, dots, dashes and underscores";
    throw new LegionError("USAGE", `${quote(choice.name.slice(0, 100))} is no name for a session: ${why}`);
  }
  return sessionNamed(project, choice.name);
}

async function newestSession(project: string, person: PersonFolder): Promise<SessionHome> {
  let newest: { readonly session: SessionHome; readonly at: string } | undefined;
  for (const session of await sessionsOf(project)) {
    const at = await newestEventOf(project, session, person);
    if (at !== "" && Date.parse(at) >= Date.parse(newest?.at ?? at)) newest = { session, at };
  }
  if (newest) return newest.session;
  throw new LegionError(
    "USAGE",
    'there is no run or session here to continue; `legion run "<task>"` begins one',
  );
}

/** By the time, so that they sort; the rest tells apart those of one second. */
function freshName(now: Date): string {
  const [day = "", time = ""] = now.toISOString().split("T");
  return `${day}-${time.slice(0, 8).replaceAll(":", "")}-${randomBytes(3).toString("hex")}`;
}

function isSessionName(name: string): boolean {
  return isAgentId(name) && !RESERVED.includes(name);
}

function sessionNamed(project: string, name: string): SessionHome {
  return { name, home: join(runsIn(project), name) };
}

function runsIn(project: string): string {
  return join(legionPaths(project).root, "runs");
}

// Files of settings that somebody means by a name or a path.

import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { LegionError } from "../../base/errors.ts";
import { nearest } from "../../base/text/nearest.ts";
import { readProjectFile, readTextFile, shownPath } from "../../base/files/project-file.ts";
import { findClaudeAgents, type ClaudeHomes } from "../claude/files.ts";

const FILE_NAME = /^[\p{L}\p{N}][\p{L}\p{N}._ -]{0,63}$/u;

export interface SettingsFile {
  /** How errors name it. */
  readonly file: string;
  readonly text: string;
  /** Did it come with this program? */
  readonly isOurs?: true;
}

/** The file at the path that somebody named. Throws USAGE if there is none. */
export async function readNamed(reference: string, path: string | undefined): Promise<SettingsFile> {
  const text = path === undefined ? undefined : await readTextFile(path, reference);
  if (text !== undefined) return { file: reference, text };
  throw new LegionError("USAGE", `there is no file ${JSON.stringify(reference)}`);
}

interface Kind {
  readonly what: "agent" | "team";
  readonly extension: ".md" | ".yaml";
}

/** That of the project's `agents/`, else of the package's. Throws USAGE, with the nearest names, if there is none. */
export async function findByName(
  kind: Kind,
  wanted: string,
  { projectDir, packageDir, home }: ClaudeHomes & { readonly packageDir: string },
): Promise<SettingsFile> {
  if (FILE_NAME.test(wanted)) {
    const file = join("agents", wanted + kind.extension);
    const own = await readProjectFile(projectDir, file);
    if (own !== undefined) return { file, text: own };
    const path = join(packageDir, file);
    const shown = shownPath(projectDir, path);
    const shipped = await readTextFile(path, shown);
    if (shipped !== undefined) return { file: shown, text: shipped, isOurs: true };
  }
  const files = await listNames([projectDir, packageDir], kind.extension);
  const claude = kind.what === "agent" ? await findClaudeAgents({ projectDir, home }) : [];
  const known = [
    ...new Set([...files, ...claude.map(({ agent, shown }) => agent?.name ?? basename(shown, ".md"))]),
  ];
  const [meant] = nearest(wanted, known);
  throw new LegionError(
    "USAGE",
    `there is no ${kind.what} ${JSON.stringify(wanted)}; ` +
      (meant ? `did you mean "${meant}"?` : `known: ${known.slice(0, 20).join(", ") || "none"}`),
  );
}

async function listNames(tops: readonly string[], extension: string): Promise<readonly string[]> {
  // Only for advice: a folder that cannot be read has nothing to offer.
  const listed = await Promise.all(tops.map((top) => readdir(join(top, "agents")).catch(() => [])));
  const files = listed.flat().filter((file) => file.endsWith(extension));
  const names = files.map((file) => basename(file, extension)).filter((known) => FILE_NAME.test(known));
  return [...new Set(names)].sort();
}

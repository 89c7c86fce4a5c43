// Which of the agents that people keep for Claude Code a name or a path means.

import { realpath, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { normalize } from "node:path/posix";
import { findInProject } from "../../base/files/project-file.ts";
import { CLAUDE_AGENTS, findClaudeAgents, type ClaudeFile, type ClaudeHomes } from "./files.ts";

/** Of the person's home, as it is typed and recorded. */
const AT_HOME = `~/${CLAUDE_AGENTS}/`;

/** `undefined`: none of them is meant, but a definition of `agents/`, or nothing. Throws USAGE for a path that leads out of the project. */
export async function findClaudeFile(
  reference: string,
  { packageDir, ...homes }: ClaudeHomes & { readonly packageDir: string },
): Promise<ClaudeFile | undefined> {
  if (/[\\/]|\.md$/.test(reference)) return fileAt(reference, homes);
  const { projectDir } = homes;
  if (await isThere(join(projectDir, "agents", `${reference}.md`))) return undefined;
  const own = await findNamed(reference, { projectDir });
  if (own || (await isThere(join(packageDir, "agents", `${reference}.md`)))) return own;
  return findNamed(reference, homes);
}

async function fileAt(reference: string, { projectDir, home }: ClaudeHomes): Promise<ClaudeFile | undefined> {
  const shown = normalize(reference);
  if (reference.includes("\0") || !shown.endsWith(".md")) return undefined;
  if (shown.startsWith(AT_HOME) && home !== undefined) {
    const path = await realpath(join(home, shown.slice(2))).catch(() => undefined);
    return path === undefined ? undefined : { shown, path, isPersons: true };
  }
  if (!shown.startsWith(`${CLAUDE_AGENTS}/`)) return undefined;
  const path = await findInProject(projectDir, shown);
  return path === undefined ? undefined : { shown, path, isPersons: false };
}

async function findNamed(wanted: string, homes: ClaudeHomes): Promise<ClaudeFile | undefined> {
  const found = await findClaudeAgents(homes);
  const named = found.find(({ agent }) => agent?.name === wanted);
  return named ?? found.find(({ shown }) => basename(shown, ".md") === wanted);
}

async function isThere(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isFile() ?? false;
}

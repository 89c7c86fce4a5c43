// Where people keep agents for Claude Code: `.claude/agents` of the project and of their home, and folders in it.

import { readdir, realpath, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { isLegionError, messageOf } from "../../base/errors.ts";
import { isInside, readTextFile } from "../../base/files/project-file.ts";
import type { ClaudeAgent } from "./agent.ts";

export const CLAUDE_AGENTS = ".claude/agents";
const MAX_DEPTH = 6;
const MAX_FILES = 1_000;
const READ_AT_ONCE = 16;

export interface ClaudeHomes {
  readonly projectDir: string;
  /** The person's; absent: nothing is looked for there. */
  readonly home?: string;
}

export interface ClaudeFile {
  /** How people and records name it: `.claude/agents/a.md`, or `~/.claude/agents/a.md`. */
  readonly shown: string;
  /** Absolute. */
  readonly path: string;
  /** Is it the person's own, not the project's? */
  readonly isPersons: boolean;
}

export interface FoundAgent extends ClaudeFile {
  /** Absent: it cannot be read. */
  readonly agent?: ClaudeAgent;
  /** For people, in one line: why not. */
  readonly fault?: string;
}

/** All that are agents or cannot be read, those of the project first, by their paths; text without front matter is none. */
export async function findClaudeAgents(homes: ClaudeHomes): Promise<readonly FoundAgent[]> {
  const found = await ofEach(await claudeFiles(homes), async (file): Promise<FoundAgent[]> => {
    try {
      const agent = await readAgentOf(file);
      return agent ? [{ ...file, agent }] : [];
    } catch (error) {
      if (!isLegionError(error)) throw error;
      return [{ ...file, fault: messageOf(error) }];
    }
  });
  return found.flat();
}

/** What `read` makes of each, in their order; only so many are open at once. */
export async function ofEach<Read>(
  files: readonly ClaudeFile[],
  read: (file: ClaudeFile) => Promise<Read>,
): Promise<readonly Read[]> {
  const found: Read[] = [];
  for (let at = 0; at < files.length; at += READ_AT_ONCE)
    found.push(...(await Promise.all(files.slice(at, at + READ_AT_ONCE).map(read))));
  return found;
}

/** For people, in one line: that the project's are somebody else's, and so none of them counts; `undefined`: they are its own. */
export async function linkedOut(projectDir: string): Promise<string | undefined> {
  const [root, real] = await Promise.all([
    realpath(projectDir),
    realpath(join(projectDir, CLAUDE_AGENTS)).catch(() => undefined),
  ]);
  if (real === undefined || isInside(root, real)) return undefined;
  return `${CLAUDE_AGENTS} leads out of the project; keep it there, or link it from your home: ~/${CLAUDE_AGENTS}`;
}

/** Those of the project first, by their paths. */
export async function claudeFiles(homes: ClaudeHomes): Promise<readonly ClaudeFile[]> {
  return [...(await filesIn(homes, "project")), ...(await filesIn(homes, "home"))];
}

/** `undefined`: it is no agent, or not there. Throws CONFIG if it cannot be read. */
export async function readAgentOf({ path, shown }: ClaudeFile): Promise<ClaudeAgent | undefined> {
  const text = await readTextFile(path, shown);
  if (text === undefined) return undefined;
  const before = known.get(shown);
  if (before?.text === text) return before.agent;
  // A parser of YAML comes with it, for those who have such agents alone.
  const { readClaudeAgent } = await import("./agent.ts");
  const agent = readClaudeAgent(text, basename(shown, ".md").slice(0, 64));
  if (known.size >= MAX_FILES) known.clear();
  if (text.length <= MAX_KNOWN) known.set(shown, { text, agent });
  return agent;
}

const MAX_KNOWN = 65_536;
/** What was made of a text, by the name of its file: one start asks several times for each of hundreds. */
const known = new Map<string, { readonly text: string; readonly agent: ClaudeAgent | undefined }>();

async function filesIn(
  { projectDir, home }: ClaudeHomes,
  of: "project" | "home",
): Promise<readonly ClaudeFile[]> {
  const top = of === "project" ? projectDir : home;
  if (top === undefined) return [];
  const isPersons = of === "home";
  const root = await realpath(top).catch(() => top);
  const project = await realpath(projectDir).catch(() => projectDir);
  // Whose home the project is: it is one folder, and the project's.
  if (isPersons && root === project) return [];
  const files: ClaudeFile[] = [];
  const seen = new Set<string>();
  const add = (way: string, path: string): void => {
    if (!way.endsWith(".md") || seen.has(path) || files.length >= MAX_FILES) return;
    seen.add(path);
    files.push({ shown: isPersons ? `~/${way}` : way, path, isPersons });
  };
  const look = async (way: string, depth: number): Promise<void> => {
    const real = await realpath(join(root, way)).catch(() => undefined);
    if (real === undefined || seen.has(real)) return;
    // What leads out of a project is somebody else's.
    if (!isPersons && !isInside(root, real)) return;
    // It may be gone again.
    const found = await stat(real).catch(() => undefined);
    if (!found?.isDirectory()) return add(way, real);
    seen.add(real);
    if (depth > MAX_DEPTH) return;
    const entries = await readdir(real, { withFileTypes: true }).catch(() => []);
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const inner = `${way}/${entry.name}`;
      if (entry.name.startsWith(".") || files.length >= MAX_FILES) continue;
      if (entry.isFile()) add(inner, join(real, entry.name));
      else await look(inner, depth + 1);
    }
  };
  await look(CLAUDE_AGENTS, 0);
  return files;
}

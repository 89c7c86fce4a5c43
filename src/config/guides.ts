// What a project tells all agents that work in it, whatever program hosts them.

import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { basename } from "node:path/posix";
import { cleanLine, cleanText } from "../../modules/skills/clean.ts";
import { isLegionError, messageOf } from "../base/errors.ts";
import { readProjectFile } from "../base/files/project-file.ts";
import { importedBy, importsIn } from "./claude/imports.ts";

export const GUIDES = ["AGENTS.md", "CLAUDE.md"] as const;
export type Guide = (typeof GUIDES)[number];

/** Where a guide may stand. */
const PLACES: Readonly<Record<Guide, readonly string[]>> = {
  "AGENTS.md": ["AGENTS.md"],
  "CLAUDE.md": ["CLAUDE.md", ".claude/CLAUDE.md"],
};
/** Of one file, and of all of them. */
const MAX_CHARS = 40_000;
const MAX_ALL_CHARS = 100_000;
const MAX_IMPORTS = 20;
const MAX_DEPTH = 5;
const MAX_REMARK = 300;

export interface GuidedBrief {
  readonly brief: string;
  /** Paths relative to the project of the guides that are part of it, or would be if they were there. */
  readonly files: readonly string[];
  /** For people, a line each: what is named and is not part of it. */
  readonly remarks: readonly string[];
}

interface GuideReading {
  readonly projectDir: string;
  /** By path, in their order. */
  readonly texts: Map<string, string>;
  /** Paths of what was looked for. */
  readonly files: Set<string>;
  readonly remarks: Set<string>;
  /** Real paths of what was read. */
  readonly seen: Set<string>;
}

/**
 * `brief`, and behind it what these files of the project say, with what a CLAUDE.md imports; what is not there, or says the
 * same as another, is passed over. Throws CONFIG for a guide that cannot be read.
 */
export async function withGuides(
  brief: string,
  guides: readonly Guide[],
  projectDir: string,
): Promise<GuidedBrief> {
  const reading: GuideReading = {
    projectDir,
    texts: new Map(),
    files: new Set(),
    remarks: new Set(),
    seen: new Set(),
  };
  for (const guide of guides)
    for (const path of PLACES[guide]) {
      const text = await read(path, reading);
      if (guide === "CLAUDE.md") await readImports(path, text ?? "", { reading, depth: 1 });
    }
  const parts = [...reading.texts].map(([path, text]) => `# ${path} of this project\n\n${text}`);
  return {
    brief: [brief, ...parts].filter((part) => part !== "").join("\n\n"),
    files: [...reading.files].filter(isGuide),
    remarks: [...reading.remarks],
  };
}

/** What is there for agents alone. Any other text that a guide imports may be what agents work on. */
function isGuide(path: string): boolean {
  return path.startsWith(".claude/") || GUIDES.some((guide) => basename(path) === guide);
}

/** `undefined` for what is not there; empty for what was read before. */
async function read(
  path: string,
  { projectDir, texts, files, seen }: GuideReading,
): Promise<string | undefined> {
  files.add(path);
  const real = await realpath(join(projectDir, path)).catch(() => path);
  if (seen.has(real)) return "";
  const whole = await readProjectFile(projectDir, path);
  if (whole === undefined) return undefined;
  seen.add(real);
  const text = cleanText(whole.slice(0, MAX_CHARS)).trim();
  if (text === "" || [...texts.values()].includes(text)) return "";
  texts.set(path, text);
  return text;
}

/** What `text`, of the file `from`, has read along with it. */
async function readImports(
  from: string,
  text: string,
  { reading, depth }: { readonly reading: GuideReading; readonly depth: number },
): Promise<void> {
  const { texts, files, remarks } = reading;
  for (const named of importsIn(text)) {
    const leave = (why: string): void =>
      void remarks.add(cleanLine(`not part of its brief: @${named} of ${from}: ${why}`, MAX_REMARK));
    const path = importedBy(from, named);
    const length = [...texts.values()].reduce((sum, { length }) => sum + length, 0);
    if (path === undefined) leave("it leads out of the project");
    else if (depth > MAX_DEPTH) leave(`more than ${MAX_DEPTH} files in a row`);
    else if (files.size >= MAX_IMPORTS) leave(`more than ${MAX_IMPORTS} files`);
    else if (length >= MAX_ALL_CHARS) leave(`more than ${MAX_ALL_CHARS} characters in all`);
    else {
      const imported = await read(path, reading).catch((error: unknown) => {
        if (!isLegionError(error, "CONFIG")) throw error;
        leave(messageOf(error));
        return "";
      });
      if (imported === undefined) leave("there is no such file");
      else await readImports(path, imported, { reading, depth: depth + 1 });
    }
  }
}

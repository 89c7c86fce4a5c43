// What a project tells all agents that work in it, whatever program hosts them.

import { cleanText } from "../../modules/skills/clean.ts";
import { readProjectFile } from "../base/files/project-file.ts";

export const GUIDES = ["AGENTS.md", "CLAUDE.md"] as const;
export type Guide = (typeof GUIDES)[number];

const MAX_CHARS = 40_000;

/**
 * `brief`, and behind it what these files of the project say, each up to 40,000 characters; one that is not there, or says
 * the same as another, is passed over. Throws CONFIG for one that cannot be read.
 */
export async function withGuides(
  brief: string,
  guides: readonly Guide[],
  projectDir: string,
): Promise<string> {
  const known = new Map<string, Guide>();
  for (const guide of guides) {
    const text = cleanText(((await readProjectFile(projectDir, guide)) ?? "").slice(0, MAX_CHARS)).trim();
    if (text !== "" && !known.has(text)) known.set(text, guide);
  }
  const parts = [...known].map(([text, guide]) => `# ${guide} of this project\n\n${text}`);
  return [brief, ...parts].filter((part) => part !== "").join("\n\n");
}

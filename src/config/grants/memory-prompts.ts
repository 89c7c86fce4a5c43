// The rules that a project has its scribe's model asked by, in place of ours. They widen nothing, and steer a model: each counts
// once the person granted it, word for word.

import { createHash } from "node:crypto";
import type { PromptName, Rules } from "../../../modules/memory/prompts/rules.ts";
import { readProjectFile } from "../../base/files/project-file.ts";
import type { Definition } from "../definition.ts";
import type { Trust, WantedGrant } from "./grant.ts";

const FOLDER = ".ai-legion/prompts/memory";
/** A rule stands in every question. */
const MAX_BYTES = 65_536;

/** For people, after "this project wants to". */
const SAYS: Readonly<Record<PromptName, string>> = {
  entry_capture_prompt: "have the scribe enter messages by rules of its own",
  summary_prompt: "have the scribe write summaries by rules of its own",
  context_prompt: "have the scribe write the context by rules of its own",
};

/** A file that stands in place of one of our rules. */
export interface MemoryPrompt {
  readonly name: PromptName;
  readonly text: string;
  readonly wanted: WantedGrant;
}

/**
 * Those that are there and not empty, granted or not. Rejects with CONFIG, in a line that names the file, where one is too long, no
 * text or cannot be read, or leads out of the project.
 */
export async function memoryPrompts(projectDir: string, trust: Trust): Promise<readonly MemoryPrompt[]> {
  const found = (Object.keys(SAYS) as PromptName[]).map(async (name): Promise<readonly MemoryPrompt[]> => {
    const file = `${FOLDER}/${name}.md`;
    const text = (await readProjectFile(projectDir, file, MAX_BYTES))?.trim() ?? "";
    if (text === "") return [];
    const grant = { what: file, value: `sha256:${createHash("sha256").update(text).digest("hex")}` };
    const isGranted = trust.isGranted(grant);
    return [{ name, text, wanted: { ...grant, says: SAYS[name], by: file, isGranted } }];
  });
  return (await Promise.all(found)).flat();
}

/** What counts of them. */
export function grantedRules(prompts: readonly MemoryPrompt[]): Partial<Rules> {
  const granted = prompts.filter(({ wanted }) => wanted.isGranted);
  return Object.fromEntries(granted.map(({ name, text }) => [name, text]));
}

/** What agents of these definitions would have granted: nothing unless rules direct one of them. Rejects as `memoryPrompts`. */
export async function promptGrants(
  definitions: readonly Pick<Definition, "director">[],
  projectDir: string,
  trust: Trust,
): Promise<readonly WantedGrant[]> {
  if (!definitions.some(({ director }) => director)) return [];
  return (await memoryPrompts(projectDir, trust)).map(({ wanted }) => wanted);
}

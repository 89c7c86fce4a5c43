// The rules by which a scribe of this project is asked, for programs that keep a memory of their own.

import type { McpServer } from "@modelcontextprotocol/server";
import { PROMPTS, type PromptName } from "../../../modules/memory/prompts/rules.ts";
import type { ProgramDoor } from "./door.ts";

const DESCRIPTIONS: Readonly<Record<PromptName, string>> = {
  entry_capture_prompt: "The rules by which a message is entered into long-term memory.",
  summary_prompt: "The rules by which the summary of a message is written.",
  context_prompt: "The rules by which the context of a long-term memory is written.",
};

/** Each is read when it is asked for. */
export function registerPrompts(server: McpServer, { rules }: Pick<ProgramDoor, "rules">): void {
  for (const name of PROMPTS) {
    const description = DESCRIPTIONS[name];
    server.registerPrompt(name, { description }, async () => ({
      description,
      messages: [{ role: "user", content: { type: "text", text: (await rules())[name] } }],
    }));
  }
}

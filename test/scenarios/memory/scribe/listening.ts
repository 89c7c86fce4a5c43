// A scribe that listens to agents and keeps what they and the person say.

import { scribe } from "../../../../modules/memory/scribe/direct.ts";
import { scribeActions } from "../../../../modules/memory/scribe/index.ts";
import {
  createScriptedModel,
  type Script,
  type ScriptedAnswer,
} from "../../../../src/model/scripted/scripted.ts";
import type { ScriptedModel, ScriptedOptions } from "../../../../src/model/scripted/scripted.ts";
import { entriesFrom } from "../../../../src/past/memory/recall.ts";
import type { Backend } from "../../../../src/storage/contract/backend.ts";
import type { WorldAgent } from "../../../world.ts";

export const MEMORY = "main/legion";

/** What the scribe's model says when all goes well: its answer names the number of the question. */
export function obliging(): ScriptedModel {
  return createScriptedModel((request, index) => answerTo(request.tools[0]?.name, index));
}

export function answerTo(tool: string | undefined, index: number): ScriptedAnswer {
  return tool === "put_context"
    ? { calls: [{ action: "put_context", parameters: { content: `# Facts\nContext ${index}.` } }] }
    : { calls: [{ action: "add_entry", parameters: { summary: `Summary ${index}.` } }] };
}

export function scribeOf(model: ScriptedModel, more: Partial<WorldAgent> = {}): WorldAgent {
  return {
    ...{ model, modules: [scribeActions], memories: [MEMORY], director: scribe, observe: "all" },
    ...more,
  };
}

export function scripted(script: Script, profile?: ScriptedOptions): ScriptedModel {
  return createScriptedModel(script, profile);
}

export async function entriesOf({ memories }: Backend) {
  return entriesFrom(memories.read(MEMORY), 1);
}

export async function contextsOf({ memories }: Pick<Backend, "memories">) {
  const contexts: { readonly content: string; readonly upTo: number; readonly base?: number }[] = [];
  for await (const event of memories.read(MEMORY).events())
    if (event.kind === "context") {
      const { content, upTo, base } = event;
      contexts.push({ content, upTo, ...(base !== undefined && { base }) });
    }
  return contexts;
}

// The protocol of the scribe: which call comes next, and which of them the model makes. Everything by what the log holds.

import type {
  Director,
  DirectedStep,
  Direction,
  DirectorFacts,
  Invocation,
} from "../../../src/domain/authoring/director.ts";
import { askedAgain, contextPrompt, entryPrompt, EXECUTE, standingPrompt } from "../prompts/compose.ts";
import { recalledIn, rulesWith, type Rules } from "../prompts/rules.ts";
import { extractSummary } from "../extract.ts";
import { extractContext } from "./extract-context.ts";
import { materialIn } from "./material.ts";

/** How many entries a session begins with. */
const LISTED = 10;
/** A model that failed so often is done without. */
const MOST_FAILURES = 3;
/** The history may take this share of the model's window, and the message as much; a character is mostly less than a third of a token. */
const HISTORY_SHARE = 1 / 4;
const CHARS_PER_TOKEN = 3;
const MAX_HISTORY = 24_000;

export const scribe: Director = {
  name: "scribe",
  standing: (facts) => standingPrompt(rulesOf(facts)),
  direct(progress, facts) {
    const last = progress.steps.findLast(({ outcome }) => outcome === "ok");
    switch (progress.control) {
      case "start_session":
        return start(last?.action, facts);
      case "process_message":
        return last ? end("Message processed.") : addEntry(progress, facts);
      case "process_message_and_flush":
        return last
          ? flush(last, progress, { facts, closing: "Flushed to context." })
          : addEntry(progress, facts);
      case "end_session":
        // Nothing was said: there is nothing to be kept of it.
        if (progress.history.messages.length === 0) return end("Session ended.");
        return flush(last, progress, { facts, closing: "Session ended." });
    }
  },
};

function start(lastTool: string | undefined, { memory }: DirectorFacts): Direction {
  if (lastTool === undefined) return call("get_context", idsOf(memory));
  if (lastTool === "get_context") return call("list_entries", { ...idsOf(memory), limit: LISTED });
  return end("");
}

function addEntry(progress: Invocation, facts: DirectorFacts): Direction {
  const { message, history } = progress;
  if (isByRules(progress, facts))
    return call("add_entry", { summary: extractSummary(message?.content ?? "") });
  const share = Math.floor(facts.window * HISTORY_SHARE * CHARS_PER_TOKEN);
  const room = { maxChars: Math.min(MAX_HISTORY, share), maxMessage: share };
  return ask(
    "add_entry",
    entryPrompt({ memory: facts.memory, history, message, ...room }, rulesOf(facts)),
    progress,
  );
}

interface Flushing {
  readonly facts: DirectorFacts;
  readonly closing: string;
}

/** What the entries since the current context come to, in as many shards as they take. */
function flush(
  last: DirectedStep | undefined,
  progress: Invocation,
  { facts, closing }: Flushing,
): Direction {
  const { memory } = facts;
  const read = progress.steps.filter(isAwaited);
  const [before, awaited] = [read.at(-2), read.at(-1)];
  if (!last || !awaited || last.action === "add_entry")
    return call("await_consistency", { memory_id: idsOf(memory).memory_id });
  const material = materialIn(awaited.details);
  const isPut = last.action === "put_context";
  if (isPut && material.isCut) return call("await_consistency", { memory_id: idsOf(memory).memory_id });
  // Whatever there was may have been forgotten.
  const isNothing = material.context === "" && material.entries.length === 0;
  // Somebody else keeps the memory: what was put there does not count, and the same would be read for ever.
  const isStray = before !== undefined && materialIn(before.details).upTo >= material.upTo;
  if (isPut || isNothing || isStray) return end(closing);
  if (isByRules(progress, facts)) return call("put_context", { content: extractContext(material) });
  return ask("put_context", contextPrompt({ memory, ...material }, rulesOf(facts)), progress);
}

function rulesOf({ offer }: DirectorFacts): Rules {
  return rulesWith(recalledIn(offer));
}

function isAwaited({ action, outcome }: DirectedStep): boolean {
  return action === "await_consistency" && outcome === "ok";
}

/** Since the last call that worked; what a person stopped is none. */
function failuresOf({ steps }: Invocation): readonly DirectedStep[] {
  const since = steps.slice(steps.findLastIndex(({ outcome }) => outcome === "ok") + 1);
  return since.filter(({ outcome }) => outcome !== "idle");
}

function isByRules(progress: Invocation, { summarises }: DirectorFacts): boolean {
  return !summarises || failuresOf(progress).length >= MOST_FAILURES;
}

function ask(tool: string, prompt: string, progress: Invocation): Direction {
  const fault = failuresOf(progress).at(-1);
  return { kind: "ask", tool, system: fault ? askedAgain(prompt, fault.content) : prompt, user: EXECUTE };
}

function call(action: string, parameters: Readonly<Record<string, unknown>>): Direction {
  return { kind: "call", action, parameters };
}

function end(text: string): Direction {
  return { kind: "end", text };
}

function idsOf(memory: string) {
  const [vault_id = "", memory_id = ""] = memory.split("/");
  return { vault_id, memory_id };
}

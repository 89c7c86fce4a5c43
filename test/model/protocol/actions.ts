import { z } from "zod";
import { NO_USAGE } from "../../../src/domain/event/event.ts";
import type { Completion } from "../../../src/domain/model.ts";
import { toActionSpec } from "../../../src/domain/action-spec.ts";
import { defineAction, ok } from "../../../src/domain/authoring/module.ts";
import type { ActionSpec } from "../../../src/domain/authoring/host.ts";

const text = z.string();

/** What a small agent can do. */
export const ACTIONS: readonly ActionSpec[] = Object.entries({
  noop: defineAction({ description: "Do nothing", execute: () => ok("") }),
  help: defineAction({
    description: "Show how to use an action",
    parameters: { aboutAction: text.describe("The name of the action") },
    execute: () => ok(""),
  }),
  addGoal: defineAction({
    description: "Add a goal",
    parameters: { goal: text.describe("What is to be achieved"), priority: z.number().optional() },
    execute: () => ok(""),
  }),
  writeNote: defineAction({
    description: "Write a note",
    parameters: { title: text, content: text, name: text.optional(), action: text.optional() },
    execute: () => ok(""),
  }),
  executeCommand: defineAction({
    description: "Run a command",
    parameters: { command: text, timeout: z.number().optional() },
    aliases: ["runCommand"],
    execute: () => ok(""),
  }),
}).map(([name, action]) => toActionSpec(name, action));

export function completionOf(text: string, rest: Partial<Completion> = {}): Completion {
  return { text, calls: [], usage: NO_USAGE, stop: "end", ...rest };
}

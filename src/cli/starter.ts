// What `legion init` writes.

export const IGNORED: readonly string[] = ["/.ai-legion/*", "!/.ai-legion/config.yaml", ".env"];

const CONFIG = `# Settings of this legion. Every line is optional; those behind a # show what holds without them.
# The environment outranks this file, and flags such as --model outrank both.

# model: anthropic/claude-sonnet-5-5   # without it: by the keys in the environment or in .env, else offline
# agent: legionnaire                   # the definition that \`legion start\` uses: agents/legionnaire.md
# tick: 1s                             # an agent decides at most once in this time
# heartbeat: off                       # such as 10m: asks idle agents whether there is anything to do
# durability: disk                     # process: faster, but what the last moments brought is lost with the machine

# limits:                              # with a paid model; free ones have none
#   steps: 500                         # for each agent
#   cost: 5                            # US dollars, for all together

# memory:
#   threshold: 0.75                    # summarise when this share of the model's window is full

# system:
#   commands: refuse                   # allow: agents run commands without a sandbox, as you
`;

const AGENT = `---
name: clerk
description: Keeps an eye on dates and deadlines.
modules: [core, goals, notes, messaging, system, ./my-module.mjs]
---

You keep the calendar of this project.

- When you are told of a deadline, note it with its date and who needs to know.
- When you are asked what is due, look at today's date first, then at your notes.
- Answer in one or two sentences.
`;

const MODULE = `// A module of your own: what an agent may do beyond what comes with AI Legion. agents/clerk.md uses it.

import { defineAction, defineModule, fail, ok, z } from "ai-legion";

export const calendar = defineModule({
  name: "calendar",

  // Stands in every prompt; keep it short. Actions are described to the model on their own.
  instructions: () => "Dates are written as 2026-11-21.",

  actions: {
    daysUntil: defineAction({
      description: "Count the days from today to a date",
      parameters: { date: z.string().describe("such as 2026-12-24") },
      // Nothing outside the agent changes, so it may be repeated after a crash.
      effects: "none",
      execute({ date }) {
        const ms = Date.parse(date) - Date.now();
        if (Number.isNaN(ms)) return fail(\`\${date} is no date; write it as 2026-12-24.\`);
        return ok(\`\${Math.ceil(ms / 86_400_000)} days.\`);
      },
    }),
  },
});
`;

/** By path in the project. */
export const STARTER_FILES: Readonly<Record<string, string>> = {
  ".ai-legion/config.yaml": CONFIG,
  "agents/clerk.md": AGENT,
  "my-module.mjs": MODULE,
};

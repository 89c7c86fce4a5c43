// What `legion init` writes.

export const IGNORED: readonly string[] = [
  "/.ai-legion/*",
  "!/.ai-legion/config.yaml",
  "!/.ai-legion/config.schema.json",
  ".env",
];

/** The first line of config.yaml, by which editors find its JSON Schema. */
export const SCHEMA_MARK = "# yaml-language-server: $schema=";
/** Beside config.yaml, and in git like it: right on every machine, whether the package is installed there or not. */
export const SCHEMA_FILE = "config.schema.json";

const CONFIG = `${SCHEMA_MARK}${SCHEMA_FILE}
# Settings of this legion, each optional: take the # away. The environment outranks this file, and flags outrank both.

# model: anthropic/claude-sonnet-5-5   # without it: by the keys in the environment or in .env, else offline
# agent: legionnaire                   # the definition that \`legion start\` uses: agents/legionnaire.md
# tick: 1s                             # an agent decides at most once in this time; 0: whenever there is something to decide
# heartbeat: off                       # such as 10m: asks idle agents whether there is anything to do
# delay: 0                             # such as 5s: a pause after each decision
# durability: disk                     # process: faster, but what the last moments brought is lost with the machine

# limits:                              # with a paid model; free ones have none; \`limits: none\` takes them away
#   steps: 500                         # model calls of each agent
#   cost: 5                            # US dollars, for all together
#   tokens: none                       # input and output, for all together; such as 2000000
#   time: none                         # in model calls and actions, for all together; such as 8h

# memory:                              # what agents are shown of their past
#   strategy: legion                   # how old events are summarised; there is no other yet
#   threshold: 0.75                    # when this share of the model's window is full; above 1: tokens
#   pin: newest                        # top: goals and notes stand before the past, not after it
#   forgetErrors: on                   # mistakes that were overcome are left out; off with native tools

# bus: memory                          # or redis://localhost:6379/0: the legion lives there, with other machines
# name: legion                         # tells it from others in the same Redis

# system:                              # files and commands
#   commands: refuse                   # allow: agents run commands without a sandbox, as you

# web:                                 # pages and searches; keys belong into the environment or .env
#   browser: off                       # or the path of a Chrome or Chromium; without it: the one that is found
#   allowPrivate: [localhost:8080]     # hosts and networks that agents may reach though they are not public; none
#   search: { provider: searxng, url: "http://localhost:8080" }   # google, brave, tavily, searxng; url: asked in its place

# models:                              # what the registry does not know of a model
#   openai/llama3:                     # its name, as in \`model:\`
#     window: 32000                    # tokens that it reads and writes at once
#     maxOutput: 4096                  # tokens that it writes at most
#     tools: on                        # off: it writes its actions as text
#     price: { input: 0, output: 0 }   # US dollars per million tokens; without it no limit of cost can be kept

# providers:                           # how models are reached
#   openai:                            # and compatible servers; the same keys under anthropic:
#     baseUrl: http://localhost:11434/v1   # OPENAI_BASE_URL says the same and outranks it
#     stream: on                       # off: whole answers at once
#     concurrency: 8                   # calls at the same time
#     first: 5m                        # how long the first word may take
#     stall: 1m                        # how long the next one may take
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

/** By path in the project; the schema of config.yaml is made when it is written. */
export const STARTER_FILES: Readonly<Record<string, string>> = {
  ".ai-legion/config.yaml": CONFIG,
  "agents/clerk.md": AGENT,
  "my-module.mjs": MODULE,
};

import { z } from "zod";
import { defineAction, defineModule, fail, idle, ok } from "../src/domain/authoring/module.ts";
import type { Host } from "../src/domain/authoring/host.ts";

const RECALL_LIMIT = 20;
const EXCERPT_CHARS = 300;

/** Who the agent is, how it acts, and the actions that every agent has. */
export const core = defineModule({
  name: "core",
  instructions: ({ agent, howToAct }) =>
    [`You are ${agent.name} (agent id ${agent.id}).`, agent.brief.trim(), RULES, howToAct.trim()]
      .filter(Boolean)
      .join("\n\n"),
  actions: {
    noop: defineAction({
      description: "Do nothing and wait for new mail",
      effects: "none",
      touches: [],
      execute: () => idle(),
    }),
    help: defineAction({
      description: "Show how to use an action",
      parameters: { aboutAction: z.string().describe("name of the action") },
      effects: "reads",
      touches: [],
      execute({ aboutAction }, { actions }) {
        const spec = actions.find(
          ({ name, aliases }) => name === aboutAction || aliases.includes(aboutAction),
        );
        const names = actions.map(({ name }) => name).join(", ");
        if (!spec) return fail(`There is no action \`${aboutAction}\`. There are: ${names}.`);
        return ok(`\`${spec.name}\`: ${spec.description}.\n\n${spec.usage}`);
      },
    }),
    currentObjective: defineAction({
      description: "Show what you should work at now: your oldest pending goal, else your latest instruction",
      effects: "reads",
      touches: [],
      execute: (_, host) => ok(host.objective() ?? "You have no goals and no instructions yet."),
    }),
    recall: defineAction({
      description: "Search your whole past, also what was summarised, or reopen one event of it by number",
      parameters: {
        query: z.string().optional().describe("words that the event contains"),
        event: z.number().int().positive().optional().describe("number of the event to reopen"),
      },
      effects: "reads",
      touches: [],
      execute: ({ query, event }, host) => {
        if (event !== undefined) return reopen(event, host);
        return query?.trim() ? search(query, host) : fail("Give a query, or the number of an event.");
      },
    }),
  },
});

const RULES = `You work on your own, among other agents and under a person called Control. Nobody watches what you write: \
you are not in a chat. When you are asked for something, do it, check that it is done, and report the outcome to whoever \
asked. When nothing is left to do, wait for mail.`;

async function reopen(seq: number, { history }: Host) {
  const past = await history.open(seq);
  return past
    ? ok(`Event ${past.seq} (${past.at}):\n\n${past.text}`)
    : fail(`There is no event ${seq} to reopen.`);
}

async function search(query: string, { history }: Host) {
  const found = await history.search(query, RECALL_LIMIT);
  if (found.length === 0) return ok(`Nothing in your past contains all of: ${query}.`);
  const lines = found.map(({ seq, at, text }) => `- event ${seq} (${at}): ${excerpt(text)}`);
  return ok(`${lines.join("\n")}\n\nReopen one of them with its number in \`event\`.`);
}

function excerpt(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > EXCERPT_CHARS ? `${line.slice(0, EXCERPT_CHARS)}...` : line;
}

import { z } from "zod";
import { defineAction, defineModule, fail, ok } from "../src/domain/authoring/module.ts";
import type { Host, State } from "../src/domain/authoring/host.ts";

const KEY = "goals";
const MAX_PENDING = 100;
const MAX_SHOWN_COMPLETE = 10;
const MAX_LENGTH = 2_000;
/** What is shown of a long goal where room is short. */
const MAX_SHORTENED = 200;

const Goal = z.object({ text: z.string(), complete: z.boolean().catch(false) });
type Goal = z.output<typeof Goal>;

/** People edit the list by hand: what is no goal is passed over. */
function readGoals(state: State): readonly Goal[] {
  const stored = state.get(KEY);
  if (!Array.isArray(stored)) return [];
  return stored.map((item) => Goal.safeParse(item)).flatMap((goal) => (goal.success ? [goal.data] : []));
}

/** A list of what the agent works at, in its own words. */
export const goals = defineModule({
  name: "goals",

  instructions: () =>
    "Your goals show you and everyone else what you are working at. When you take on work of more than one step, add " +
    "a goal for it, concrete and within your reach; complete it as soon as it is done. Add no goals that nobody needs.",

  pinnedMessage(host) {
    const list = readGoals(host.state);
    if (list.length === 0) return "You have no goals currently.";
    const hidden = new Set(list.filter(({ complete }) => complete).slice(0, -MAX_SHOWN_COMPLETE));
    const lines = list.flatMap((goal, index) => (hidden.has(goal) ? [] : [render(goal, index + 1)]));
    const rest = hidden.size > 0 ? [`Not shown: ${hidden.size} more that you completed earlier.`] : [];
    const whole = ["Your goals:", ...lines, ...rest].join("\n");
    return host.tokens(whole) <= host.maxPinnedTokens ? whole : oldestPending(list, host);
  },

  objective: ({ state }) => readGoals(state).find(({ complete }) => !complete)?.text,

  projection: { kind: "file", name: "goals.json" },

  actions: {
    addGoal: defineAction({
      description: "Add a goal to your list",
      parameters: {
        goal: z.string().trim().min(1).max(MAX_LENGTH).describe("What shall be reached, in one sentence"),
      },
      effects: "none",
      touches: [],
      execute({ goal }, { state }) {
        const list = readGoals(state);
        if (list.filter(({ complete }) => !complete).length >= MAX_PENDING) {
          return fail(`You have ${MAX_PENDING} goals to complete; complete some before you add another.`);
        }
        state.set(KEY, [...list, { text: goal, complete: false }]);
        return ok("Goal added.");
      },
    }),

    completeGoal: defineAction({
      description: "Mark a goal as complete",
      parameters: {
        goalNumber: z.coerce.number().int().describe("Number of the goal in your list, from 1"),
      },
      effects: "none",
      touches: [],
      execute({ goalNumber }, { state }) {
        const list = readGoals(state);
        if (!list[goalNumber - 1]) return fail(`Invalid goal number: ${goalNumber}. ${numbersOf(list)}`);
        state.set(
          KEY,
          list.map((goal, index) => (index === goalNumber - 1 ? { ...goal, complete: true } : goal)),
        );
        return ok("Goal marked complete.");
      },
    }),
  },
});

/** As many as there is room for: what is to be done first comes first, and the rest is counted. */
function oldestPending(list: readonly Goal[], { tokens, maxPinnedTokens }: Host): string {
  const pending = list.flatMap(({ text, complete }, index) =>
    complete ? [] : [{ number: index + 1, line: render({ text: shortened(text), complete }, index + 1) }],
  );
  const last = pending.at(-1)?.number ?? 0;
  const done = list.length - pending.length;
  const show = (count: number): string => {
    const next = pending[count]?.number;
    const more = `... and ${pending.length - count} more: numbers ${next} to ${last}, shown as you complete these.`;
    return [
      "Your goals:",
      ...pending.slice(0, count).map(({ line }) => line),
      ...(next === undefined ? [] : [more]),
      ...(done > 0 ? [`Not shown: ${done} that you completed earlier.`] : []),
    ].join("\n");
  };
  let left = maxPinnedTokens - tokens(show(0));
  const count = pending.findIndex(({ line }) => (left -= tokens(`${line}\n`)) < 0);
  return show(count === -1 ? pending.length : Math.max(1, count));
}

function shortened(text: string): string {
  if (text.length <= MAX_SHORTENED) return text;
  // A cut must not part the two halves of a character.
  return `${text.slice(0, MAX_SHORTENED).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

function render({ text, complete }: Goal, number: number): string {
  return `${number}) "${text.replace(/\s+/g, " ")}" [${complete ? "COMPLETE" : "PENDING"}]`;
}

function numbersOf(list: readonly Goal[]): string {
  if (list.length === 0) return "You have no goals.";
  return list.length === 1
    ? "Your only goal is number 1."
    : `Your goals have the numbers 1 to ${list.length}.`;
}

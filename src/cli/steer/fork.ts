import { LegionError } from "../../base/errors.ts";
import { displayName } from "../../domain/message/message.ts";
import type { ForkAnswer } from "../../control/api/routes.ts";
import type { ForkOrder } from "../../legion/fork.ts";
import { withLegion } from "../../control/open.ts";
import type { CliCommand } from "../kit/command.ts";
import { oneLine, print, readNumber } from "../kit/output.ts";
import { aboutRun, checkAgent, addLegionOptions, withSite } from "../kit/target.ts";
import { count } from "../../base/text/wording.ts";

export const command: CliCommand = {
  define: (parser) =>
    void addLegionOptions(
      parser
        .argument("<id>", "the agent")
        .option("--at <number>", "the event to go on from; `legion log <id>` shows them")
        .option("--as <new>", "leave the agent as it is, and make a new one with that past")
        .option(
          "--content <text>",
          "with --as: what the message or result of that event says in place of what it said",
        )
        .option("--model <model>", "with --as: the model of the new one")
        .option("--held", "with --as: its calls with effects, and what it says to others, wait for you"),
    ),
  async run(typed, io) {
    const at = readNumber(typed, "at");
    if (at === undefined)
      throw new LegionError("USAGE", "--at: say which event to go on from; `legion log <id>` shows them");
    const { as, content, model } = typed.options;
    const held = typed.options["held"] ? (true as const) : undefined;
    await withSite(typed, io, async (site) => {
      const agent = await checkAgent(site, typed.args[0]!);
      const order = { agent, at, as, held, content, model };
      const answer = await withLegion(site, (legion) => legion.fork(order));
      for (const line of account(order, answer)) print(io, aboutRun(line, site));
    });
    return 0;
  },
};

/** What was done, and what to do next. */
function* account({ agent, at, as, held }: ForkOrder, answer: ForkAnswer): Generator<string> {
  const { to } = answer;
  const name = displayName(agent);
  const id = as ?? agent;
  if (to > at) yield `Event ${at} is part of a decision: its last result is event ${to}.`;
  if (to < at)
    yield `Nothing can go on from event ${at} itself, such as a decision that was not finished: event ${to} is before it.`;
  if (as !== undefined) {
    yield `${displayName(as)} is a new agent with the past of ${name} up to event ${to}.`;
    yield "Nothing of that past is sent, counted or paid again; what was said to the one is not said to the other.";
    if (held)
      yield `It is held: \`legion approve\` lets its calls run, \`legion mode ${as} usual\` lets it go.`;
  } else if (answer.outcome === "soon") {
    yield `${name} goes on from event ${to} as soon as the step that runs is done.`;
  } else yield `${name} goes on from event ${to}, on a new branch.`;
  if (as === undefined)
    yield `What came after event ${to} is kept: \`legion log ${agent} --tree\` shows all branches.`;
  if (answer.outcome === "done") {
    const { halt, edited, lost } = answer;
    if (lost !== undefined)
      yield `${count(lost, "event")} before that cannot be read any more; ${name} is told.`;
    if (edited.length > 0) yield `Changed by hand, and left so: ${listEdited(edited)}.`;
    if (halt)
      yield `It was ${halt.reason.replace(/-.*/, "")} at that moment, and is again (${oneLine(halt.content)}): \`legion resume ${id}\` lets it go on.`;
  }
  if (as !== undefined)
    yield `\`legion start --only ${as}\` runs it, \`legion start --only ${agent},${as}\` both.`;
}

function listEdited(edited: readonly (readonly [module: string, key: string])[]): string {
  const names = edited.map(([module, key]) =>
    module === key ? module : `${module} ${JSON.stringify(oneLine(key))}`,
  );
  return [...new Set(names)].join(", ");
}

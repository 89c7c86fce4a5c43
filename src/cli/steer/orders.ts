// Orders to agents, and what came of them in words.

import type { EndedNode } from "../../control/api/legion-client.ts";
import type { Obeyed, Order } from "../../control/api/routes.ts";
import { withLegion } from "../../control/open.ts";
import { parseMessageId } from "../../domain/message/message.ts";
import type { CliCommand, Io } from "../kit/command.ts";
import { namesOf, print } from "../kit/output.ts";
import { aboutRun, checkTargets, addLegionOptions, withSite } from "../kit/target.ts";

/** What is printed of the agents with each outcome, after their names; in it `<ids>` stands for what one types for them. */
const TEXTS: Readonly<Record<Order["order"], Readonly<Record<Obeyed["outcome"], string>>>> = {
  pause: {
    done: "paused until `legion resume <ids>`",
    soon: "paused as soon as the step that runs is done",
    already: "paused already",
  },
  resume: {
    done: "resumed",
    soon: "resumed as soon as the step that runs is done",
    already: "neither paused nor parked",
  },
  stop: {
    done: "stopped; the next start runs it again",
    soon: "stopped as soon as the step that runs is done",
    already: "stopped already",
  },
};

const UNENDED: Readonly<Record<Exclude<EndedNode["outcome"], "ended">, string>> = {
  late: "still finishes what runs; to kill its process ends it sooner",
  silent: "does not answer; kill its process if it is still there",
};

const TARGETS = "an agent such as 2, several such as 2,3, or all";
/** The model reads it, too. */
const ABORT = "Stop what you are doing at once, leave it as it is, and wait for mail.";

export const pause = orderCommand("pause");
export const resume = orderCommand("resume");

export const stop: CliCommand = {
  define: (parser) =>
    void addLegionOptions(
      parser.argument(
        "[ids]",
        "agents to stop; without it, the whole node, or all nodes of a legion in Redis",
      ),
    ),
  async run(typed, io) {
    if (typed.args.length > 0) return orderCommand("stop").run(typed, io);
    return printEnded(io, await withSite(typed, io, (site) => withLegion(site, (legion) => legion.end())));
  },
};

export const abort: CliCommand = {
  define: (parser) => void addLegionOptions(parser.argument("<ids>", TARGETS)),
  async run(typed, io) {
    const { named, told } = await withSite(typed, io, async (site) => {
      const targets = await checkTargets(site, typed.args[0]!);
      const ids = await withLegion(site, (legion) =>
        legion.say({ targets, content: ABORT, delivery: "abort" }),
      );
      const named = targets === "all" ? await site.reader.known() : targets;
      return { named, told: ids.map((id) => parseMessageId(id).to) };
    });
    const idle = named.filter((id) => !told.includes(id));
    if (told.length > 0) print(io, `${namesOf(told)}: told to stop at once.`);
    if (idle.length > 0) print(io, `${namesOf(idle)}: not at work, so there was nothing to abort.`);
    return 0;
  },
};

function orderCommand(order: Order["order"]): CliCommand {
  return {
    define: (parser) => void addLegionOptions(parser.argument("<ids>", TARGETS)),
    async run(typed, io) {
      await withSite(typed, io, async (site) => {
        const targets = await checkTargets(site, typed.args[0]!);
        const obeyed = await withLegion(site, (legion) => legion.order({ order, targets }));
        for (const outcome of ["done", "soon", "already"] as const) {
          const ids = obeyed.filter((agent) => agent.outcome === outcome).map(({ id }) => id);
          const named = ids.length > 10 ? "<ids>" : ids.join(",");
          const text = TEXTS[order][outcome].replace("<ids>", () => named);
          if (ids.length > 0) print(io, `${namesOf(ids)}: ${aboutRun(text, site)}.`);
        }
      });
      return 0;
    },
  };
}

/** Returns the exit code. */
function printEnded(io: Io, nodes: readonly EndedNode[]): number {
  for (const { node, outcome } of nodes) {
    if (outcome === "ended") print(io, `Node ${node} has ended.`);
    else io.stderr.write(`legion: node ${node} ${UNENDED[outcome]}\n`);
  }
  return nodes.every(({ outcome }) => outcome === "ended") ? 0 : 1;
}

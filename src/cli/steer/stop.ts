import type { EndedNode } from "../../control/api/legion-client.ts";
import type { CliCommand, Io } from "../kit/command.ts";
import { printObeyed, type OutcomeTexts } from "./order.ts";
import { print } from "../kit/output.ts";
import { checkTargets, addLegionOptions, withSite } from "../kit/target.ts";
import { withLegion } from "../../control/open.ts";

const STOPPED: OutcomeTexts = {
  done: "stopped; the next start runs it again",
  soon: "stopped as soon as the step that runs is done",
  already: "stopped already",
};

const UNENDED: Readonly<Record<Exclude<EndedNode["outcome"], "ended">, string>> = {
  late: "still finishes what runs; to kill its process ends it sooner",
  silent: "does not answer; kill its process if it is still there",
};

export const command: CliCommand = {
  define: (parser) =>
    void addLegionOptions(
      parser.argument(
        "[ids]",
        "agents to stop; without it, the whole node, or all nodes of a legion in Redis",
      ),
    ),
  async run(typed, io) {
    const [ids] = typed.args;
    return withSite(typed, io, async (site) => {
      if (ids === undefined) return printEnded(io, await withLegion(site, (legion) => legion.end()));
      const targets = await checkTargets(site, ids);
      printObeyed(io, await withLegion(site, (legion) => legion.order({ order: "stop", targets })), STOPPED);
      return 0;
    });
  },
};

/** Returns the exit code. */
function printEnded(io: Io, nodes: readonly EndedNode[]): number {
  for (const { node, outcome } of nodes) {
    if (outcome === "ended") print(io, `Node ${node} has ended.`);
    else io.stderr.write(`legion: node ${node} ${UNENDED[outcome]}\n`);
  }
  return nodes.every(({ outcome }) => outcome === "ended") ? 0 : 1;
}

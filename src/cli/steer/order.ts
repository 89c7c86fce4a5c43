// Orders to agents, and what came of them in words.

import type { Obeyed, Order } from "../../control/api/routes.ts";
import { withLegion } from "../../control/open.ts";
import type { CliCommand, Io } from "../kit/command.ts";
import { namesOf, print } from "../kit/output.ts";
import { checkTargets, addLegionOptions, withSite } from "../kit/target.ts";

/** What is printed of the agents with each outcome, after their names; in it `<ids>` stands for what one types for them. */
export type OutcomeTexts = Readonly<Record<Obeyed["outcome"], string>>;

export function orderCommand(order: Order["order"], texts: OutcomeTexts): CliCommand {
  return {
    define: (parser) =>
      void addLegionOptions(parser.argument("<ids>", "an agent such as 2, several such as 2,3, or all")),
    async run(typed, io) {
      const obeyed = await withSite(typed, io, async (site) => {
        const targets = await checkTargets(site, typed.args[0]!);
        return withLegion(site, (legion) => legion.order({ order, targets }));
      });
      printObeyed(io, obeyed, texts);
      return 0;
    },
  };
}

/** One line for each outcome. */
export function printObeyed(io: Io, obeyed: readonly Obeyed[], texts: OutcomeTexts): void {
  for (const outcome of ["done", "soon", "already"] as const) {
    const ids = obeyed.filter((agent) => agent.outcome === outcome).map(({ id }) => id);
    const typed = ids.length > 10 ? "<ids>" : ids.join(",");
    if (ids.length > 0) print(io, `${namesOf(ids)}: ${texts[outcome].replace("<ids>", () => typed)}.`);
  }
}

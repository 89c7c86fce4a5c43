import { reach } from "../server/reach.ts";
import type { CliCommand } from "./command.ts";
import { columnsFor, print, printJson } from "./output.ts";
import { offerJson, offerLegion, withSite } from "./project.ts";
import { statusTable } from "./status-table.ts";

export const command: CliCommand = {
  define: (parser) => void offerJson(offerLegion(parser)),
  async run(typed, io) {
    const { agents, nodes, where, places } = await withSite(typed, io, async (site) => ({
      ...(await reach(site, (legion) => legion.status())),
      where: site.kind === "redis" ? ` in the legion ${site.legion} at ${site.link.shown}` : "",
      places: site.kind === "redis" ? ("many" as const) : ("one" as const),
    }));
    if (typed.options["json"]) for (const status of agents) printJson(io, status);
    else if (agents.length > 0)
      print(io, statusTable(agents, { columns: columnsFor(io), nowMs: Date.now(), nodes, places }));
    else print(io, `There are no agents yet${where}; \`legion start\` makes one.`);
    return 0;
  },
};

import type { AgentStatus } from "../status.ts";
import { storedStatus } from "../status.ts";
import { findNode } from "../server/control-client.ts";
import type { CliCommand } from "./command.ts";
import { columnsFor, print, printJson } from "./output.ts";
import { offerDir, offerJson, readerOf } from "./project.ts";
import { statusTable } from "./status-table.ts";

export const command: CliCommand = {
  define: (parser) => void offerJson(offerDir(parser)),
  async run(typed, io) {
    const reader = await readerOf(typed, io);
    const node = await findNode(reader.paths.socket);
    const live = new Map((await node?.status())?.map((status) => [status.id, status]));
    const agents: AgentStatus[] = [];
    for (const id of await reader.known()) agents.push(live.get(id) ?? (await storedStatus(id, reader)));
    if (typed.options["json"]) for (const status of agents) printJson(io, status);
    else if (agents.length > 0)
      print(io, statusTable(agents, { columns: columnsFor(io), nowMs: Date.now() }));
    else print(io, "There are no agents yet; `legion start` makes one.");
    return 0;
  },
};

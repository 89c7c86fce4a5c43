// Which MCP servers the project names, which of them may be started, and what is wrong with the others. Starts none.

import { readServers } from "../../../modules/mcp/config/read.ts";
import { grantFor } from "../../../modules/mcp/settings.ts";
import { loadConfig } from "../../config/load-config.ts";
import type { CliCommand } from "../kit/command.ts";
import { oneLine, print, printJson } from "../kit/output.ts";
import { addDirOption, addJsonOption, projectOf } from "../kit/target.ts";
import { spelt } from "../kit/terminal.ts";

export const command: CliCommand = {
  define: (parser) => void addJsonOption(addDirOption(parser)),
  async run(typed, io) {
    const project = await projectOf(typed, io);
    const { modules } = await loadConfig({ projectDir: project, env: io.env, flags: {} });
    const { allow, place: file } = modules.mcp;
    const { entries, problems } = await readServers({ project, variables: io.env });
    const servers = entries.map((entry) => ({ entry, isAllowed: allow.includes(grantFor(entry)) }));
    for (const { entry, isAllowed } of servers) {
      const { name, place, says } = entry;
      const grant = grantFor(entry);
      if (typed.options["json"]) printJson(io, { name, place, entry: says, allowed: isAllowed, grant });
      else print(io, spelt(`${isAllowed ? "allowed  " : "withheld "} ${name}: ${says} (${place})`));
    }
    if (!typed.options["json"]) {
      const grants = servers.flatMap(({ entry, isAllowed }) =>
        isAllowed ? [] : [JSON.stringify(grantFor(entry))],
      );
      if (servers.length === 0 && problems.length === 0)
        print(io, "No MCP servers: none in .ai-legion/mcp.json or .mcp.json.");
      if (grants.length > 0)
        print(
          io,
          `\nTo let them start, write into ${file}:\n${spelt(`mcp: { allow: [${grants.join(", ")}] }`)}`,
        );
    }
    for (const problem of problems) io.stderr.write(`legion: ${oneLine(spelt(problem))}\n`);
    return 0;
  },
};

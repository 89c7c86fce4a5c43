// How the program of a server is started: in the sandbox of the agents that have it, or outside, as the person said.

import type { ProgramOrder, Programs, StartedProgram } from "../../../src/domain/authoring/program.ts";
import { confinementOf, type Confinement, type ConfinementSettings } from "../config/confinement.ts";
import type { Entry } from "../config/entry.ts";

export interface StartedServer extends StartedProgram {
  /** What it may not reach and asked for, and what would let it, in a sentence or two; `said` is what it printed. */
  lacks(said: string): string;
}

export type StartServer = (order: Omit<ProgramOrder, "network" | "workspace">) => Promise<StartedServer>;

export interface ServerPlace {
  /** The same for places where one connection serves all. */
  readonly key: string;
  readonly workspace?: Programs["workspace"];
  readonly start: StartServer;
}

export function placeFor(entry: Entry, settings: ConfinementSettings, programs: Programs): ServerPlace {
  const { name, hash } = entry;
  const { where, network, workspace } = confinementOf(entry, settings);
  const own = where === "elsewhere" ? undefined : programs.workspace;
  if (where !== "sandbox" || !programs.isConfined) {
    const start: StartServer = async ({ command, args, cwd, env }) => ({
      ...(await programs.startOutside({ command, args, cwd, env, network, workspace })),
      lacks: () => "",
    });
    return { key: own ?? "", workspace: own, start };
  }
  return {
    key: programs.confinement,
    workspace: own,
    async start({ command, args, cwd, env }) {
      // A home for each entry: what one has fetched lasts, and no other runs it.
      const program = await programs.start({ command, args, cwd, env, network, workspace, home: hash });
      const lacks = (said: string): string =>
        adviceOn(name, network, [...program.missed(), ...missedIn(said)]) || (program.refused().at(-1) ?? "");
      return { ...program, lacks };
    },
  };
}

/** As Node, npm, curl, git, wget, Python and Go say it. */
const MISSED =
  /(?:EAI_AGAIN|ENOTFOUND|resolve host(?: address)?:?|failed to resolve|dial tcp: lookup)\s+['"‘`]?([a-z\d](?:[a-z\d.-]*[a-z\d])?\.[a-z]{2,})/gi;

/** The hosts that a program did not find, in its own words. */
function missedIn(said: string): readonly string[] {
  return [...said.matchAll(MISSED)].map(([, host = ""]) => host.toLowerCase());
}

function adviceOn(name: string, network: Confinement["network"], missed: readonly string[]): string {
  if (missed.length === 0 || network === "on") return "";
  const allowed = network === "off" ? [] : network;
  const wanted = [...new Set(missed)].filter((host) => !allowed.includes(host));
  const reach = wanted.length > 0 ? `[${[...allowed, ...wanted].join(", ")}]` : "on";
  const why =
    wanted.length > 0
      ? `It may not reach ${wanted.join(", ")}`
      : `It looked for ${allowed.join(", ")} itself, and single hosts are only reached through HTTPS_PROXY`;
  const setting = `mcp: { network: { ${JSON.stringify(name)}: ${reach} } }`;
  return `${why}; a person may let it: \`${setting}\` in config.yaml, then \`legion mcp allow ${JSON.stringify(name)}\`.`;
}

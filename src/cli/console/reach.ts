// What commands of agents may do where a node runs, and who is asked, in words.

import type { Config } from "../../config/config.ts";
import type { Mode } from "../../domain/supervision.ts";
import type { EnvironmentFinding } from "../../environment/open.ts";
import type { EnvironmentChoice } from "../../environment/settings.ts";

/** What this machine has to run commands in; absent: nobody looked. */
export type SandboxFinding = Pick<EnvironmentFinding, "kind" | "why"> | undefined;

const COMMANDS = {
  allow: "agents may run them, without a sandbox; only start like this where you trust what they read",
  ask: "there is no sandbox, so you are asked before one runs; --yes allows them",
  typed: "you type them, and there is no sandbox",
} as const;

/** May commands run as the person who starts this, whatever they are? */
export function saysYes({ policies }: Pick<Config, "policies">): boolean {
  return policies.some(({ by }) => by === "--yes");
}

export interface CommandsWhere {
  /** As far as anybody said. */
  readonly said: EnvironmentChoice;
  readonly sandbox: SandboxFinding;
}

/**
 * Where they run, and why there is no sandbox where there is none.
 *
 * @param modes how the person watches over the agents, each once
 */
export function describeCommands(
  config: Pick<Config, "policies">,
  { said, sandbox }: CommandsWhere,
  modes: readonly Mode[],
): string {
  const { kind = sandbox?.kind ?? "local", network = "off" } = said;
  const isAsked = modes.some((mode) => mode !== "usual" && mode !== "yolo");
  const isAllowed = saysYes(config) || isAll("yolo", modes);
  if (kind === "local") {
    const words = isAll("human", modes) ? COMMANDS.typed : COMMANDS[isAllowed && !isAsked ? "allow" : "ask"];
    return said.kind === "local" || !sandbox ? words : `${words} (${sandbox.why})`;
  }
  const reach =
    typeof network === "string" ? { on: "any host", off: "no network" }[network] : network.join(", ");
  const isSandbox = network !== "on" && (said.args ?? []).length === 0;
  const questions = (isSandbox || isAllowed) && !isAsked ? ", without questions" : "";
  const why =
    isSandbox || isAllowed || isAsked ? "" : "; that is no sandbox, so you are asked before one runs";
  return `they run in ${kind}${questions}: they reach the workspace, and ${reach}${why}`;
}

function isAll(wanted: Mode, modes: readonly Mode[]): boolean {
  return modes.length > 0 && modes.every((mode) => mode === wanted);
}

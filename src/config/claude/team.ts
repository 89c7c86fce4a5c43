// A folder .claude as a team: each of its agents once, with an id that can be typed.

import { basename, join, relative, resolve } from "node:path";
import { LegionError } from "../../base/errors.ts";
import { isAgentId, type AgentId } from "../../domain/message/message.ts";
import { findClaudeAgents, linkedOut, type ClaudeHomes } from "./files.ts";

interface ClaudeMember {
  readonly id: AgentId;
  /** The path of its file, also of one that cannot be read. */
  readonly agent: string;
}

/**
 * The agents of the project's `.claude`, or of that at home, in the order of their files; `undefined`: `reference` names neither. Throws
 * USAGE if there are none.
 */
export async function findClaudeTeam(
  reference: string,
  homes: ClaudeHomes,
): Promise<readonly ClaudeMember[] | undefined> {
  const { projectDir, home = projectDir } = homes;
  const atHome = join(home, ".claude");
  const path = /^~[\\/]/.test(reference) ? join(home, reference.slice(2)) : resolve(projectDir, reference);
  const isProjects = relative(path, join(projectDir, ".claude")) === "";
  if (!isProjects && relative(path, atHome) !== "") return undefined;
  const found = (await findClaudeAgents(homes)).filter(({ isPersons }) => isPersons !== isProjects);
  if (found.length === 0) {
    const why = isProjects ? await linkedOut(projectDir) : undefined;
    throw new LegionError("USAGE", why ?? `there are no agents in ${isProjects ? "" : "~/"}.claude/agents`);
  }
  const taken = new Set<AgentId>();
  return found.map(({ agent, shown }) => {
    const id = idFor(agent?.name ?? basename(shown, ".md"), taken);
    taken.add(id);
    return { id, agent: shown };
  });
}

function idFor(name: string, taken: ReadonlySet<AgentId>): AgentId {
  const plain = name
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, "-")
    .replace(/^[^a-z0-9]+|[.-]+$/g, "")
    .slice(0, 50);
  const first = isAgentId(plain) ? plain : `agent-${plain}`.replace(/[.-]+$/, "");
  for (let number = 2, id = first; ; id = `${first}-${number++}`)
    if (isAgentId(id) && !taken.has(id)) return id;
}

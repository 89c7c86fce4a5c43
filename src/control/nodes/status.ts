// What every agent of a legion that several nodes share does: as the nodes tell, and as the logs tell of those that no node tells about.

import type { AgentId } from "../../domain/message/message.ts";
import type { Reader } from "../../storage/contract/reader.ts";
import { nodeName, type Nodes, type Whereabouts } from "../../storage/contract/nodes.ts";
import type { WorkspaceId } from "../../storage/folder/workspace.ts";
import { type AgentStatus, storedStatuses } from "../../legion/status.ts";
import type { Overview } from "../api/legion-client.ts";
import type { AnswerOf } from "../api/routes.ts";
import { nodeClient, unlessLocked, type NodesClient } from "./client.ts";

const ANSWER_MS = 2_000;

export interface StatusSources {
  readonly reader: Reader;
  readonly nodes: Nodes;
  readonly client: NodesClient;
}

/** Of all agents, or of those that are wanted. Asks all nodes at once. Rejects with STORAGE if the place where it is kept does not answer. */
export async function statusOfAll(
  { reader, nodes, client }: StatusSources,
  wanted?: readonly AgentId[],
): Promise<Overview> {
  const known = wanted ?? (await reader.known());
  const whereabouts = await nodes.whereabouts(known);
  /** What each node that answers tells, by its id. */
  const told = new Map<string, AnswerOf<"status">>();
  const ask = async (node: string): Promise<void> => {
    const answer = await unlessLocked(nodeClient(client, node, ANSWER_MS).status({}));
    if (answer) told.set(node, answer);
  };
  await Promise.all([...whereabouts.nodes.keys()].map(ask));
  const live = new Map<AgentId, AgentStatus>();
  // An agent that moves is told of twice; who runs it knows better than who has stopped it.
  for (const status of [...told.values()].flatMap((answer) => answer.agents)) {
    if (status.node !== null || !live.has(status.id)) live.set(status.id, status);
  }
  const places: StatusPlaces = { whereabouts, answered: new Set(told.keys()), homeOf: await nodes.homes() };
  const stored = await storedStatuses(
    known.filter((id) => !live.has(id)),
    reader,
  );
  const atRest = [...stored].map(([id, status]) => [id, placed(status, places)] as const);
  const statuses = new Map([...live, ...atRest]);
  const agents = known.flatMap((id) => statuses.get(id) ?? []);
  return {
    agents,
    nodes: [...whereabouts.nodes.values()].map(({ name }) => name),
    servers: [...told.values()].flatMap(({ servers }) => servers),
    limits: [...told.values()][0]?.limits ?? null,
  };
}

interface StatusPlaces {
  readonly whereabouts: Whereabouts;
  /** Ids of nodes. */
  readonly answered: ReadonlySet<string>;
  /** The workspace that an agent is bound to. */
  readonly homeOf: (agent: AgentId) => WorkspaceId | undefined;
}

/** What the log says of an agent, and why nobody is there who knows more. */
function placed(stored: AgentStatus, { whereabouts, answered, homeOf }: StatusPlaces): AgentStatus {
  const { holder, isStopped } = whereabouts.of(stored.id);
  if (isStopped) return stored;
  if (holder !== undefined && !answered.has(holder)) {
    const node = nodeName(holder);
    return { ...stored, reason: `${node} does not answer`, waitingFor: "its node", node };
  }
  if (stored.state !== "stopped") return stored;
  const nodes = [...whereabouts.nodes.values()];
  if (nodes.some(({ able }) => able.includes(stored.id))) return { ...stored, waitingFor: "a node" };
  const home = homeOf(stored.id);
  const isAway = home && !nodes.some(({ workspace }) => workspace === home.id);
  if (isAway)
    return { ...stored, reason: `its files are in ${home.folder}`, waitingFor: `workspace on ${home.host}` };
  return nodes.length > 0 ? { ...stored, reason: "no node that runs was started with it" } : stored;
}

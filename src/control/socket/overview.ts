import type { AgentId } from "../../domain/message/message.ts";
import { storedStatuses } from "../../legion/status.ts";
import { byId, type Reader } from "../../storage/contract/reader.ts";
import type { Overview } from "../api/legion-client.ts";
import type { AnswerOf } from "../api/routes.ts";

/** What the node tells of those that it runs, what is kept tells of the others. */
export async function overviewOf(
  reader: Reader,
  { agents: told, servers, limits }: AnswerOf<"status">,
  wanted?: readonly AgentId[],
): Promise<Overview> {
  const live = new Map(told.map((status) => [status.id, status]));
  // One that runs in spite of a file in place of its folder is nobody to the files.
  const known = wanted ?? [...new Set([...(await reader.known()), ...live.keys()])].sort(byId);
  const stored = await storedStatuses(
    known.filter((id) => !live.has(id)),
    reader,
  );
  const agents = known.flatMap((id) => live.get(id) ?? stored.get(id) ?? []);
  return { agents, nodes: [...new Set(told.flatMap(({ node }) => node ?? []))], servers, limits };
}

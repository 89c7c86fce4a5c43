// What each agent adds to a report, read from its log's digest, or from what was kept of that.

import { messageOf } from "../../base/errors.ts";
import { readAhead } from "../../base/turns.ts";
import { CONTROL, type AgentId, type Message } from "../../domain/message/message.ts";
import type { Digest } from "../../past/digest/digest.ts";
import type { Reader } from "../../storage/contract/reader.ts";
import type { AgentStatus } from "../status.ts";
import { partOf, partSince, wholePart, type AgentPart } from "./part.ts";

export interface ReadPart {
  readonly agent: AgentId;
  readonly part: AgentPart;
  /** Absent: nobody knows how it stands. */
  readonly status: AgentStatus | undefined;
  /** What it has not taken in. */
  readonly mail: readonly Message[];
}

interface PartWish {
  /** In milliseconds since 1970; -Infinity: all that is recorded. */
  readonly sinceMs: number;
  readonly most: number;
}

/** So many are read while one is looked at: else everybody waits for the disk in between. */
const AHEAD = 4;

/**
 * The person's own comes first. Those that cannot be read are left out.
 *
 * @param own the digest of the person's log
 * @param tell is told why one cannot be read
 */
export async function* readParts(
  { reader, statuses }: { readonly reader: Reader; readonly statuses: readonly AgentStatus[] },
  own: Digest,
  { sinceMs, most }: PartWish,
  tell: (agent: AgentId, reason: string) => void,
): AsyncGenerator<ReadPart, undefined> {
  const standing = new Map(statuses.map((status) => [status.id, status]));
  const partIn = async (agent: AgentId): Promise<AgentPart> => {
    if (agent === CONTROL) return partOf(agent, own, sinceMs, most);
    let digest: Digest | undefined;
    const whole = await reader.excerpt(agent, {
      ...wholePart,
      of: (...from) => wholePart.of(from[0], (digest = from[1])),
    });
    const part = partSince(whole, sinceMs, most);
    return part ?? partOf(agent, digest ?? (await reader.digest(agent)), sinceMs, most);
  };
  const read = async (agent: AgentId): Promise<ReadPart | undefined> => {
    try {
      const part = await partIn(agent);
      const status = inItsWords(standing.get(agent), part);
      const { unread } = status && status.unread > 0 ? await reader.atRest(agent) : NO_MAIL;
      return { agent, part, status, mail: unread.map(({ message }) => message) };
    } catch (error) {
      tell(agent, messageOf(error));
      return undefined;
    }
  };
  for await (const one of readAhead([CONTROL, ...(await reader.known())], AHEAD, read)) if (one) yield one;
  return undefined;
}

const NO_MAIL = { unread: [] };

/** Why it stands still says its log, whatever a node knows of it now. */
function inItsWords(status: AgentStatus | undefined, { halt }: AgentPart): AgentStatus | undefined {
  return status && halt !== undefined ? { ...status, reason: halt } : status;
}

// How the agents of a legion stood when they were asked of, in one file for all of them. Of somebody else's agents, and of those with
// mail, nothing is kept.

import { z } from "zod";
import type { AgentId } from "../../../domain/message/message.ts";
import { readPackedStanding, unpackStanding, type PackedStanding } from "../../../past/digest/standing.ts";
import type { StandingKeeper } from "../../contract/digests/digests.ts";
import { toRecord, type AgentAtRest } from "../../contract/reader.ts";
import { createKeptOfMany, type KeptOfManyPlace } from "./kept-of-many.ts";

interface ToldAgent {
  /** As `agent.json` has it; absent: there is none. */
  readonly record?: string | undefined;
  readonly standing: PackedStanding;
}

const toldSchema = z.object({
  record: z.string().optional(),
  standing: z.custom<PackedStanding>((standing) => readPackedStanding(standing) !== undefined),
});

interface KeptAgentsPlace extends KeptOfManyPlace {
  readonly recordText: (agent: AgentId) => Promise<string | undefined>;
}

export function createKeptAgents({ recordText, ...place }: KeptAgentsPlace) {
  const kind = { file: "standings", name: "agents at rest", schema: toldSchema };
  const { open, of, marks, renew } = createKeptOfMany<ToldAgent>(kind, place);
  /** Of those that are read at this moment; `undefined`: it is not known yet. */
  const standings = new Map<AgentId, PackedStanding | undefined>();
  const toKeep = async (agent: AgentId, told: AgentAtRest): Promise<ToldAgent | undefined> => {
    const standing = standings.get(agent);
    if (!standing || told.isForeign || told.unread.length > 0) return undefined;
    return { record: await recordText(agent), standing };
  };
  return {
    ...{ open, of, marks },
    /** What `readNow` gives, or gave when it was last asked. */
    async atRest(agent: AgentId, readNow: () => Promise<AgentAtRest>): Promise<AgentAtRest> {
      const known = of(agent);
      if (known) return toldOf(known);
      standings.set(agent, undefined);
      const told = renew(agent, readNow, (now) => toKeep(agent, now));
      return told.finally(() => standings.delete(agent));
    },
    keeper: (agent: AgentId): StandingKeeper => ({
      read: () => Promise.resolve(of(agent)?.standing),
      keep: (standing) => Promise.resolve(void (standings.has(agent) && standings.set(agent, standing))),
    }),
  };
}

function toldOf({ standing, record = "" }: ToldAgent): AgentAtRest {
  return { standing: unpackStanding(standing), record: toRecord(record), isForeign: false, unread: [] };
}

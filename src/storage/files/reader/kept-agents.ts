// What was told of the agents of a legion, in one file for all of them: of one that nobody touched since, nothing else is read. Only a
// cache, signed by the person; of somebody else's agents, and of those with mail, nothing is kept.

import { join } from "node:path";
import { z } from "zod";
import { readJson } from "../../../base/text/json.ts";
import type { AgentId } from "../../../domain/message/message.ts";
import { VERSION } from "../../../past/digest/digest.ts";
import { readPackedStanding, unpackStanding, type PackedStanding } from "../../../past/digest/standing.ts";
import type { StandingKeeper } from "../../contract/digests/digests.ts";
import { toRecord, type AgentAtRest } from "../../contract/reader.ts";
import { removeFrom } from "../../folder/cache/replace.ts";
import { signedFile } from "../../folder/cache/signed-file.ts";
import type { LegionPaths } from "../../folder/paths.ts";
import type { Authorship } from "../../folder/person/authorship.ts";
import { isUntouched, marksOf, type AgentMarks } from "./touched.ts";

/** What there is of fewer agents is read in next to no time; what would be kept of more is long to read, and to hold. */
const [FEWEST, MOST] = [32, 5_000];
const FILE = "agents";

interface UntouchedAgent {
  readonly marks: AgentMarks;
  /** As `agent.json` has it; absent: there is none. */
  readonly record?: string | undefined;
  readonly standing: PackedStanding;
}

const lineSchema = z.object({
  agent: z.string(),
  marks: z.record(z.string(), z.string()),
  record: z.string().optional(),
  standing: z.unknown().refine((standing) => readPackedStanding(standing) !== undefined),
});

interface KeptAgentsPlace {
  readonly paths: LegionPaths;
  /** Of the person, as far as it is known now. */
  readonly authorship: () => Promise<Authorship>;
  readonly recordText: (agent: AgentId) => Promise<string | undefined>;
}

/** Of few agents nothing is kept, and nothing that was is looked at. */
export function createKeptAgents({ paths, authorship, recordText }: KeptAgentsPlace) {
  let kept: Map<AgentId, UntouchedAgent> | undefined;
  /** Who was found untouched in this turn of the event loop, and who was not. */
  const looked = new Map<AgentId, boolean>();
  const of = (agent: AgentId): UntouchedAgent | undefined => {
    const known = kept?.get(agent);
    if (!known) return undefined;
    if (looked.size === 0) setImmediate(() => looked.clear());
    const isStill = looked.get(agent) ?? isUntouched(paths.agent(agent), known.marks);
    looked.set(agent, isStill);
    return isStill ? known : undefined;
  };
  /** Of those that are read at this moment. */
  const standings = new Map<AgentId, PackedStanding>();
  let [news, underWay] = [0, 0];
  const keep = async (agent: AgentId, marks: AgentMarks): Promise<void> => {
    const standing = standings.get(agent);
    const record = await recordText(agent);
    if (!kept || !standing || !isUntouched(paths.agent(agent), marks)) return;
    kept.set(agent, { marks, record, standing });
    looked.delete(agent);
    news++;
  };
  const ended = async (agent: AgentId): Promise<void> => {
    standings.delete(agent);
    underWay--;
    if (!kept || underWay > 0 || news < FEWEST) return;
    news = 0;
    await write(kept, paths, authorship).catch(() => undefined);
  };
  return {
    /** To be called with the number of agents that there are, before anything is asked of them. Never rejects. True the first time. */
    async open(count: number): Promise<boolean> {
      if (kept || count < FEWEST || count > MOST) return false;
      kept = await read(paths, authorship).catch(() => new Map());
      return true;
    },
    /** `undefined`: it has to be read. */
    of,
    /** What `readNow` gives, or gave when it was last asked. */
    async atRest(agent: AgentId, readNow: () => Promise<AgentAtRest>): Promise<AgentAtRest> {
      const known = of(agent);
      if (known) return toldOf(known);
      const marks = kept && marksOf(paths.agent(agent));
      underWay++;
      try {
        const told = await readNow();
        if (marks && !told.isForeign && told.unread.length === 0) await keep(agent, marks);
        return told;
      } finally {
        await ended(agent);
      }
    },
    keeper: (agent: AgentId): StandingKeeper => ({
      read: () => Promise.resolve(of(agent)?.standing),
      keep: (standing) => Promise.resolve(void (kept && standings.set(agent, standing))),
    }),
  };
}

/** Removes what was kept, where an agent is gone. Never rejects. */
export function removeKeptAgents({ root }: LegionPaths): Promise<void> {
  return removeFrom(join(root, "cache"), FILE);
}

function toldOf({ standing, record = "" }: UntouchedAgent): AgentAtRest {
  return { standing: unpackStanding(standing), record: toRecord(record), isForeign: false, unread: [] };
}

type FilePlace = readonly [paths: LegionPaths, authorship: KeptAgentsPlace["authorship"]];

async function fileOf(...[{ root, tmp }, authorship]: FilePlace) {
  const place = { path: join(root, "cache", FILE), tmp, name: `agents at rest, ${VERSION}` };
  return signedFile(place, await authorship());
}

/** One program wrote all lines, and the person's code is over all of them: what the first one is, they all are. */
async function read(...place: FilePlace): Promise<Map<AgentId, UntouchedAgent>> {
  const said = await (await fileOf(...place)).read();
  const lines = said?.toString("utf8").split("\n").slice(0, -1) ?? [];
  if (!lineSchema.safeParse(readJson(lines[0] ?? "")).success) return new Map();
  return new Map(
    lines.map((line) => {
      const { agent, ...kept } = JSON.parse(line) as UntouchedAgent & { readonly agent: AgentId };
      return [agent, kept];
    }),
  );
}

async function write(kept: ReadonlyMap<AgentId, UntouchedAgent>, ...[paths, authorship]: FilePlace) {
  const still = [...kept].filter(([agent, { marks }]) => isUntouched(paths.agent(agent), marks));
  const lines = still.map(([agent, known]) => `${JSON.stringify({ agent, ...known })}\n`);
  await (await fileOf(paths, authorship)).write(Buffer.from(lines.join("")));
}

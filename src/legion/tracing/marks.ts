// How far the traces of each agent were sent: a file in the cache. Without it they are sent again, under the same ids.

import { join } from "node:path";
import { z } from "zod";
import { readJson } from "../../base/text/json.ts";
import { createDisk } from "../../base/files/disk.ts";
import type { AgentId, LogId } from "../../domain/message/message.ts";
import type { LegionPaths } from "../../storage/folder/paths.ts";

/** All that was over with event `seq` of a log was sent. */
export interface SentMark {
  /** The id that the log began with: an agent that is begun anew has another one. */
  readonly log: LogId;
  readonly seq: number;
}

export interface SentMarks {
  of(agent: AgentId, log: LogId): number;
  /** `undefined` where nothing was sent, or nobody knows. */
  at(agent: AgentId): SentMark | undefined;
  set(agent: AgentId, mark: SentMark): void;
  /** Writes them down. */
  save(): Promise<void>;
}

const schema = z.object({
  format: z.literal(1),
  agents: z.record(z.string(), z.object({ log: z.string(), seq: z.int().min(0) })),
});

/** Of a legion that is not kept either. */
export function createSentMarks(): SentMarks {
  return marksOf({}, () => Promise.resolve());
}

/** @param name of the legion, where it is kept elsewhere, and others may be as well */
export async function openSentMarks(paths: LegionPaths, name?: string): Promise<SentMarks> {
  const file = join(paths.root, "cache", name === undefined ? "traces.json" : `traces-of-${name}.json`);
  const disk = createDisk(paths.tmp);
  const text = await disk.read(file).catch(() => undefined);
  const known = schema.safeParse(readJson(text?.toString() ?? "")).data?.agents ?? {};
  return marksOf(known, (agents) => disk.replace(file, `${JSON.stringify({ format: 1, agents })}\n`));
}

type MarksByAgent = Readonly<Record<AgentId, SentMark>>;

function marksOf(known: MarksByAgent, write: (all: MarksByAgent) => Promise<void>): SentMarks {
  const marks = new Map(Object.entries(known));
  return {
    of: (agent, log) => {
      const mark = marks.get(agent);
      return mark?.log === log ? mark.seq : 0;
    },
    at: (agent) => marks.get(agent),
    set: (agent, mark) => void marks.set(agent, mark),
    save: () => write(Object.fromEntries(marks)),
  };
}

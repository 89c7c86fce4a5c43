// Two pasts beside each other, as whoever watches a legion asks for them: of its own agents, and of those of its project's runs.

import { lstat } from "node:fs/promises";
import { displayName, type AgentId } from "../../domain/message/message.ts";
import { comparePasts, type OwnPast } from "../../legion/replay/compare-pasts.ts";
import type { Reader } from "../../storage/contract/reader.ts";
import { createFileReader } from "../../storage/files/reader/reader.ts";
import { findSession, newestEventIn, sessionsOf } from "../../storage/files/sessions.ts";
import type { ReadingAnswer, ReadingQuestion } from "../api/readings.ts";
import { known } from "./known.ts";

const MOST_RUNS = 100;

/** Rejects with USAGE for an agent, an event or a run that is not there, naming what there is. */
export async function readDifferences(
  reader: Reader,
  project: string,
  { one, oneAt, oneRun, other, otherAt, run }: ReadingQuestion<"differences">,
): Promise<ReadingAnswer<"differences">> {
  const first = { reader: await readerOf(reader, project, oneRun), agent: one, at: oneAt };
  const second = { reader: await readerOf(reader, project, run), agent: other, at: otherAt };
  await known(first.reader, one);
  await known(second.reader, other);
  const parting = await comparePasts(first, second);
  return { ...parting, one: named(one, parting.one), other: named(other, parting.other) };
}

async function readerOf(reader: Reader, project: string, run: string | undefined): Promise<Reader> {
  if (run === undefined) return reader;
  const { home } = await findSession(project, run);
  return createFileReader(project, { home });
}

function named(agent: AgentId, own: OwnPast) {
  const events = own.events.map((event) => ({ ...event }));
  return { agent, name: displayName(agent), ...own, events };
}

export async function readRuns(project: string): Promise<ReadingAnswer<"runs">> {
  const all = await sessionsOf(project);
  // Which are old is seen without opening any.
  const changed = await Promise.all(
    all.map(async (session) => ({
      session,
      ms: (await lstat(session.home).catch(() => undefined))?.mtimeMs ?? 0,
    })),
  );
  const newest = changed.toSorted((a, b) => b.ms - a.ms).slice(0, MOST_RUNS);
  const runs: ReadingAnswer<"runs">["runs"][number][] = [];
  for (const { session } of newest) {
    const reader = createFileReader(project, { home: (await findSession(project, session.name)).home });
    const agents = await reader.known();
    runs.push({ name: session.name, at: await newestEventIn(reader, agents), agents });
  }
  return { runs: runs.toSorted((a, b) => (a.at < b.at ? 1 : -1)), more: all.length - newest.length };
}

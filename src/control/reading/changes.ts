// Which files the agents of a legion changed, as the results of their file actions tell, from the digests of its logs.

import { isLegionError } from "../../base/errors.ts";
import { displayName } from "../../domain/message/message.ts";
import type { Reader } from "../../storage/contract/reader.ts";
import type { ReadingAnswer } from "../api/readings.ts";

type Changes = ReadingAnswer<"changes">;

/** The newest. */
const MOST = 1_000;

export async function readChanges(reader: Pick<Reader, "known" | "digest">): Promise<Changes> {
  const changes: Changes["changes"][number][] = [];
  const openings = new Map<string, string>();
  for (const agent of await reader.known()) {
    const digest = await reader.digest(agent).catch((error: unknown) => {
      // Its row in the overview says why it cannot be read.
      if (!isLegionError(error)) throw error;
    });
    for (const { id, opening } of digest?.charges.firsts.values() ?? []) openings.set(id, opening);
    for (const { cause = null, ...change } of digest?.changes ?? [])
      changes.push({ agent, name: displayName(agent), ...change, cause, opening: null });
  }
  return {
    changes: changes
      .sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : b.seq - a.seq))
      .slice(0, MOST)
      .map((change) => ({ ...change, opening: openings.get(change.cause ?? "") ?? null })),
  };
}

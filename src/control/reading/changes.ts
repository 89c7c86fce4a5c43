// Which files the agents of a legion changed, as the results of their file actions and commands tell, from the digests of its logs.

import { isLegionError } from "../../base/errors.ts";
import { CONTROL, displayName, type AgentId } from "../../domain/message/message.ts";
import type { Digest } from "../../past/digest/digest.ts";
import type { FileChange } from "../../past/digest/file-changes.ts";
import { isTakenBack, type TakenBackChange } from "../../past/digest/taken-back.ts";
import type { Reader } from "../../storage/contract/reader.ts";
import type { ReadingAnswer } from "../api/readings.ts";

type Changes = ReadingAnswer<"changes">;

/** The newest. */
const MOST = 1_000;

export async function readChanges(reader: Pick<Reader, "known" | "digest">): Promise<Changes> {
  const changes: (FileChange & { readonly agent: AgentId })[] = [];
  const openings = new Map<string, string>();
  const digestOf = (agent: AgentId): Promise<Digest | undefined> =>
    reader.digest(agent).catch((error: unknown) => {
      // Its row in the overview says why it cannot be read.
      if (!isLegionError(error)) throw error;
      return undefined;
    });
  const takenBack = (await digestOf(CONTROL))?.takenBack ?? new Map();
  for (const agent of await reader.known()) {
    const digest = await digestOf(agent);
    for (const { id, opening } of digest?.charges.firsts.values() ?? []) openings.set(id, opening);
    for (const change of digest?.changes ?? []) changes.push({ agent, ...change });
  }
  return {
    changes: changes
      .sort((a, b) => b.atMs - a.atMs || b.seq - a.seq)
      .slice(0, MOST)
      .map(({ agent, atMs, cause = null, ...change }) => ({
        ...{ agent, name: displayName(agent), ...change, at: new Date(atMs).toISOString() },
        ...(isTakenBack(takenBack, keyOf(agent, atMs, change)) && { isTakenBack: true as const }),
        ...{ cause, opening: openings.get(cause ?? "") ?? null },
      })),
  };
}

/** What an action named may be written in other ways; what a command changed may be one of many. */
function keyOf(
  agent: AgentId,
  atMs: number,
  change: Pick<FileChange, "seq" | "path" | "command">,
): TakenBackChange {
  return {
    event: `${agent}.${change.seq}`,
    atMs,
    path: change.command === undefined ? undefined : change.path,
  };
}

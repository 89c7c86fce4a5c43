// The memories that there are.

import { isLegionError, messageOf } from "../../base/errors.ts";
import type { MemoryId } from "../../domain/memory/memory-id.ts";
import { displayName } from "../../domain/message/message.ts";
import { foreignMemory } from "../../storage/contract/foreign.ts";
import { memoryPaths } from "../../storage/folder/memory-paths.ts";
import { oneLine, print, printJson, printRows, warn } from "../kit/output.ts";
import { formatSize, sizeIn } from "../kit/sizes.ts";
import type { Site } from "../kit/target.ts";
import { ageOf } from "../kit/times.ts";
import { tableRows, tableSpace, type Column } from "../look/table.ts";
import { HOW_MEMORY_BEGINS } from "../../storage/contract/memory/meant.ts";
import type { Ordered } from "./order.ts";

interface MemoryLine {
  readonly memory: MemoryId;
  readonly entries: number;
  /** On this disk; `null` for one that is elsewhere. */
  readonly bytes: number | null;
  readonly keeper: string | null;
  /** When its newest event came, ISO 8601. */
  readonly at: string | null;
  /** That count. */
  readonly shards: number;
  readonly strays: number;
  readonly foreign: boolean;
  /** Why it cannot be read. */
  readonly problem: string | null;
}

export async function order({ typed, io, site }: Ordered): Promise<number> {
  const known = await site.backend.memories.known();
  const lines = await Promise.all(known.map((id) => lineOf(id, site)));
  if (typed.options["json"]) for (const line of lines) printJson(io, line);
  else if (lines.length === 0) printRows(io, `There is no long-term memory here yet; ${HOW_MEMORY_BEGINS}.`);
  else print(io, tableRows(lines, COLUMNS, tableSpace(io)).join("\n"));
  for (const { memory, foreign, problem } of lines) {
    if (problem !== null) warn(io, `${memory} cannot be read: ${oneLine(problem)}`);
    else if (foreign) warn(io, `FOREIGN: ${oneLine(foreignMemory(memory).message)}`);
  }
  return 0;
}

async function lineOf(memory: MemoryId, { project, backend }: Site): Promise<MemoryLine> {
  const bytes = backend.nodes ? null : sizeIn(memoryPaths(project, memory).root).bytes;
  try {
    const reader = backend.memories.read(memory);
    const { entries, keeper = null, at, contexts, strays } = await reader.standing();
    const foreign = await reader.isForeign();
    const shards = contexts.length;
    return { memory, entries, bytes, keeper, at: at || null, shards, strays, foreign, problem: null };
  } catch (error) {
    if (!isLegionError(error)) throw error;
    const nothing = { entries: 0, keeper: null, at: null, shards: 0, strays: 0, foreign: false };
    return { memory, bytes, ...nothing, problem: messageOf(error) };
  }
}

const COLUMNS: readonly Column<MemoryLine>[] = [
  { title: "MEMORY", align: "left", rank: 0, cell: ({ memory }) => memory },
  { title: "ENTRIES", align: "right", rank: 0, cell: (line) => told(line, String(line.entries)) },
  { title: "NEWEST", align: "right", rank: 1, cell: ({ at }, nowMs) => ageOf(at, nowMs) },
  {
    title: "KEEPER",
    align: "left",
    rank: 2,
    cell: ({ keeper }) => (keeper === null ? "-" : displayName(keeper)),
  },
  {
    title: "SIZE",
    align: "right",
    rank: 3,
    cell: ({ bytes }) => (bytes === null ? "-" : formatSize(bytes)),
  },
  { title: "SHARDS", align: "right", rank: 4, cell: (line) => told(line, String(line.shards)) },
  { title: "STRAYS", align: "right", rank: 5, cell: (line) => told(line, String(line.strays)) },
];

function told({ problem }: MemoryLine, cell: string): string {
  return problem === null ? cell : "?";
}

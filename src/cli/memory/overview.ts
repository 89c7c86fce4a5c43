// The memories that there are.

import { isLegionError, messageOf } from "../../base/errors.ts";
import type { MemoryId } from "../../domain/memory/memory-id.ts";
import { displayName, type AgentId } from "../../domain/message/message.ts";
import { withLegion } from "../../control/open.ts";
import {
  behindFields,
  behindText,
  createBehindCount,
  observersAmong,
  type Behind,
} from "../../legion/observing/behind.ts";
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
  /** What was said and those who write down here what they hear have not taken in; `null`: nobody does. */
  readonly behind: Behind | null;
  /** Why it cannot be read. */
  readonly problem: string | null;
}

export async function order({ typed, io, site }: Ordered): Promise<number> {
  const [known, scribes] = await Promise.all([site.backend.memories.known(), scribesAt(site)]);
  const lines = await Promise.all(
    known.map(async (id): Promise<MemoryLine> => {
      const writers = scribes.filter(({ memory }) => memory === id);
      return { ...(await lineOf(id, site)), behind: sumOf(writers) };
    }),
  );
  if (typed.options["json"])
    for (const { behind, ...line } of lines)
      printJson(io, { ...line, ...(behind ? behindFields(behind) : { behind }) });
  else if (lines.length === 0) printRows(io, `There is no long-term memory here yet; ${HOW_MEMORY_BEGINS}.`);
  else print(io, tableRows(lines, COLUMNS, tableSpace(io)).join("\n"));
  if (!typed.options["json"]) for (const remark of await remarksOn(scribes, site)) printRows(io, remark);
  for (const { memory, foreign, problem } of lines) {
    if (problem !== null) warn(io, `${memory} cannot be read: ${oneLine(problem)}`);
    else if (foreign) warn(io, `FOREIGN: ${oneLine(foreignMemory(memory).message)}`);
  }
  return 0;
}

interface Scribe {
  readonly id: AgentId;
  /** That it writes to. */
  readonly memory: MemoryId;
  readonly behind: Behind;
}

async function scribesAt({ reader }: Site): Promise<readonly Scribe[]> {
  const count = createBehindCount(reader);
  const scribes: Scribe[] = [];
  for (const { id, observe, memories } of await observersAmong(await reader.known(), reader)) {
    const [memory] = memories;
    if (memory === undefined) continue;
    try {
      scribes.push({ id, memory, behind: await count({ observer: id, observe }) });
    } catch (error) {
      // `legion ps` says why it cannot be read.
      if (!isLegionError(error)) throw error;
    }
  }
  return scribes;
}

function sumOf(scribes: readonly Scribe[]): Behind | null {
  if (scribes.length === 0) return null;
  return {
    messages: scribes.reduce((sum, { behind }) => sum + behind.messages, 0),
    isCut: scribes.some(({ behind }) => behind.isCut),
  };
}

/** Of each that has something to hear and does not go on with it. */
async function remarksOn(scribes: readonly Scribe[], site: Site): Promise<readonly string[]> {
  const late = scribes.filter(({ behind }) => behind.messages > 0);
  if (late.length === 0) return [];
  const { agents } = await withLegion(site, (legion) => legion.status(late.map(({ id }) => id)));
  return agents.flatMap(({ id, state, node }) => {
    const { memory, behind } = late.find((one) => one.id === id)!;
    const isAtRest = ["stopped", "parked", "paused", "halted"].includes(state);
    if (node !== null && !isAtRest) return [];
    const { messages } = behind;
    const waiting = `${behindText(behind)} ${messages === 1 ? "message waits" : "messages wait"}`;
    return [`${memory}: its ${displayName(id)} has been ${state}; ${waiting}.`];
  });
}

async function lineOf(memory: MemoryId, { project, backend }: Site): Promise<Omit<MemoryLine, "behind">> {
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
  { title: "BEHIND", align: "right", rank: 1, cell: ({ behind }) => (behind ? behindText(behind) : "-") },
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

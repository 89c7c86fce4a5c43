// The newest that a memory holds.

import { LISTED, MAX_LISTED } from "../../domain/memory/record.ts";
import { newestEntries } from "../../past/memory/recall.ts";
import { printJson, printRows } from "../kit/output.ts";
import { entryLines } from "./entry-lines.ts";
import { findMemory, readLimit, type Ordered } from "./order.ts";

/** Oldest first. */
export async function order(ordered: Ordered): Promise<number> {
  const { typed, io } = ordered;
  const limit = readLimit(typed, LISTED, MAX_LISTED);
  const { id, reader } = await findMemory(ordered);
  const entries = await newestEntries(reader, limit);
  if (typed.options["json"]) for (const entry of entries) printJson(io, entry);
  else if (entries.length === 0) printRows(io, `${id} has no entries.`);
  else for (const entry of entries) printRows(io, entryLines(entry));
  return 0;
}

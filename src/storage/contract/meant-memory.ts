// Which memory is meant.

import { LegionError } from "../../base/errors.ts";
import { quote } from "../../base/text/wording.ts";
import { parseMemoryId, USUAL_MEMORY, type MemoryId } from "../../domain/memory/memory-id.ts";
import type { Memories } from "./memories.ts";

/** Without a name the usual one, or the only one there is. Rejects with USAGE, naming those there are, if it is not there. */
export async function meantMemory({ known }: Pick<Memories, "known">, named?: string): Promise<MemoryId> {
  if (named !== undefined) parseMemoryId(named);
  const there = await known();
  const [only] = there;
  if (only === undefined)
    throw new LegionError("USAGE", "there is no memory yet; agents with `memories` make one");
  if (named !== undefined && there.includes(named)) return named;
  const all = `there are ${there.join(", ")}`;
  if (named !== undefined) throw new LegionError("USAGE", `there is no memory ${quote(named)}; ${all}`);
  if (there.includes(USUAL_MEMORY)) return USUAL_MEMORY;
  if (there.length > 1) throw new LegionError("USAGE", `say which memory; ${all}`);
  return only;
}

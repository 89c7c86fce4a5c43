// Which memory is meant.

import { LegionError } from "../../../base/errors.ts";
import { nearest } from "../../../base/text/nearest.ts";
import { quote } from "../../../base/text/wording.ts";
import { parseMemoryId, USUAL_MEMORY, type MemoryId } from "../../../domain/memory/memory-id.ts";

/** How there comes to be one. */
export const HOW_MEMORY_BEGINS = `agents make one whose definition says \`memories: [${USUAL_MEMORY}]\``;

const MAX_NAMED = 10;

/**
 * Without a name the usual one of those `known`, or the only one. Throws USAGE, naming those there are, if it is not among them.
 *
 * @param option what says which one is meant, such as `--memory`
 */
export function meantMemory(known: readonly MemoryId[], named: string | undefined, option: string): MemoryId {
  if (named !== undefined) parseMemoryId(named);
  const only = known.length === 1 ? known[0] : undefined;
  const isMeant = (id: MemoryId): boolean => id === (named ?? USUAL_MEMORY);
  const found = known.find(isMeant) ?? (named === undefined ? only : undefined);
  if (found !== undefined) return found;
  if (known.length === 0)
    throw new LegionError("USAGE", `there is no long-term memory here yet; ${HOW_MEMORY_BEGINS}`);
  if (named === undefined)
    throw new LegionError("USAGE", `${option} says which one is meant: ${listed(known)}`);
  const near = nearest(named, known);
  const there = listed(near.length > 0 ? near : known);
  throw new LegionError("USAGE", `there is no memory ${quote(named)} here; there is ${there}`);
}

function listed(ids: readonly MemoryId[]): string {
  const more = ids.length - MAX_NAMED;
  return [...ids.slice(0, MAX_NAMED), ...(more > 0 ? [`${more} more`] : [])].join(", ");
}

// What a query can keep to besides words, as text: a line for each facet, between line breaks. It holds a facet if it holds that
// line, and no NUL, whatever names and values are.

import type { EntryEvent } from "../../domain/memory/record.ts";
import type { MemoryQuery } from "../../domain/authoring/memories.ts";

/** Every entry has that, and no context. */
export const OF_ENTRIES = '\n["role",';

type Faceted = Pick<EntryEvent, "role" | "speaker" | "tags">;

export function facetsOf({ role, speaker, tags }: Faceted): string {
  return wantedFacets({ role, speaker, tags }).join("");
}

/** One for each that is asked for. */
export function wantedFacets({
  role,
  speaker,
  tags = {},
}: Pick<MemoryQuery, keyof Faceted>): readonly string[] {
  return [
    ...(role === undefined ? [] : [["role", role]]),
    ...(speaker === undefined ? [] : [["speaker", speaker]]),
    ...Object.entries(tags).map((tag) => ["tag", ...tag]),
  ].map((facet) => `\n${JSON.stringify(facet)}\n`);
}

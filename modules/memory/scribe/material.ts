// What a context is made of: the current one, and what was said since, word for word. It is read once and kept in the log with the
// result of `await_consistency`, so that the question that comes of it is always the same.

import { z } from "zod";
import type { Host } from "../../../src/domain/authoring/host.ts";
import { cutContext } from "./cut-context.ts";
import type { RememberedEntry } from "../../../src/domain/authoring/memories.ts";

const entry = z.object({
  seq: z.number(),
  said: z.string(),
  role: z.enum(["user", "assistant"]),
  speaker: z.string(),
  raw: z.string(),
});

const schema = z.object({
  context: z.string(),
  /** The shard that this is; absent: there is none. */
  base: z.number().optional(),
  /** Oldest first; a long one is without its end. */
  entries: z.array(entry),
  /** The newest entry of these; without any, that of the context. */
  upTo: z.number(),
  /** The newest event of the memory before all this was read. */
  asOf: z.number().optional(),
  /** There are more, for a further shard. */
  isCut: z.boolean(),
});

export type Material = z.output<typeof schema>;

const NOTHING: Material = { context: "", entries: [], upTo: 0, isCut: false };

/** What the details of a result hold; nothing where that is something else. */
export function materialIn(details: unknown): Material {
  return schema.safeParse(details).data ?? NOTHING;
}

/** So many entries go into one shard. */
const MOST_ENTRIES = 200;
/** A context that a person wrote may be longer than any of ours. */
const MAX_CONTEXT = 8_000;

export interface ReadMaterial {
  readonly material: Material;
  /** From where outside any of it came. */
  readonly sources: readonly string[];
}

/** As much of what was said as has room in a question. */
export async function readMaterial({ memories: [memory], maxTokens, tokens }: Host): Promise<ReadMaterial> {
  const asOf = await memory?.last();
  const context = await memory?.context();
  const found = (await memory?.entriesAfter(context?.upTo ?? 0, MOST_ENTRIES + 1)) ?? [];
  const entries: Material["entries"] = [];
  const shown: RememberedEntry[] = [];
  let left = maxTokens;
  for (const one of found.slice(0, MOST_ENTRIES)) {
    const size = tokens(one.raw);
    if (size > left && shown.length > 0) break;
    left -= size;
    shown.push(one);
    const { seq, said, role, speaker, raw } = one;
    entries.push({ seq, said, role, speaker, raw: size > maxTokens ? cut(raw, maxTokens / size) : raw });
  }
  const sources = [context, ...shown].flatMap((one): readonly string[] =>
    one?.taint === true ? ["unknown"] : (one?.taint ?? []),
  );
  return {
    material: {
      context: cutContext(context?.content ?? "", MAX_CONTEXT),
      base: context?.seq,
      entries,
      upTo: entries.at(-1)?.seq ?? context?.upTo ?? 0,
      asOf,
      isCut: shown.length < found.length,
    },
    sources: [...new Set(sources)],
  };
}

function cut(text: string, share: number): string {
  if (share >= 1) return text;
  return `${text.slice(0, Math.floor(text.length * share)).replace(/[\ud800-\udbff]$/, "")} […]`;
}

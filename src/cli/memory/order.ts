// An order of `legion memory`: what it takes, and what it is given.

import { LegionError } from "../../base/errors.ts";
import { quote } from "../../base/text/wording.ts";
import type { MemoryId } from "../../domain/memory/memory-id.ts";
import { meantMemory } from "../../storage/contract/memory/meant.ts";
import { foreignMemory } from "../../storage/contract/foreign.ts";
import type { MemoryReader } from "../../storage/contract/memory/memories.ts";
import type { Io, Typed } from "../kit/command.ts";
import { oneLine, readNumber, warn } from "../kit/output.ts";
import type { Site } from "../kit/target.ts";

/** What was typed after the order, and where. */
export interface Ordered {
  readonly typed: Typed;
  readonly io: Io;
  readonly site: Site;
}

/** A memory that is there. */
export interface MeantMemory {
  readonly id: MemoryId;
  readonly reader: MemoryReader;
}

/** Which one is meant, also if somebody else wrote it, which is told. Throws USAGE, naming those that are there, if it is not. */
export async function findMemory({ typed, io, site }: Ordered): Promise<MeantMemory> {
  const { memories } = site.backend;
  const id = meantMemory(await memories.known(), typed.options["memory"], "--memory");
  const reader = memories.read(id);
  if (await reader.isForeign()) warn(io, `FOREIGN: ${oneLine(foreignMemory(id).message)}`);
  return { id, reader };
}

/** Throws USAGE. */
export function readLimit(typed: Typed, usual: number, most: number): number {
  const limit = readNumber(typed, "limit") ?? usual;
  if (limit <= most) return limit;
  throw new LegionError("USAGE", `--limit: at most ${most}, not ${limit}`);
}

/** The number of an entry or a shard. Throws USAGE. */
export function readSeq(text: string): number {
  const digits = text.replace(/^#/, "");
  if (/^[1-9]\d{0,11}$/.test(digits)) return Number(digits);
  throw new LegionError(
    "USAGE",
    `${quote(text)} is no number of an entry; \`legion memory list\` shows them`,
  );
}

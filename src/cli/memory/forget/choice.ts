// What a person wants forgotten, and what has to go with it.

import { LegionError } from "../../../base/errors.ts";
import type { RememberedEntry } from "../../../domain/authoring/memories.ts";
import type { ForgottenEvent } from "../../../domain/memory/record.ts";
import { CONTROL } from "../../../domain/message/message.ts";
import { builtOn, type MemoryContents, type Shard } from "../../../past/memory/shards.ts";
import type { Typed } from "../../kit/command.ts";
import { readSeq } from "../order.ts";
import { readTime } from "../../kit/times.ts";

/** All of it has to hold. */
export interface ForgetChoice {
  /** Of entries and shards. */
  readonly seqs?: ReadonlySet<number>;
  readonly thread?: string;
  readonly speaker?: string;
  /** Each has to stand in it. */
  readonly words?: readonly string[];
  /** ISO 8601. */
  readonly before?: string;
}

/** Throws USAGE; also for a choice of everything, which nobody has to mean. */
export function readChoice(typed: Typed): ForgetChoice {
  const { args, options } = typed;
  const { thread, speaker, query } = options;
  const numbers = args.flatMap((arg = "") => arg.split(",")).filter(Boolean);
  const words = query?.toLowerCase().split(/\s+/).filter(Boolean);
  if (words?.length === 0)
    throw new LegionError("USAGE", "--query: there is nothing to look for; name a word or more");
  const before = readTime(typed, "before", { nowMs: Date.now() });
  if (numbers.length === 0 && [thread, speaker, words, before].every((one) => one === undefined))
    throw new LegionError(
      "USAGE",
      "say what to forget: numbers, --thread, --speaker, --query or --before; `legion memory list` shows what there is",
    );
  return {
    ...(numbers.length > 0 && { seqs: new Set(numbers.map(readSeq)) }),
    ...{ thread, speaker, words, before },
  };
}

/** What goes. */
export interface Doomed {
  readonly entries: readonly RememberedEntry[];
  /** Shards that were named. */
  readonly named: readonly Shard[];
  /** Shards that hold something of all this. */
  readonly built: readonly Shard[];
}

/** Throws USAGE for a number that there is not. */
export function choose({ entries, shards }: MemoryContents, choice: ForgetChoice): Doomed {
  const { seqs } = choice;
  const known = new Set([...entries, ...shards].map(({ seq }) => seq));
  const unknown = [...(seqs ?? [])].find((seq) => !known.has(seq));
  if (unknown !== undefined)
    throw new LegionError(
      "USAGE",
      `#${unknown} is no entry and no shard here, or was forgotten; \`legion memory show ${unknown}\` says which`,
    );
  const isOfEntries = Object.entries(choice).some(([key, value]) => key !== "seqs" && value !== undefined);
  return withBuilt(
    entries.filter((entry) => isMeant(entry, choice)),
    isOfEntries ? [] : shards.filter(({ seq }) => seqs?.has(seq)),
    shards,
  );
}

/** The same of what is there now: nothing but what was shown, and shards that were built on it since. */
export function chooseAgain({ entries, shards }: MemoryContents, shown: Doomed): Doomed {
  const isShown = (list: readonly { readonly seq: number }[]) => {
    const seqs = new Set(list.map(({ seq }) => seq));
    return ({ seq }: { readonly seq: number }): boolean => seqs.has(seq);
  };
  return withBuilt(entries.filter(isShown(shown.entries)), shards.filter(isShown(shown.named)), shards);
}

function withBuilt(
  entries: readonly RememberedEntry[],
  named: readonly Shard[],
  shards: readonly Shard[],
): Doomed {
  const built = new Set(
    builtOn(
      [...entries, ...named].map(({ seq }) => seq),
      shards,
    ),
  );
  return { entries, named, built: shards.filter(({ seq }) => built.has(seq)) };
}

function isMeant(
  { seq, thread, speaker, said, raw, summary }: RememberedEntry,
  choice: ForgetChoice,
): boolean {
  const text = `${raw} ${summary}`.toLowerCase();
  return (
    (choice.seqs?.has(seq) ?? true) &&
    (choice.thread === undefined || thread === choice.thread) &&
    (choice.speaker === undefined || speaker === choice.speaker) &&
    (choice.words?.every((word) => text.includes(word)) ?? true) &&
    (choice.before === undefined || Date.parse(said) < Date.parse(choice.before))
  );
}

/** `undefined` if there is nothing to forget. */
export function forgotten(
  { entries, named, built }: Doomed,
  reason: string | undefined,
): ForgottenEvent | undefined {
  const seqs = [...entries, ...named, ...built].map(({ seq }) => seq).sort((a, b) => a - b);
  if (seqs.length === 0) return undefined;
  return {
    ...{ kind: "forgotten", seqs, entries: entries.length, by: CONTROL },
    ...(reason !== undefined && { reason }),
  };
}

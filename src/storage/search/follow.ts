// What is new in a memory's log, brought to its index: in portions, so that nobody waits for one, and no more of them under way
// than keep the thread busy.

import { setImmediate as nextTurn } from "node:timers/promises";
import type { MemoryEvent } from "../../domain/memory/record.ts";
import { facetsOf } from "./facets.ts";
import type { Mark, Portion } from "./order.ts";
import type { SearchedMemory } from "./search.ts";

export interface FollowedMemory {
  readonly memory: SearchedMemory;
  /** How far the index is. */
  readonly upTo: Mark;
  /** Numbers of what must not be indexed. What the log says was forgotten joins them. */
  readonly forgotten: Set<number>;
  /** False if the index is worth nothing any more. */
  add(portion: Portion): Promise<boolean>;
  readonly signal: AbortSignal;
}

/** A portion is as many events, or characters. */
const MAX_EVENTS = 512;
const MAX_CHARACTERS = 262_144;
const MAX_UNDERWAY = 3;

/**
 * `changed`: the log is not the one that was indexed, or is shorter. `stale`: the index holds what is forgotten. Rejects with
 * what the memory or `add` rejects with, and with the signal's reason.
 */
export async function follow(followed: FollowedMemory): Promise<"followed" | "changed" | "stale"> {
  const { memory, upTo, forgotten, add, signal } = followed;
  const underway = new Set<Promise<void>>();
  let outcome: "followed" | "stale" = "followed";
  let fault: { readonly error: unknown } | undefined;
  const send = (portion: Portion): void => {
    const sent = add(portion)
      .then((isGood) => void (isGood || (outcome = "stale")))
      .catch((error: unknown) => void (fault ??= { error }))
      .finally(() => underway.delete(sent));
    underway.add(sent);
  };
  let gathered = gather();
  // The last one that is indexed is read again: it tells whether the log is still the same.
  let last = upTo.seq === 0 ? upTo : undefined;
  for await (const event of memory.events(Math.max(1, upTo.seq))) {
    signal.throwIfAborted();
    if (!last && !isSame(upTo, (last = markOf(event)))) return "changed";
    if (event.seq <= last.seq) continue;
    last = markOf(event);
    gathered.take(event, forgotten);
    if (!gathered.isFull()) continue;
    send(gathered.portion(last));
    gathered = gather();
    // Once it is worth nothing, all that counts is what else is forgotten.
    while (underway.size >= MAX_UNDERWAY) await Promise.race(underway);
    await nextTurn();
    if (fault) throw fault.error;
  }
  if (!last) return "changed";
  if (last.seq > upTo.seq) send(gathered.portion(last));
  await Promise.all(underway);
  if (fault) throw fault.error;
  return outcome;
}

function gather() {
  const documents = new Map<number, Document>();
  const numbers: number[] = [];
  let events = 0;
  let characters = 0;
  return {
    isFull: () => events >= MAX_EVENTS || characters >= MAX_CHARACTERS,
    take(event: MemoryEvent, forgotten: Set<number>): void {
      events++;
      if (event.kind === "forgotten") {
        for (const seq of event.seqs) {
          forgotten.add(seq);
          documents.delete(seq);
          numbers.push(seq);
        }
      }
      const document = forgotten.has(event.seq) ? undefined : toDocument(event);
      if (!document) return;
      characters += document.text.length;
      documents.set(event.seq, document);
    },
    portion(upTo: Mark): Portion {
      const all = [...documents.values()];
      const texts = all.map(({ text }) => text);
      return {
        seqs: [...documents.keys()],
        times: all.map(({ at }) => at),
        facets: all.map(({ facets }) => facets),
        lengths: texts.map((text) => Buffer.byteLength(text)),
        // Two halves of a character that end one text and begin the next are none.
        texts: new TextEncoder().encode(texts.join("\n")),
        forgotten: numbers,
        upTo,
      };
    },
  };
}

interface Document {
  readonly text: string;
  /** Milliseconds since 1970; NaN for no time. */
  readonly at: number;
  readonly facets: string;
}

/** `undefined` for what cannot be found. */
function toDocument(event: MemoryEvent): Document | undefined {
  switch (event.kind) {
    case "entry": {
      const { raw, summary, said } = event;
      if (raw === "" && summary === "") return undefined;
      return { text: `${raw}\n${summary}`, at: Date.parse(said), facets: facetsOf(event) };
    }
    case "context":
      return { text: event.content, at: Date.parse(event.at), facets: "" };
    default:
      return undefined;
  }
}

function markOf({ seq, epoch, at, kind }: MemoryEvent): Mark {
  return { seq, print: `${epoch} ${at} ${kind}` };
}

function isSame(one: Mark, other: Mark): boolean {
  return one.seq === other.seq && one.print === other.print;
}

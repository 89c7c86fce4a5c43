// What changed of a text is written, not what it is: pinned messages and module state are long, and a step changes little of
// them. A record that holds such a text says of which earlier event it is made, and how; whoever reads has the whole.
//
//   L6. What is read of a log is what was written to it, wherever reading begins.
//   L7. A text that was cleaned of secrets is what is compared: no part of one can come back.
//   L8. A text is whole again after `MAX_CHAIN` changes, and in what each opening of the log writes first: damage to a
//       line reaches no further.

import type { Event, NewEvent } from "../../domain/event/event.ts";
import { readJson } from "../../base/text/json.ts";
import { inline, replaceAt, type Blobs, type Outlined, type Path } from "./blobs.ts";
import { applyPatch, patchText, type PatchPart } from "./text-patch.ts";

/** The places of texts that are not written whole; `""` or, where a text is JSON, `null` stands there. */
export interface Patched {
  /** `of`: the event whose text in the same place `parts` change; `since`: the one in which it last was whole. */
  readonly patches?: readonly Patch[];
}

type Patch = readonly [path: Path, of: number, since: number, parts: readonly PatchPart[]];

/** A record of a log, as it is kept. */
export type Stored<R> = R & Outlined & Patched;

/** Shorter and longer texts are written as they are, in characters. */
const LEAST_TEXT = 256;
const MOST_TEXT = 65_536;
const MAX_CHAIN = 32;
/** So many texts of a log are remembered to be compared with; each of another place. */
const MAX_KNOWN = 32;

/** A place of a record for a text that may be near the one before it in the same place. */
interface Slot {
  readonly name: string;
  readonly path: Path;
  readonly value: unknown;
}

const PINNED = "pinned";

function slotsOf(event: Event | NewEvent): readonly Slot[] {
  if (event.kind === "prompted")
    return event.pinned === undefined ? [] : [{ name: PINNED, path: ["pinned"], value: event.pinned }];
  if (event.kind === "edited")
    return [{ name: nameOf(event.module, event.key), path: ["value"], value: event.value }];
  if (event.kind !== "result" || !event.state) return [];
  return event.state.map(([module, key, value], index) => ({
    name: nameOf(module, key),
    path: ["state", index, 2],
    value,
  }));
}

function nameOf(module: string, key: string): string {
  return JSON.stringify([module, key]);
}

/** What is compared of a value; `undefined` if nothing is. */
function textIn(value: unknown): string | undefined {
  const text = typeof value === "string" ? value : typeof value === "object" ? JSON.stringify(value) : "";
  return text.length >= LEAST_TEXT && text.length <= MOST_TEXT ? text : undefined;
}

/** A text of an event. */
interface KnownText {
  readonly seq: number;
  readonly text: string;
  /** The event in which it last was whole, and how many changes ago. */
  readonly since: number;
  readonly chain: number;
}

/** By the name of a slot; those that were seen last. */
function createKnown(most: number) {
  const texts = new Map<string, KnownText>();
  return {
    get: (name: string) => texts.get(name),
    /** `undefined` if that is not the text of event `seq`. */
    textOf(name: string, seq: number): string | undefined {
      const known = texts.get(name);
      return known?.seq === seq ? known.text : undefined;
    },
    entries: () => texts.entries(),
    /** Adds what is only known to `other`. */
    join(other: { entries(): Iterable<[string, KnownText]> }): void {
      for (const [name, text] of other.entries()) if (!texts.has(name)) texts.set(name, text);
    },
    /**
     * @param made what of the texts of `event` stands in the log as a change of another one, by slot
     * @param patched what these texts are, where that is known
     */
    see(
      event: Event & Outlined,
      made: ReadonlyMap<string, Pick<KnownText, "since" | "chain">>,
      patched?: ReadonlyMap<string, string>,
    ): void {
      for (const { name, value } of slotsOf(event)) {
        const text = event.blobs ? undefined : (patched?.get(name) ?? textIn(value));
        const { since, chain } = made.get(name) ?? { since: event.seq, chain: -1 };
        texts.delete(name);
        if (text !== undefined) texts.set(name, { seq: event.seq, text, since, chain: chain + 1 });
        if (texts.size > most) texts.delete(texts.keys().next().value!);
      }
    },
  };
}

type KnownTexts = ReturnType<typeof createKnown>;

/** Has `write`, which stamps and writes events, write what changed of texts; gives them back whole. */
export function packing(
  write: (events: readonly Stored<NewEvent>[]) => readonly Event[],
): (events: readonly (NewEvent & Outlined)[]) => readonly Event[] {
  const known = createKnown(MAX_KNOWN);
  return (events) => {
    const named = new Set<string>();
    const packed = events.map((event) => pack(event, known, named));
    return write(packed.map(({ record }) => record)).map(({ seq, epoch, at }, index) => {
      const event = { seq, epoch, at, ...events[index]! };
      known.see(event, packed[index]!.bases);
      return event;
    });
  };
}

/** The same of events that have their numbers, one after the other. */
export function repacking(): (event: Event) => Stored<Event> {
  const known = createKnown(MAX_KNOWN);
  return (event) => {
    const { record, bases } = pack(event, known, new Set());
    known.see(event, bases);
    return record;
  };
}

interface Packed<R> {
  readonly record: Stored<R>;
  /** What its texts are made of, by slot. */
  readonly bases: ReadonlyMap<string, KnownText>;
}

/** @param named slots of the same write: what stands there has no number yet */
function pack<R extends NewEvent | Event>(
  event: R & Outlined & { readonly patches?: undefined },
  known: KnownTexts,
  named: Set<string>,
): Packed<R> {
  const slots = slotsOf(event);
  const bases = new Map<string, KnownText>();
  const patches: Patch[] = [];
  let record: unknown = event;
  for (const { name, path, value } of slots) {
    const isSole = !named.has(name) && slots.filter((slot) => slot.name === name).length === 1;
    named.add(name);
    const base = isSole && !event.blobs && event.kind !== "edited" ? known.get(name) : undefined;
    const text = textIn(value);
    if (!base || base.chain >= MAX_CHAIN || text === undefined) continue;
    const parts = patchText(base.text, text);
    if (JSON.stringify(parts).length > text.length / 2) continue;
    patches.push([path, base.seq, base.since, parts]);
    bases.set(name, base);
    record = replaceAt(record, path, typeof value === "string" ? "" : null);
  }
  if (patches.length === 0) return { record: event, bases };
  return { record: { ...(record as R), patches } as Stored<R>, bases };
}

/** The records of a log from an event on, oldest first. */
export type RecordsFrom = (seq: number) => AsyncIterable<Stored<Event>>;

const WHOLE: ReadonlyMap<string, KnownText> = new Map();

/**
 * Makes records whole, which come in the order of their log: long texts, and those of which what changed is kept.
 *
 * @param recordsFrom the same log, for what is made of an event before the first of them
 */
export function createWhole(
  blobs: Blobs,
  recordsFrom: RecordsFrom,
): (record: Stored<Event>) => Event | Promise<Event> {
  const known = createKnown(MAX_READ);
  const see = (event: Event, patched?: ReadonlyMap<string, string>): Event => {
    known.see(event, WHOLE, patched);
    return event;
  };
  let first: number | undefined;
  let looks = 0;
  const baseOf = async (name: string, patch: Patch): Promise<string | undefined> => {
    const [, of, since] = patch;
    // What was passed and is not known is gone.
    if (known.textOf(name, of) === undefined && of < first! && looks++ < MAX_LOOKS)
      known.join(await lookBack(blobs, recordsFrom, [since, first!]));
    return known.textOf(name, of);
  };
  return (record) => {
    first ??= record.seq;
    if (record.patches) return unpack(record, baseOf).then(({ event, texts }) => see(event, texts));
    return record.blobs ? inline(record, blobs).then((event) => see(event)) : see(record);
  };
}

/** Whoever reads has texts from before an opening as well, which the writer did not know. */
const MAX_READ = 3 * MAX_KNOWN;
/** Texts that are whole in different events are looked for one after the other. */
const MAX_LOOKS = MAX_KNOWN;

/** The texts of the events from `start` on that stand before `end`. */
async function lookBack(
  blobs: Blobs,
  recordsFrom: RecordsFrom,
  [start, end]: readonly [start: number, end: number],
): Promise<KnownTexts> {
  const known = createKnown(MAX_READ);
  for await (const record of recordsFrom(start)) {
    if (record.seq >= end) break;
    const { event, texts } = record.patches
      ? await unpack(record, (name, [, of]) => known.textOf(name, of))
      : { event: await inline(record, blobs), texts: undefined };
    known.see(event, WHOLE, texts);
  }
  return known;
}

/** A text that is lost reads as a sentence that says so; state stays what it was. */
async function unpack(
  record: Stored<Event>,
  baseOf: (name: string, patch: Patch) => Promise<string | undefined> | string | undefined,
): Promise<{ readonly event: Event; readonly texts: ReadonlyMap<string, string> }> {
  const { patches, ...rest } = record;
  const texts = new Map<string, string>();
  let event: unknown = rest;
  const lost = new Set<unknown>();
  for (const { name, path, value } of slotsOf(rest)) {
    const patch = patchAt(patches, path);
    if (!patch) continue;
    const base = await baseOf(name, patch);
    const text = base === undefined ? undefined : applyPatch(base, patch[3], MOST_TEXT);
    const made = text === undefined || value === "" ? text : readJson(text);
    if (text !== undefined && made !== undefined) texts.set(name, text);
    if (made !== undefined) event = replaceAt(event, path, made);
    else if (name === PINNED)
      event = replaceAt(event, path, `(lost: event ${patch[1]}, of which this was made)`);
    else lost.add(path[1]);
  }
  const whole = event as Event;
  if (lost.size === 0 || whole.kind !== "result") return { event: whole, texts };
  const state = whole.state?.filter((_, index) => !lost.has(index));
  return { event: { ...whole, state }, texts };
}

function patchAt(patches: unknown, path: Path): Patch | undefined {
  return Array.isArray(patches)
    ? patches.find((patch) => isPatch(patch) && patch[0].join() === path.join())
    : undefined;
}

/** A log may come from anywhere. */
function isPatch(patch: unknown): patch is Patch {
  if (!Array.isArray(patch)) return false;
  const [path, of, since, parts] = patch as readonly unknown[];
  const isKey = (key: unknown): boolean => typeof key === "string" || typeof key === "number";
  const isPiece = (part: unknown): boolean =>
    Array.isArray(part) && part.length === 2 && part.every((place) => Number.isInteger(place));
  return (
    [of, since].every((seq) => Number.isInteger(seq)) &&
    [path, parts].every((list) => Array.isArray(list)) &&
    (path as readonly unknown[]).every(isKey) &&
    (parts as readonly unknown[]).every((part) => typeof part === "string" || isPiece(part))
  );
}

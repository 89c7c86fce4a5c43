// What was said is remembered: each message that an observed agent's log says was said is one entry, word for word, the entries
// of a thread in the order in which they were said; so is what agents entered themselves; and nothing else is. Of the contexts
// those of the memory's keeper count.

import { isDeepStrictEqual } from "node:util";
import type { Call, Event } from "../../src/domain/event/event.ts";
import type { EntryEvent, MemoryEventOf } from "../../src/domain/memory/record.ts";
import type { Message } from "../../src/domain/message/message.ts";
import { checkScribe } from "./check-scribe.ts";
import { isLeftOut } from "./carrier.ts";
import type { Past, Told } from "./evidence.ts";
import type { MemoryFigures, Report } from "./fault.ts";
import type { Remembered } from "./remembered.ts";
import { MEMORY, SCRIBE } from "./scribe.ts";

export function checkMemory(told: Told, report: Report): MemoryFigures {
  const { records, unreadable } = told.remembered;
  if (unreadable > 0) report("unreadable", `${MEMORY}: ${unreadable} records`);
  for (const [index, { seq }] of records.entries())
    if (seq !== index + 1) report("sequence", `${MEMORY}: ${seq} after ${index}`);
  const entries = records.filter((record) => record.kind === "entry");
  const heard = checkHeard(told, entries, report);
  const kept = checkKept(told, entries, report);
  const strays = checkShards(told.remembered, report);
  return { heard, kept, strays, flushes: checkScribe(told, report) };
}

/** A memory as the peer that it is: what was sent to it, for whoever checks mail. */
export function asPeer({ records }: Remembered): readonly [id: string, Past] {
  const taken = records.flatMap((record) => {
    if (!("mail" in record) || record.mail === 0) return [];
    const { seq, mail, by, from } = record;
    const message = { id: `${by}>${MEMORY}#${mail}`, content: "" };
    return [{ kind: "message", seq, mail: seq, from, message } as Event];
  });
  return [MEMORY, { log: { records: taken } }];
}

type Entry = MemoryEventOf<"entry">;

/** All of an entry that follows from the message. */
type Due = Pick<EntryEvent, "raw" | "speaker" | "role" | "thread" | "said"> & { readonly key: string };

/** Returns how many messages were said and are to be remembered. */
function checkHeard(told: Told, entries: readonly Entry[], report: Report): number {
  const due = new Map(dueIn(told).map((one) => [one.key, one]));
  const found = new Map<string, number>();
  /** By thread. */
  const order = new Map<string, string[]>();
  for (const { seq, of, raw, speaker, role, thread, said } of entries) {
    if (!of) continue;
    const key = `${of.log} ${of.message}`;
    const times = (found.get(key) ?? 0) + 1;
    found.set(key, times);
    const one = due.get(key);
    if (!one) report("never said", `${key} is entry ${seq}`);
    else if (!isDeepStrictEqual({ key, raw, speaker, role, thread, said }, one))
      report("remembered otherwise", `${key} is entry ${seq}: ${raw}`);
    if (one && times === 1) order.set(thread, [...(order.get(thread) ?? []), key]);
  }
  for (const key of due.keys()) {
    const times = found.get(key) ?? 0;
    if (times === 0) report("not remembered", `${key} is no entry`);
    if (times > 1) report("remembered twice", `${key} is ${times} entries`);
  }
  for (const [thread, keys] of order) {
    const said = [...due.values()].filter((one) => one.thread === thread && found.has(one.key));
    const at = said.findIndex(({ key }, index) => key !== keys[index]);
    if (at !== -1) report("remembered out of order", `${thread}: ${keys[at]} before ${said[at]!.key}`);
  }
  return due.size;
}

/** Every message that stands in an observed log, once; those of a pair in the order of the log that it is read in. */
function dueIn({ agents, observed }: Told): readonly Due[] {
  return observed.flatMap((id) => {
    const joined = joinedAt(agents, id);
    const isReadHere = (two: readonly string[]): boolean => observed.find((one) => two.includes(one)) === id;
    let log = "";
    return agents.get(id)!.log.records.flatMap((event): readonly Due[] => {
      if (event.kind === "opened") ({ log } = event);
      return saidIn(event, log).flatMap(({ message, from }) => {
        const two = partiesOf(message);
        if (event.seq <= joined || !isReadHere(two) || two.includes(SCRIBE)) return [];
        const [speaker] = two;
        return [
          {
            key: `${from} ${message.id}`,
            raw: message.content,
            speaker: speaker!,
            role: speaker === "0" ? "user" : "assistant",
            thread: two.toSorted().join(","),
            said: message.sentAt,
          },
        ];
      });
    });
  });
}

/** Where the scribe found its log when it began to listen: what stands behind that is heard. */
function joinedAt(agents: Told["agents"], id: string): number {
  const records = agents.get(SCRIBE)?.log.records ?? [];
  const observed = records.flatMap((event) => (event.kind === "observed" ? [event] : []));
  return observed.find(({ control, of }) => control === "observe" && of.agent === id)?.of.seq ?? 0;
}

function saidIn(event: Event, log: string): readonly { readonly message: Message; readonly from: string }[] {
  const sends = event.kind === "decision" || event.kind === "result" ? (event.sends ?? []) : [];
  const all =
    event.kind === "message"
      ? [{ message: event.message, from: event.from }]
      : sends.map((message) => ({ message, from: log }));
  return all.filter(({ message: { id, type, source, delivery, content } }) => {
    const isWord = !id.startsWith("0>") || (delivery !== "verdict" && delivery !== "abort");
    return (
      type === "agentToAgent" &&
      source.type === "agent" &&
      isWord &&
      !id.includes("/") &&
      content.trim() !== ""
    );
  });
}

function partiesOf({ id }: Message): readonly string[] {
  const [, from = "", to = ""] = /^([^>]+)>([^#]+)#/.exec(id) ?? [];
  return [from, to];
}

/** What agents entered themselves, in the order in which each did. Returns how much that was. */
function checkKept({ agents }: Told, entries: readonly Entry[], report: Report): number {
  const own = entries.filter(({ of }) => !of);
  let count = 0;
  for (const [id, { log }] of agents) {
    const due = enteredIn(log.records);
    const found = own.filter(({ by, speaker, thread }) => by === id && speaker === id && thread === id);
    const at = due.findIndex((text, index) => text !== found[index]?.raw);
    const where = `${id}: number ${at + 1} of ${due.length}`;
    if (at !== -1) report("remembered otherwise", `${where} is ${found[at]?.raw}, not ${due[at]}`);
    if (found.length > due.length)
      report("never said", `${id} entered ${due.length}, there are ${found.length}`);
    count += found.length;
  }
  if (count < own.length) report("never said", `${own.length - count} entries of nobody`);
  return count;
}

/** Of calls that ended well, also those that an abort came too late for. */
function enteredIn(events: readonly Event[]): readonly string[] {
  const calls = new Map<string | null, Call>();
  return events.flatMap((event) => {
    if (event.kind === "decision") for (const call of event.calls) calls.set(call.id, call);
    if (event.kind !== "result" || isLeftOut(event.content)) return [];
    const call = calls.get(event.call);
    const isDone = event.outcome === "ok" || event.outcome === "idle";
    return isDone && call?.action === "remember" ? [(call.parameters as { readonly text: string }).text] : [];
  });
}

/** Returns how many contexts do not count. */
function checkShards({ records, counting, isShown }: Remembered, report: Report): number {
  let keeper: string | undefined;
  const due: number[] = [];
  let strays = 0;
  for (const record of records) {
    if (record.kind === "kept") keeper = record.by;
    if (record.kind !== "context") continue;
    // Nobody edits one here.
    if (record.by === "0") report("never said", `context ${record.seq} is nobody's`);
    else if (record.by === keeper) due.push(record.seq);
    else strays++;
  }
  if (!isDeepStrictEqual(counting, due)) report("stray", `${counting.join()} count, not ${due.join()}`);
  if (!isShown(due.at(-1))) report("stray", `the context is not ${due.at(-1) ?? "none"}`);
  return strays;
}

// The record that a page opened from a file has in itself: the lines of `src/control/saved/record.ts`, which answer what is asked of the
// program elsewhere. What is not in it is refused in a line.

import { signal } from "@preact/signals";
import type { ReadingAnswer } from "../../src/control/api/readings.ts";
import type { SavedPrompt } from "../../src/control/saved/prompts.ts";
import type { SavedChoice, SavedLine } from "../../src/control/saved/record.ts";

export type Recalled = { readonly answer: object } | { readonly why: string };

/** Letters at once; four of them are three bytes. */
const PIECE = 4 * 65_536;

const element = document.getElementById("record");
/** Nothing is asked of anybody, and nothing can be done. */
export const isFile = element !== null;
/** ISO 8601: when it was saved; `undefined` before that is known, and where there is no record. */
export const savedAt = signal<string | undefined>(undefined);
/** Which part of the record was asked for; empty: all of it. */
export const savedOnly = signal<SavedChoice>({});

type Saved<K extends string> = Extract<SavedLine, Readonly<Record<K, unknown>>>;

/** Long as it may be, a line is taken apart when it is asked for. */
const lines = new Map<string, string>();
const logs = new Map<string, { readonly seq: number; readonly line: string }[]>();
/** In the order in which they are told. */
const prompts = new Map<string, SavedPrompt[]>();
const parts: Saved<"part">["part"][] = [];
let reading: Promise<void> | undefined;

/** @param path as that of a request. Never rejects. */
export async function recall(path: string): Promise<Recalled> {
  try {
    await (reading ??= readAll());
    return recalled(path);
  } catch (error) {
    return { why: `it is damaged: ${error instanceof Error ? error.message : String(error)}` };
  }
}

function recalled(path: string): Recalled {
  const [whole, query = ""] = path.split("?");
  const asked = new URLSearchParams(query);
  if (asked.has("moment")) return { why: "a file shows the moment at which it was saved, and no other" };
  const [, agent = "", about] = /^\/agents\/([^/]+)\/(log|prompt)$/.exec(whole!) ?? [];
  if (about === "log") return logOf(decodeURIComponent(agent), asked);
  const known = lines.get(path);
  if (about === "prompt" && known === undefined) return promptOf(decodeURIComponent(agent), asked.get("at"));
  if (known === undefined) return { why: "this is not in the file" };
  const line = JSON.parse(known) as Saved<"path">;
  if ("as" in line) return recalled(line.as);
  return "answer" in line ? { answer: line.answer } : { why: line.refused };
}

function logOf(agent: string, asked: URLSearchParams): Recalled {
  const events = logs.get(agent) ?? [];
  const last = events.at(-1)?.seq ?? 0;
  const limit = Number(asked.get("limit") ?? 200);
  const from = asked.get("from");
  const before = Number(asked.get("before") ?? Infinity);
  const there = events.filter(({ seq }) => seq >= Number(from ?? 1) && seq < before);
  const some = from === null ? there.slice(-limit) : there.slice(0, limit);
  const told = some.map(({ line }) => (JSON.parse(line) as Saved<"log">).event);
  const about = recalled(`/agents/${encodeURIComponent(agent)}`);
  const { log = null } = "answer" in about ? (about.answer as Partial<ReadingAnswer<"agent">>) : {};
  return { answer: { log, last, events: told } };
}

/** The newest by event `at` on the branch that leads there; what would be shown now without it. */
function promptOf(agent: string, at: string | null): Recalled {
  const line = at === null ? undefined : logs.get(agent)?.find(({ seq }) => seq === Number(at))?.line;
  const { shown } = line === undefined ? {} : (JSON.parse(line) as Partial<Saved<"log">>);
  const told = prompts.get(agent) ?? [];
  const index = told.findIndex((one) => one.at === (at === null ? null : shown));
  if (index === -1) return { why: "no prompt that was shown by then is in the file" };
  const { keeps: _, changes, ...shows } = told[index]!;
  const changed = new Map(changes.map(([place, was]) => [place, was]));
  const answer = partsIn(told.slice(0, index + 1)).map((number, place) => {
    const was = changed.get(place);
    if (was !== undefined) return { ...parts[number], change: "changed", was: parts[was]!.text };
    const isNew = shows.before === null || changed.has(place);
    return { ...parts[number], change: isNew ? "new" : "same" };
  });
  return { answer: { ...shows, parts: answer, gone: shows.gone.map((part) => parts[part]) } };
}

/** Of the last one, by their numbers. */
function partsIn(told: readonly SavedPrompt[]): readonly number[] {
  const all: number[] = [];
  for (const { keeps, parts: some } of told) all.splice(keeps[0], all.length - keeps[0] - keeps[1], ...some);
  return all;
}

async function readAll(): Promise<void> {
  const text = element!.textContent.trim();
  element!.remove();
  let rest = "";
  const pieces = bytesOf(text)
    .pipeThrough(new DecompressionStream("gzip"))
    .pipeThrough(new TextDecoderStream())
    .getReader();
  for (;;) {
    const { done, value } = await pieces.read();
    if (done) return;
    const complete = (rest + value).split("\n");
    rest = complete.pop()!;
    for (const line of complete) take(line);
  }
}

function bytesOf(text: string): ReadableStream<Uint8Array<ArrayBuffer>> {
  let at = 0;
  return new ReadableStream({
    pull(told) {
      if (at >= text.length) return told.close();
      told.enqueue(Uint8Array.from(atob(text.slice(at, at + PIECE)), (letter) => letter.charCodeAt(0)));
      at += PIECE;
    },
  });
}

function take(text: string): void {
  const line = JSON.parse(text) as SavedLine;
  if ("saved" in line) {
    savedAt.value = line.saved;
    savedOnly.value = line.only;
  } else if ("path" in line) lines.set(line.path, text);
  else if ("part" in line) parts.push(line.part);
  else if ("log" in line) {
    const events = logs.get(line.log) ?? [];
    events.push({ seq: line.event.seq, line: text });
    logs.set(line.log, events);
  } else {
    const told = prompts.get(line.prompt) ?? [];
    told.push(line.shows);
    prompts.set(line.prompt, told);
  }
}

// Takes in a file of `legion memory export`. All of it is checked before anything is written.

import { readFile, stat } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { LegionError } from "../../../base/errors.ts";
import { createRedactor } from "../../../base/redaction/redactor.ts";
import { count, quote } from "../../../base/text/wording.ts";
import { parseMemoryId, type MemoryId } from "../../../domain/memory/memory-id.ts";
import { markOf } from "../../../domain/message/taint.ts";
import { contentsOf } from "../../../past/memory/shards.ts";
import { foreignMemory } from "../../../storage/contract/foreign.ts";
import { openPersonFolder } from "../../../storage/folder/person/folder.ts";
import { knownAuthorshipOf } from "../../../storage/folder/person/authorship.ts";
import { confirm } from "../../consent/confirm.ts";
import { printJson, printRows, warn } from "../../kit/output.ts";
import { readLines, type HeldEvent, type ReadFile } from "./memory-file.ts";
import type { Ordered } from "../order.ts";
import { takeIn } from "./taking.ts";

const MAX_BYTES = 256 * 1_048_576;

export async function order(ordered: Ordered): Promise<number> {
  const { typed, site } = ordered;
  const [file = ""] = typed.args;
  const { memories } = site.backend;
  const named = typed.options["memory"];
  if (named !== undefined) parseMemoryId(named);
  const read = await readMemoryFile(file, ordered);
  // A backup goes back to where it is from.
  const id = named ?? read.memory;
  const reader = memories.read(id);
  if (await reader.isForeign()) throw foreignMemory(id);
  const { entries, shards } = await contentsOf(reader);
  const isEmpty = entries.length === 0 && shards.length === 0;
  if (!isEmpty && !typed.options["append"]) throw notEmpty(id);
  const isOwn = read.isOwn || (await isTrusted(file, ordered));
  const redactor = createRedactor(site.config.secrets());
  const isThere = seenIn(entries);
  const taken = read.events
    .filter((event) =>
      event.kind === "entry" ? !isThere(event) : isOwn && (isEmpty || event.kind === "void"),
    )
    .map((event) => redactor.value(isOwn ? event : marked(event, file)));
  await takeIn({ id, memories, isNew: isEmpty }, taken);
  report({ id, read, taken, isOwn }, ordered);
  return 0;
}

async function readMemoryFile(file: string, { io }: Ordered): Promise<ReadFile> {
  const path = resolve(io.cwd, file);
  const found = await stat(path).catch(() => undefined);
  if (!found?.isFile()) throw new LegionError("USAGE", `there is no file ${quote(file)}`);
  if (found.size > MAX_BYTES)
    throw new LegionError("USAGE", `${file} is longer than ${MAX_BYTES} bytes; nothing was taken in`);
  const bytes = await readFile(path);
  return readLines(bytes.toString("utf8"), file, await knownAuthorshipOf(openPersonFolder(io.env)));
}

function notEmpty(id: MemoryId): LegionError {
  const way = "--append adds the entries that it does not have, --memory <vault/memory> names a new one";
  return new LegionError("USAGE", `the memory ${id} is not empty; ${way}`);
}

async function isTrusted(file: string, { typed, io }: Ordered): Promise<boolean> {
  if (typed.options["trust"]) return true;
  return confirm(`${file} was not written on your machines. Take it on as if it were?`, io);
}

/** Is an entry of the same message, or of the same words, there already? */
function seenIn(entries: readonly SaidEntry[]): (entry: SaidEntry) => boolean {
  const keysOf = ({ of, said, speaker, thread, raw }: SaidEntry): readonly string[] => [
    ...(of ? [JSON.stringify([of.log, of.message])] : []),
    JSON.stringify([said, speaker, thread, raw]),
  ];
  const there = new Set(entries.flatMap(keysOf));
  return (entry) => keysOf(entry).some((key) => there.has(key));
}

type SaidEntry = Pick<Extract<HeldEvent, { kind: "entry" }>, "of" | "said" | "speaker" | "thread" | "raw">;

/** Nobody here vouches for what it says, nor for which message it is of: that one may still be entered. */
function marked(event: HeldEvent, file: string): HeldEvent {
  if (event.kind !== "entry" && event.kind !== "context") return event;
  const taint = markOf(event.taint, `file ${basename(file)}`);
  if (event.kind === "context") return { ...event, taint };
  const { of: _of, ...entry } = event;
  return { ...entry, taint };
}

interface ImportReport {
  readonly id: MemoryId;
  readonly read: ReadFile;
  readonly taken: readonly HeldEvent[];
  readonly isOwn: boolean;
}

function report({ id, read, taken, isOwn }: ImportReport, { typed, io }: Ordered): void {
  const many = (events: readonly HeldEvent[], kind: HeldEvent["kind"]): number =>
    events.filter((event) => event.kind === kind).length;
  const [entries, shards] = [many(taken, "entry"), many(taken, "context")];
  const known = many(read.events, "entry") - entries;
  const left = many(read.events, "context") - shards;
  if (!isOwn)
    warn(
      io,
      "the file was not written on your machines: its entries are marked as text from outside; with --trust they are not",
    );
  if (typed.options["json"]) printJson(io, { memory: id, entries, shards, known, left, trusted: isOwn });
  else {
    const more = [
      ...(known > 0 ? [`${known} were there already`] : []),
      ...(left > 0 ? ["its context is left out: it was made of other entries, or by others"] : []),
    ];
    const what = `${entries} ${entries === 1 ? "entry" : "entries"}, ${count(shards, "shard")} of context`;
    printRows(io, `${id} has taken in ${what}${more.map((one) => `; ${one}`).join("")}`);
  }
}

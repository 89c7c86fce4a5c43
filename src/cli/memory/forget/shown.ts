// What is to be forgotten, as the person sees it who decides.

import { count } from "../../../base/text/wording.ts";
import type { MemoryId } from "../../../domain/memory/memory-id.ts";
import { displayName } from "../../../domain/message/message.ts";
import type { Shard } from "../../../past/memory/shards.ts";
import type { Io } from "../../kit/command.ts";
import { columnsFor, oneLine, print, printRows } from "../../kit/output.ts";
import type { Site } from "../../kit/target.ts";
import { clip } from "../../kit/terminal.ts";
import { momentOf } from "../../kit/times.ts";
import type { EditedContext } from "../context.ts";
import { speakerName } from "../entry-lines.ts";
import type { Doomed } from "./choice.ts";
import type { Elsewhere } from "./elsewhere.ts";

const MAX_SHOWN = 20;
/** What is looked at of a long text: more than any line shows. */
const MAX_CHARS = 1_000;

interface ShownDoomed {
  readonly memory: MemoryId;
  readonly doomed: Doomed;
  /** What a person made of the document, which goes with the rest. */
  readonly edited: EditedContext | undefined;
}

export function showDoomed({ memory, doomed, edited }: ShownDoomed, io: Io): void {
  const { entries, named, built } = doomed;
  if (entries.length > 0) {
    printRows(io, `${entriesOf(entries.length)} of ${memory} ${goes(entries)}:`);
    const lines = entries.map(
      ({ seq, said, speaker, raw }) => `#${seq}  ${momentOf(said)}  ${speakerName(speaker)}: ${start(raw)}`,
    );
    showLines(lines, io);
  }
  if (named.length > 0) {
    printRows(io, `${count(named.length, "shard")} of its context ${goes(named)}:`);
    showLines(named.map(shardLine), io);
  }
  if (built.length > 0) {
    printRows(io, `With that ${goes(built)} ${count(built.length, "shard")} of context that may hold it:`);
    showLines(built.map(shardLine), io);
  }
  if (edited) printRows(io, `So does what you made of ${edited.path}, which is taken in first.`);
}

function shardLine({ seq, at, by, content }: Shard): string {
  return `#${seq}  ${momentOf(at)}  ${displayName(by)}: ${start(content)}`;
}

function start(text: string): string {
  return oneLine(text.slice(0, MAX_CHARS));
}

function goes({ length }: readonly unknown[]): string {
  return length === 1 ? "goes" : "go";
}

function entriesOf(n: number): string {
  return `${n} ${n === 1 ? "entry" : "entries"}`;
}

function showLines(lines: readonly string[], io: Io): void {
  const columns = io.stdout.isTTY ? columnsFor(io) : Infinity;
  const more = lines.length - MAX_SHOWN;
  const shown = more > 0 ? [...lines.slice(0, MAX_SHOWN), `and ${more} more`] : lines;
  print(io, shown.map((line) => clip(`  ${line}`, columns)).join("\n"));
}

/** Of each folder, whose it is, and how it goes. */
export function showElsewhere(places: readonly Elsewhere[], { backend }: Site, io: Io): void {
  if (places.length > 0) {
    printRows(io, "It also stands elsewhere, where it stays:");
    printRows(
      io,
      places
        .slice(0, MAX_SHOWN)
        .map((place) => `  ${placeLine(place)}`)
        .join("\n"),
    );
    const more = places.length - MAX_SHOWN;
    if (more > 0) printRows(io, `  and ${more} folders more`);
  }
  if (backend.nodes) printRows(io, "What stands in the logs of agents in Redis was not looked for.");
}

/** What an agent was told goes with its folder, and a run with all of its agents. */
function placeLine({ folder, agent, run, memory, files }: Elsewhere): string {
  const where = `${count(files, "file")} in ${folder}`;
  const name = agent === undefined ? "" : displayName(agent);
  if (run !== undefined)
    return oneLine(`run ${run}${name && `, ${name}`}: ${where}; \`legion prune\` deletes runs`);
  if (memory !== undefined)
    return oneLine(`memory ${memory}: ${where}; \`legion memory forget --memory ${memory}\` has it forget`);
  return oneLine(name === "" ? where : `${name}: ${where}, which may be deleted while nothing runs`);
}

/** `2 entries and 1 shard of context`. */
export function counted(entries: number, shards: number): string {
  const what = [
    ...(entries > 0 ? [entriesOf(entries)] : []),
    ...(shards > 0 ? [`${count(shards, "shard")} of context`] : []),
  ];
  return what.join(" and ");
}

export function described({ entries, named, built }: Doomed): string {
  return counted(entries.length, named.length + built.length);
}

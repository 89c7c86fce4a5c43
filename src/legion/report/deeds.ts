// Which files one agent changed and which commands it ran, as its digest tells, in lines.

import { z } from "zod";
import type { Digest } from "../../past/digest/digest.ts";
import { MAX_CHANGES, type FileChange } from "../../past/digest/file-changes.ts";
import { areMore, incidentsOf, type Incident } from "../../past/digest/incidents/incident.ts";
import { byTime, createGroup } from "./group.ts";
import { changedSchema, commandSchema, groupOf } from "./report.ts";

/** A file that the agent changed for one purpose, and the events that tell of it, oldest first. */
const fileSchema = changedSchema
  .omit({
    agent: true,
    asked: true,
    at: true,
    added: true,
    removed: true,
    diff: true,
    isCut: true,
    takenBack: true,
  })
  .extend({
    /** When the first and the newest change was, in milliseconds since 1970. */
    ...{ firstMs: z.number(), atMs: z.number() },
    seqs: z.array(z.int()).readonly(),
  });
const ranSchema = commandSchema.omit({ agent: true, asked: true });

export type ChangedFile = z.output<typeof fileSchema>;
export type RanCommand = z.output<typeof ranSchema>;

const many = { files: z.int(), moreFiles: z.int(), commands: z.int() };

export const deedsSchema = z.object({
  files: groupOf(fileSchema),
  commands: groupOf(ranSchema),
  /** How much was done for each first message. */
  causes: z.array(z.object({ root: z.string(), ...many })),
});

export type ReportDeeds = z.output<typeof deedsSchema>;
type DeedCounts = ReportDeeds["causes"][number];

const MOST_SEQS = 50;

/** @param most so many lines of each are told, the newest; Infinity: all, and each file has one of its own */
export function deedsOf({ changes, incidents }: Digest, sinceMs: number, most: number): ReportDeeds {
  const files = createGroup<ChangedFile>(most, byMs);
  const commands = createGroup<RanCommand>(most, byTime);
  const causes = new Map<string, DeedCounts>();
  const count = (root: string | null | undefined, what: keyof typeof many, number: number): void => {
    if (root === null || root === undefined) return;
    const counts = causes.get(root) ?? { root, files: 0, moreFiles: 0, commands: 0 };
    counts[what] += number;
    causes.set(root, counts);
  };
  const back = incidentsOf(incidents, "clock");
  const isSince = (change: FileChange): boolean => timeOf(change, back) >= sinceMs;
  if (changes.length === MAX_CHANGES && isSince(changes[0]!)) files.cut();
  for (const change of changes) {
    if (change.more === undefined || !isSince(change)) continue;
    files.cut();
    count(change.cause, "moreFiles", change.more);
  }
  const changed = [...filesIn(changes, isSince)];
  for (const line of most === Infinity ? changed : inLines(changed)) files.add(line, 1 + line.besides);
  for (const { cause } of changed) count(cause, "files", 1);
  if (areMore(incidents, "command", sinceMs)) commands.cut();
  for (const one of commandsIn(incidentsOf(incidents, "command"), sinceMs)) {
    commands.add(one);
    count(one.cause, "commands", one.times);
  }
  return { files: files.group(), commands: commands.group(), causes: [...causes.values()] };
}

/** Newest first. */
export function byMs(a: Pick<ChangedFile, "atMs">, b: Pick<ChangedFile, "atMs">): number {
  return b.atMs - a.atMs;
}

/** In milliseconds since 1970; no earlier than what its clock had shown before it went back. */
export function timeOf({ seq, atMs }: FileChange, back: readonly Incident[]): number {
  if (back.length === 0) return atMs;
  return Math.max(atMs, ...back.filter((one) => one.seq <= seq).map(({ ms }) => ms));
}

/** There are thousands of changes of few files: each is added to what is known of its file. */
function* filesIn(
  changes: readonly FileChange[],
  isSince: (change: FileChange) => boolean,
): Generator<ChangedFile> {
  const byCause = new Map<string | undefined, Map<string, OpenChangedFile>>();
  for (const change of changes) {
    if (!isSince(change)) continue;
    const files = byCause.get(change.cause) ?? new Map<string, OpenChangedFile>();
    const file = files.get(change.path);
    if (file) join(file, change);
    else files.set(change.path, begun(change));
    byCause.set(change.cause, files);
  }
  for (const files of byCause.values())
    for (const file of files.values()) yield { ...file, seqs: file.seqs.slice(-MOST_SEQS) };
}

/** Of one command, in lines of their own. */
const MOST_OF_ONE = 5;

/** What one command alone changed would fill the page: it is one line. */
function inLines(files: readonly ChangedFile[]): readonly ChangedFile[] {
  const byCommand = new Map<number, ChangedFile[]>();
  for (const file of files) {
    const { commandSeq, times } = file;
    if (commandSeq === null || times > 1) continue;
    const others = byCommand.get(commandSeq);
    if (others) others.push(file);
    else byCommand.set(commandSeq, [file]);
  }
  const tooMany = [...byCommand.values()].filter((some) => some.length > MOST_OF_ONE);
  const within = new Set(tooMany.flat());
  return [...files.filter((file) => !within.has(file)), ...tooMany.map(inOne)];
}

function inOne(files: readonly ChangedFile[]): ChangedFile {
  const first = files[0]!;
  const isAlike = files.every(({ does }) => does === first.does);
  return { ...first, besides: files.length - 1, does: isAlike ? first.does : "changed" };
}

type OpenChangedFile = Omit<ChangedFile, "seqs"> & { readonly seqs: number[] };

function begun(change: FileChange): OpenChangedFile {
  const { path, from, does, seq, atMs, cause = null, command = null, isShared = false } = change;
  return {
    ...{ path, ...(from !== undefined && { from }), does, cause, times: 1, seq, atMs, seqs: [seq] },
    firstMs: atMs,
    ...{
      besides: 0,
      commands: Number(command !== null),
      command,
      commandSeq: command === null ? null : seq,
      isShared,
    },
  };
}

function join(file: OpenChangedFile, { from, does, seq, atMs, command, isShared }: FileChange): void {
  const isNew = file.does === "created" && does !== "deleted";
  const isMoved = file.does === "moved" && does === "changed";
  if (!isNew && !isMoved) file.does = does;
  if (from !== undefined) file.from = from;
  if (command !== undefined) Object.assign(file, { command, commandSeq: seq, commands: file.commands + 1 });
  if (isShared) file.isShared = true;
  Object.assign(file, { seq, atMs, times: file.times + 1 });
  file.seqs.push(seq);
}

function* commandsIn(all: readonly Incident[], sinceMs: number): Generator<RanCommand> {
  const same = new Map<string, RanCommand>();
  for (const one of all) {
    const { ms, text, outcome = "ok", exit = null, cause = null, count = 1, seq, at, until = at } = one;
    if (ms < sinceMs || outcome === "idle") continue;
    const changed = changedBy(one);
    const key = JSON.stringify([text, outcome, exit, cause, changed]);
    const times = (same.get(key)?.times ?? 0) + count;
    same.set(key, { command: text, outcome, exit, ...changed, cause, times, seq, at: until });
  }
  yield* same.values();
}

function changedBy({ changed }: Incident): Pick<RanCommand, "files" | "isShared" | "unknown"> {
  if (!changed) return { files: null, isShared: false, unknown: null };
  const { files, isShared = false, unknown = null } = changed;
  return { files: unknown !== null && files === 0 ? null : files, isShared, unknown };
}

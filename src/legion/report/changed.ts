// Which files were changed and which commands ran, by whom and for what. Differences are read from the logs when it is known which
// are told.

import { fieldsOf } from "../../base/text/json.ts";
import type { AgentId } from "../../domain/message/message.ts";
import type { Digest } from "../../past/digest/digest.ts";
import { MAX_CHANGES, type FileChange } from "../../past/digest/file-changes.ts";
import { areMore, incidentsOf, type Incident } from "../../past/digest/incidents/incident.ts";
import type { Reader } from "../../storage/contract/reader.ts";
import type { Roots } from "./asked.ts";
import { byTime, createGroup } from "./group.ts";
import type { ReportChanged, ReportCommand } from "./report.ts";

type WithoutText<T> = Omit<T, "asked">;

/** A file that one agent changed for one purpose, and the events that tell of it, oldest first. */
interface ChangedFile extends Omit<
  WithoutText<ReportChanged>,
  "at" | "added" | "removed" | "diff" | "isCut"
> {
  readonly atMs: number;
  readonly seqs: readonly number[];
}

/** Of one file. */
const MOST_CHARS = 20_000;
const MOST_SEQS = 50;

export function createChanged(sinceMs: number, most: number) {
  const files = createGroup<ChangedFile>(most, (a, b) => b.atMs - a.atMs);
  const commands = createGroup<WithoutText<ReportCommand>>(most, byTime);
  return {
    add(agent: AgentId, digest: Digest, roots: Pick<Roots, "tell" | "addDeeds">): void {
      const { changes, incidents } = digest;
      const back = incidentsOf(incidents, "clock");
      const isSince = (change: FileChange): boolean => timeOf(change, back) >= sinceMs;
      if (changes.length === MAX_CHANGES && isSince(changes[0]!)) files.cut();
      for (const change of changes) {
        if (change.more === undefined || !isSince(change)) continue;
        files.cut();
        if (change.cause !== undefined) roots.addDeeds(change.cause, "moreFiles", change.more);
      }
      if (areMore(incidents, "command", sinceMs)) commands.cut();
      const changed = [...filesIn(agent, changes, isSince)];
      for (const line of most === Infinity ? changed : inLines(changed)) files.add(line, 1 + line.besides);
      for (const file of changed) {
        if (file.cause === null) continue;
        roots.tell(file.cause);
        roots.addDeeds(file.cause, "files", 1);
      }
      for (const one of commandsIn(agent, incidentsOf(incidents, "command"), sinceMs)) {
        commands.add(one);
        if (one.cause === null) continue;
        roots.tell(one.cause);
        roots.addDeeds(one.cause, "commands", one.times);
      }
    },
    commands: () => commands.group(),
    async files(reader: Pick<Reader, "events">) {
      const { items, ...counted } = files.group();
      const diffs = await readDiffs(reader, items);
      return {
        ...counted,
        items: items.map(({ seqs, atMs, ...file }) => ({
          ...{ ...file, at: new Date(atMs).toISOString() },
          ...diffOf(file, seqs, diffs),
        })),
      };
    },
  };
}

/** In milliseconds since 1970; no earlier than what its clock had shown before it went back. */
function timeOf({ seq, atMs }: FileChange, back: readonly Incident[]): number {
  if (back.length === 0) return atMs;
  return Math.max(atMs, ...back.filter((one) => one.seq <= seq).map(({ ms }) => ms));
}

/** There are thousands of changes of few files: each is added to what is known of its file. */
function* filesIn(
  agent: AgentId,
  changes: readonly FileChange[],
  isSince: (change: FileChange) => boolean,
): Generator<ChangedFile> {
  const byCause = new Map<string | undefined, Map<string, OpenChangedFile>>();
  for (const change of changes) {
    if (!isSince(change)) continue;
    const files = byCause.get(change.cause) ?? new Map<string, OpenChangedFile>();
    const file = files.get(change.path);
    if (file) join(file, change);
    else files.set(change.path, begun(agent, change));
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
  const many = [...byCommand.values()].filter((some) => some.length > MOST_OF_ONE);
  const within = new Set(many.flat());
  return [...files.filter((file) => !within.has(file)), ...many.map(inOne)];
}

function inOne(files: readonly ChangedFile[]): ChangedFile {
  const first = files[0]!;
  const isAlike = files.every(({ does }) => does === first.does);
  return { ...first, besides: files.length - 1, does: isAlike ? first.does : "changed" };
}

type OpenChangedFile = { -readonly [K in keyof ChangedFile]: ChangedFile[K] } & { readonly seqs: number[] };

function begun(agent: AgentId, change: FileChange): OpenChangedFile {
  const { path, from, does, seq, atMs, cause = null, command = null, isShared = false } = change;
  return {
    ...{ path, ...(from !== undefined && { from }), does, agent, cause, times: 1, seq, atMs, seqs: [seq] },
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

function* commandsIn(
  agent: AgentId,
  all: readonly Incident[],
  sinceMs: number,
): Generator<WithoutText<ReportCommand>> {
  const same = new Map<string, WithoutText<ReportCommand>>();
  for (const one of all) {
    const { ms, text, outcome = "ok", exit = null, cause = null, count = 1, seq, at, until = at } = one;
    if (ms < sinceMs || outcome === "idle") continue;
    const changed = changedBy(one);
    const key = JSON.stringify([text, outcome, exit, cause, changed]);
    const times = (same.get(key)?.times ?? 0) + count;
    same.set(key, { command: text, outcome, exit, ...changed, agent, cause, times, seq, at: until });
  }
  yield* same.values();
}

function changedBy({ changed }: Incident): Pick<ReportCommand, "files" | "isShared" | "unknown"> {
  if (!changed) return { files: null, isShared: false, unknown: null };
  const { files, isShared = false, unknown = null } = changed;
  return { files: unknown !== null && files === 0 ? null : files, isShared, unknown };
}

type Diffs = ReadonlyMap<string, string>;

function nameOf(agent: AgentId, seq: number): string {
  return `${agent} ${seq}`;
}

/** Of each log once, from the first event that is wanted to the last. */
async function readDiffs(reader: Pick<Reader, "events">, files: readonly ChangedFile[]): Promise<Diffs> {
  const diffs = new Map<string, string>();
  for (const agent of new Set(files.map((file) => file.agent))) {
    const wanted = new Set(files.filter((file) => file.agent === agent).flatMap(({ seqs }) => seqs));
    const last = Math.max(...wanted);
    for await (const event of reader.events(agent, Math.min(...wanted))) {
      if (event.seq > last) break;
      const { diff } = fieldsOf(wanted.has(event.seq) && event.kind === "result" ? event.details : undefined);
      if (typeof diff === "string") diffs.set(nameOf(agent, event.seq), diff);
    }
  }
  return diffs;
}

function diffOf({ agent }: Pick<ChangedFile, "agent">, seqs: readonly number[], diffs: Diffs) {
  const whole = seqs
    .flatMap((seq) => diffs.get(nameOf(agent, seq)) ?? [])
    .map((diff) => diff.trimEnd())
    .join("\n");
  const lines = whole.split("\n");
  const many = (sign: RegExp): number => lines.filter((line) => sign.test(line)).length;
  return {
    ...{ added: many(/^\+(?!\+\+ )/), removed: many(/^-(?!-- )/) },
    ...{ diff: whole.slice(0, MOST_CHARS), isCut: whole.length > MOST_CHARS },
  };
}

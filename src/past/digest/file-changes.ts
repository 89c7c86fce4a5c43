// Which files an agent's actions changed, and its commands as far as that is known, as their results tell, whatever the branch.

import { z } from "zod";
import { fieldsOf } from "../../base/text/json.ts";
import type { Call, Event, EventOf } from "../../domain/event/event.ts";
import type { RootId } from "../shares/by-cause.ts";
import { commandOf } from "./command-of.ts";

const DEEDS = ["created", "changed", "moved", "deleted"] as const;

export interface FileChange {
  /** As the call named it; of a command relative to the workspace. */
  readonly path: string;
  /** Where it was moved from. */
  readonly from?: string;
  readonly does: (typeof DEEDS)[number];
  /** The result that tells of it, with the difference in its details. */
  readonly seq: number;
  /** In milliseconds since 1970; 0 for what is no time. */
  readonly atMs: number;
  /** The first message that it was done for; absent: before any was shown. */
  readonly cause?: string;
  /** How the command begins that did it, or the name of the action that ran one; absent: the action did it itself. */
  readonly command?: string;
  /** Other commands ran meanwhile: nobody knows which of them did it. */
  readonly isShared?: true;
  /** So many more changes of the same command are not listed; with the last one that is. */
  readonly more?: number;
}

/** The newest ones are kept. */
export const MAX_CHANGES = 2_000;
/** Of one result, whoever wrote it. */
const MOST_OF_ONE = 100;
const MOST_CHARS = 300;

const place = z.object({ path: z.string(), from: z.string().optional(), isDeleted: z.boolean() });

/** Of each change its numbers, and names by their place in a list: there are many changes of few files. */
const ROW = ["path", "from", "does", "cause", "seq", "atMs"] as const;
/** Of those that a command made, and by which row it is. */
const BY_COMMAND = ["row", "command", "isShared", "more"] as const;
const NOBODY = -1;
/** The last time that there is, in milliseconds since 1970. */
const LAST_MS = 8.64e15;

export const fileChangesSchema = z.object({
  names: z.array(z.string()),
  rows: z.custom<readonly number[]>(areIntegers),
  byCommand: z.custom<readonly number[]>(areIntegers),
  /** Of the calls of the newest decision that name a file. */
  places: z.array(z.tuple([z.string(), place])),
  /** What its calls are called where they ran commands. */
  commands: z.array(z.tuple([z.string(), z.string()])),
});

type CallFile = z.output<typeof place>;
type PackedFileChanges = z.output<typeof fileChangesSchema>;
type PackedChanges = Pick<PackedFileChanges, "names" | "rows" | "byCommand">;

export function createFileChanges(kept?: PackedFileChanges) {
  const changes: FileChange[] = kept ? unpacked(kept) : [];
  let places = new Map<string, CallFile>(kept?.places);
  /** Asked where a command changed files, which few calls do. */
  let commands = (): ReadonlyMap<string, string> => new Map(kept?.commands);
  return {
    /** Oldest first. */
    changes: changes as readonly FileChange[],
    see(event: Event, cause: RootId): void {
      // What stands before it is another agent's past.
      if (event.kind === "branch" && event.origin !== undefined) changes.length = 0;
      if (event.kind === "decision") {
        places = new Map(event.calls.flatMap(placeOf));
        const { calls } = event;
        commands = () => new Map(calls.map((call) => [call.id, nameOf(call)]));
      }
      if (event.kind !== "result" || event.call === null) return;
      const named = places.get(event.call);
      const change = named && event.outcome === "ok" ? changeOf(event, named, cause) : undefined;
      if (change) changes.push(change);
      if (event.changed) changes.push(...changesBy(event, commands().get(event.call) ?? "", cause));
      if (changes.length > MAX_CHANGES) changes.splice(0, changes.length - MAX_CHANGES);
    },
    pack: (): PackedFileChanges => ({
      ...packed(changes),
      ...{ places: [...places], commands: [...commands()] },
    }),
  };
}

/** There are thousands of them: each by itself would take longer than all else of a digest. */
function areIntegers(value: unknown): boolean {
  const isOne = (one: unknown): boolean => Number.isInteger(one) && Math.abs(Number(one)) <= LAST_MS;
  return Array.isArray(value) && value.every(isOne);
}

function packed(changes: readonly FileChange[]): PackedChanges {
  const names = new Map<string, number>();
  const numberOf = (name: string | undefined): number => {
    if (name === undefined) return NOBODY;
    const known = names.get(name) ?? names.size;
    names.set(name, known);
    return known;
  };
  const rows = changes.flatMap(({ path, from, does, cause, seq, atMs }) => [
    ...[numberOf(path), numberOf(from), DEEDS.indexOf(does), numberOf(cause), seq, atMs],
  ]);
  const byCommand = changes.flatMap(({ command, isShared = false, more = 0 }, row) =>
    command === undefined ? [] : [row, numberOf(command), Number(isShared), more],
  );
  return { names: [...names.keys()], rows, byCommand };
}

/** Object by object: there are thousands of them, and whoever looks at a log again waits for this. */
function unpacked({ names, rows, byCommand }: PackedChanges): FileChange[] {
  const changes: Writable[] = [];
  const nameAt = (at: number): string => names[rows[at]!] ?? "";
  for (let at = 0; at + ROW.length <= rows.length; at += ROW.length) {
    const does = DEEDS[rows[at + 2]!] ?? "changed";
    const change: Writable = { path: nameAt(at), does, seq: rows[at + 4]!, atMs: rows[at + 5]! };
    if (rows[at + 1] !== NOBODY) change.from = nameAt(at + 1);
    if (rows[at + 3] !== NOBODY) change.cause = nameAt(at + 3);
    changes.push(change);
  }
  for (let at = 0; at + BY_COMMAND.length <= byCommand.length; at += BY_COMMAND.length) {
    const change = changes[byCommand[at]!];
    if (!change) continue;
    change.command = names[byCommand[at + 1]!] ?? "";
    if (byCommand[at + 2] === 1) change.isShared = true;
    if (byCommand[at + 3] !== 0) change.more = byCommand[at + 3]!;
  }
  return changes;
}

type Writable = { -readonly [K in keyof FileChange]: FileChange[K] };

function nameOf(call: Call): string {
  return (commandOf(call) ?? call.action).slice(0, MOST_CHARS);
}

function changeOf(event: EventOf<"result">, named: CallFile, cause: RootId): FileChange | undefined {
  const does = changeIn(event.details, named);
  if (!does) return undefined;
  const change: Writable = { path: named.path, does, seq: event.seq, atMs: Date.parse(event.at) || 0 };
  if (named.from !== undefined) change.from = named.from;
  if (cause) change.cause = cause;
  return change;
}

/** A command that failed has changed what it changed. */
function changesBy(event: EventOf<"result">, command: string, cause: RootId): readonly FileChange[] {
  const { seq, at, changed } = event;
  const { files = [], more = 0, isShared } = changed ?? {};
  const told = files.slice(0, MOST_OF_ONE);
  const left = more + files.length - told.length;
  return told.map(({ path, does, from }, index) => ({
    ...{ path, does: DEEDS.includes(does) ? does : "changed", seq, atMs: Date.parse(at) || 0, command },
    ...(from !== undefined && { from }),
    ...(cause && { cause }),
    ...(isShared && { isShared }),
    ...(left > 0 && index === told.length - 1 && { more: left }),
  }));
}

function placeOf({ id, action, parameters }: Call): readonly [string, CallFile][] {
  const { path, sourcePath: from, destinationPath: to } = fieldsOf(parameters);
  if (typeof path === "string") return [[id, { path, isDeleted: action === "deleteFile" }]];
  return typeof from === "string" && typeof to === "string"
    ? [[id, { path: to, from, isDeleted: false }]]
    : [];
}

/** `undefined`: no file was changed. Actions that change one keep the difference; of a deleted one there is none. */
function changeIn(details: unknown, { from, isDeleted }: CallFile): FileChange["does"] | undefined {
  if (isDeleted) return "deleted";
  const { diff, created } = fieldsOf(details);
  if (typeof diff !== "string" || diff === "") return undefined;
  if (from !== undefined) return "moved";
  return created === true ? "created" : "changed";
}

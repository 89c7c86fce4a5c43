// Which files an agent's actions changed, as their results tell, whatever the branch. What commands did to files nobody knows.

import { z } from "zod";
import { fieldsOf } from "../../base/text/json.ts";
import type { Call, Event } from "../../domain/event/event.ts";
import type { RootId } from "../shares/by-cause.ts";

const DEEDS = ["created", "changed", "moved", "deleted"] as const;

export interface FileChange {
  /** As the call named it. */
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
}

/** The newest ones are kept. */
export const MAX_CHANGES = 2_000;

const place = z.object({ path: z.string(), from: z.string().optional(), isDeleted: z.boolean() });

/** Of each change its numbers, and names by their place in a list: there are many changes of few files. */
const ROW = ["path", "from", "does", "cause", "seq", "atMs"] as const;
const NOBODY = -1;
/** The last time that there is, in milliseconds since 1970. */
const LAST_MS = 8.64e15;

export const fileChangesSchema = z.object({
  names: z.array(z.string()),
  rows: z.custom<readonly number[]>(areIntegers),
  /** Of the calls of the newest decision that name a file. */
  places: z.array(z.tuple([z.string(), place])),
});

type CallFile = z.output<typeof place>;
type PackedFileChanges = z.output<typeof fileChangesSchema>;

export function createFileChanges(kept?: PackedFileChanges) {
  const changes: FileChange[] = kept ? unpacked(kept) : [];
  let places = new Map<string, CallFile>(kept?.places);
  return {
    /** Oldest first. */
    changes: changes as readonly FileChange[],
    see(event: Event, cause: RootId): void {
      // What stands before it is another agent's past.
      if (event.kind === "branch" && event.origin !== undefined) changes.length = 0;
      if (event.kind === "decision") places = new Map(event.calls.flatMap(placeOf));
      const named = event.kind === "result" && event.call !== null ? places.get(event.call) : undefined;
      if (event.kind !== "result" || !named || event.outcome !== "ok") return;
      const does = changeIn(event.details, named);
      if (!does) return;
      const change: Writable = { path: named.path, does, seq: event.seq, atMs: Date.parse(event.at) || 0 };
      if (named.from !== undefined) change.from = named.from;
      if (cause) change.cause = cause;
      changes.push(change);
      if (changes.length > MAX_CHANGES) changes.shift();
    },
    pack: (): PackedFileChanges => ({ ...packed(changes), places: [...places] }),
  };
}

/** There are thousands of them: each by itself would take longer than all else of a digest. */
function areIntegers(value: unknown): boolean {
  const isOne = (one: unknown): boolean => Number.isInteger(one) && Math.abs(Number(one)) <= LAST_MS;
  return Array.isArray(value) && value.every(isOne);
}

function packed(changes: readonly FileChange[]): Pick<PackedFileChanges, "names" | "rows"> {
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
  return { names: [...names.keys()], rows };
}

/** Object by object: there are thousands of them, and whoever looks at a log again waits for this. */
function unpacked({ names, rows }: PackedFileChanges): FileChange[] {
  const changes: FileChange[] = [];
  const nameAt = (at: number): string => names[rows[at]!] ?? "";
  for (let at = 0; at + ROW.length <= rows.length; at += ROW.length) {
    const does = DEEDS[rows[at + 2]!] ?? "changed";
    const change: Writable = { path: nameAt(at), does, seq: rows[at + 4]!, atMs: rows[at + 5]! };
    if (rows[at + 1] !== NOBODY) change.from = nameAt(at + 1);
    if (rows[at + 3] !== NOBODY) change.cause = nameAt(at + 3);
    changes.push(change);
  }
  return changes;
}

type Writable = { -readonly [K in keyof FileChange]: FileChange[K] };

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

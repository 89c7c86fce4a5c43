// Which files an agent's actions changed, as their results tell, whatever the branch. What commands did to files nobody knows.

import { z } from "zod";
import { fieldsOf } from "../../base/text/json.ts";
import type { Call, Event } from "../../domain/event/event.ts";
import type { RootId } from "../shares/by-cause.ts";

export interface FileChange {
  /** As the call named it. */
  readonly path: string;
  /** Where it was moved from. */
  readonly from?: string;
  readonly does: "created" | "changed" | "moved" | "deleted";
  /** The result that tells of it, with the difference in its details. */
  readonly seq: number;
  /** ISO 8601. */
  readonly at: string;
  /** The first message that it was done for; absent: before any was shown. */
  readonly cause?: string;
}

/** The newest ones are kept. */
export const MAX_CHANGES = 2_000;

const place = z.object({ path: z.string(), from: z.string().optional(), isDeleted: z.boolean() });

export const fileChangesSchema = z.object({
  changes: z.array(
    z.object({
      path: z.string(),
      from: z.string().optional(),
      does: z.enum(["created", "changed", "moved", "deleted"]),
      seq: z.int(),
      at: z.string(),
      cause: z.string().optional(),
    }),
  ),
  /** Of the calls of the newest decision that name a file. */
  places: z.array(z.tuple([z.string(), place])),
});

type CallFile = z.output<typeof place>;
type PackedFileChanges = z.output<typeof fileChangesSchema>;

export function createFileChanges(kept?: PackedFileChanges) {
  const changes: FileChange[] = [...(kept?.changes ?? [])];
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
      const { path, from } = named;
      const { seq, at } = event;
      changes.push({ path, ...(from !== undefined && { from }), does, seq, at, ...(cause && { cause }) });
      if (changes.length > MAX_CHANGES) changes.shift();
    },
    pack: (): PackedFileChanges => ({ changes: [...changes], places: [...places] }),
  };
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

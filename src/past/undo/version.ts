// What stood, or stands, at a path, told apart by its bytes.

import { z } from "zod";

const file = z.object({
  kind: z.literal("file"),
  /** SHA-256 of its bytes, and how many there are. */
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  size: z.int().nonnegative(),
  /** Its permissions; absent: those of any new file. */
  mode: z.int().min(0).max(0o777).optional(),
});

export const versionSchema = z.union([
  z.object({ kind: z.enum(["nothing", "folder"]) }),
  z.object({ kind: z.literal("link"), to: z.string() }),
  file,
  /** Nothing that could be put back. */
  z.object({ kind: z.literal("other"), why: z.string() }),
]);

export type PathVersion = Readonly<z.output<typeof versionSchema>>;
export type FileVersion = Readonly<z.output<typeof file>>;

/** Is it the same to a reader? Who may read it is not asked. What could not be put back is like nothing. */
export function isSame(a: PathVersion, b: PathVersion): boolean {
  if (a.kind === "file" && b.kind === "file") return a.hash === b.hash;
  if (a.kind === "link" && b.kind === "link") return a.to === b.to;
  return a.kind === b.kind && a.kind !== "other";
}

/** One change of one path. */
export const editSchema = z.object({
  /** Relative to the folder that the agent worked in. */
  path: z.string(),
  before: versionSchema,
  after: versionSchema,
  /** Why the bytes of `before` are not kept; absent: they are. */
  unkept: z.string().optional(),
});

export type Edit = Readonly<z.output<typeof editSchema>>;

/** What a call changed, in the order of the changes. */
export const keptCallSchema = z.object({
  /** The folder that it worked in, relative to the home of the legion. */
  root: z.string(),
  edits: z.array(editSchema).readonly(),
  /** Other commands ran meanwhile: whose change is whose nobody knows. */
  isShared: z.boolean().optional(),
  /** Why it is not known what else a command of it changed, in a few words; absent: nothing else. */
  unknown: z.string().optional(),
});

export type KeptCall = Readonly<z.output<typeof keptCallSchema>>;

// Looking through the workspace: what is asked, and who looks. An engine only says where something is; what is shown of it
// is read by who asked, the way every file is read.

import type { Glob } from "./glob.ts";
import type { Pattern } from "./pattern.ts";

export interface Search {
  /** Absolute; the workspace. Every path and rule begins there. */
  readonly root: string;
  /** Names from there to the folder that is looked through. */
  readonly folder: readonly string[];
  /** Only this file of it, whatever is ignored. */
  readonly file?: string;
  /** Of the `.gitignore` files from the top to that folder, those in it not. */
  readonly rules: readonly string[];
  readonly globs: readonly Glob[];
  /** Absent: files are looked for. */
  readonly pattern?: Pattern;
}

/** Where a line is that fits. */
export interface Place {
  /** Line from 1. */
  readonly line: number;
  /** Byte of it where the first fitting text begins, from 1. */
  readonly column: number;
  /** Byte of the file where the line begins, from 0. */
  readonly offset: number;
}

export interface Looking {
  readonly signal: AbortSignal;
  /** Asked of each file that holds something, before it is told of; often, so it has to be quick. */
  readonly wants: (path: string) => boolean;
  /** Told of each file once, in no order; `places` in order, at most MAX_IN_FILE, none where files are looked for. */
  readonly tell: (path: string, places: readonly Place[]) => unknown;
}

/** Resolves with what went wrong, in one sentence. Whoever aborts it has what was told until then. */
export type Engine = (search: Search, looking: Looking) => Promise<string | undefined>;

export const MAX_IN_FILE = 101;
/** Longer files are not searched. */
export const MAX_FILE_BYTES = 64 * 1024 * 1024;
/** What belongs to no project, though it lies in it. */
export const MACHINERY = [".git", "node_modules", ".ai-legion"];

// Commands that also tell of agents in a file that `legion export` wrote.

import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { Command as Parser } from "commander";
import { LegionError } from "../../base/errors.ts";
import { count } from "../../base/text/wording.ts";
import type { Io, Typed } from "../kit/command.ts";
import { createProgress } from "../kit/progress.ts";
import { withSite, type Site } from "../kit/target.ts";

/** Options that say which legion is meant. */
const ELSEWHERE = ["run", "bus", "name"] as const;

export function addArchiveOption(parser: Parser): Parser {
  return parser.option("--archive <file>", "of the agents in this file instead, which `legion export` wrote");
}

/** What is read: a legion, or an archive in its place. */
export interface ReadSite extends Site {
  /** The file, as it was typed; then the reader is of what it holds, and the backend of nothing that it has to do with. */
  readonly archive?: string;
}

/**
 * As `withSite`; with the archive that is named, if one is, of which nothing is left behind. Rejects with USAGE where there is no such
 * file, or a legion is named as well, and with DAMAGED where it is none.
 */
export async function withReadSite<T>(typed: Typed, io: Io, use: (site: ReadSite) => Promise<T>): Promise<T> {
  const { archive, ...options } = typed.options;
  if (archive === undefined) return withSite(typed, io, use);
  const elsewhere = ELSEWHERE.find((name) => options[name] !== undefined);
  if (elsewhere) throw new LegionError("USAGE", `--archive is read by itself: leave out --${elsewhere}`);
  const path = resolve(io.cwd, archive);
  if (!(await stat(path).catch(() => undefined))?.isFile())
    throw new LegionError("USAGE", `--archive: there is no file ${JSON.stringify(archive)}`);
  const { readArchive } = await import("../../storage/archive/reading.ts");
  const progress = createProgress(io);
  const onProgress = (lines: number): void => progress.show(count(lines, "line"));
  const { reader, close } = await readArchive(path, { onProgress }).finally(() => progress.clear());
  try {
    // Wherever the legion of this folder is, it need not be in reach.
    const here: Typed = { ...typed, options: { ...options, bus: "memory" } };
    return await withSite(here, { ...io, run: undefined }, (site) => use({ ...site, reader, archive }));
  } finally {
    await close();
  }
}

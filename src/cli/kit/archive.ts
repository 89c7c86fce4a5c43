// Commands that also tell of agents in a file that `legion export` wrote.

import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { Command as Parser } from "commander";
import { LegionError } from "../../base/errors.ts";
import { count } from "../../base/text/wording.ts";
import type { Reader } from "../../storage/contract/reader.ts";
import type { Io, Typed } from "./command.ts";
import { createProgress } from "./progress.ts";

/** Options that say which legion is meant. */
const ELSEWHERE = ["run", "bus", "name"] as const;

export function addArchiveOption(parser: Parser): Parser {
  return parser.option("--archive <file>", "of the agents in this file instead, which `legion export` wrote");
}

/** What an archive holds, and where it is, as it was typed. */
export interface NamedArchive {
  readonly reader: Reader;
  readonly file: string;
}

/**
 * Does `use` with the archive that is named, if one is; nothing of it is left behind. Rejects with USAGE where there is no such
 * file, or a legion is named as well, and with DAMAGED where it is none.
 */
export async function withArchive<T>(
  { options }: Typed,
  io: Io,
  use: (archive: NamedArchive | undefined) => Promise<T>,
): Promise<T> {
  const file = options["archive"];
  if (file === undefined) return use(undefined);
  const elsewhere = ELSEWHERE.find((name) => options[name] !== undefined);
  if (elsewhere) throw new LegionError("USAGE", `--archive is read by itself: leave out --${elsewhere}`);
  const path = resolve(io.cwd, file);
  if (!(await stat(path).catch(() => undefined))?.isFile())
    throw new LegionError("USAGE", `--archive: there is no file ${JSON.stringify(file)}`);
  const { readArchive } = await import("../../storage/archive/reading.ts");
  const progress = createProgress(io);
  const onProgress = (lines: number): void => progress.show(count(lines, "line"));
  const { reader, close } = await readArchive(path, { onProgress }).finally(() => progress.clear());
  try {
    return await use({ reader, file });
  } finally {
    await close();
  }
}

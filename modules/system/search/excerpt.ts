// What a search found, looked at as every file is: whatever the search was led to, only what may be read is shown.

import { lstat, type FileHandle } from "node:fs/promises";
import { dirname, basename } from "node:path";
import type { Host } from "../../../src/domain/authoring/host.ts";
import { openFile, withEntry, withFolder, type Errand, type FolderErrand } from "../confine/confine.ts";
import { codeOf, Refusal } from "../refusal.ts";
import { isInsideCharacter, NEWLINE, printableLine } from "../text.ts";
import type { Place } from "./search.ts";

const FOLDER: FolderErrand = { access: "read", missingFolders: "refuse" };
const FILE: Errand = { ...FOLDER, lastLink: "keep" };
const MAX_LENGTH = 500;
/** Before the text that was found, where a line is long. */
const LEAD = 100;
/** A character takes four at most. */
const READ_BYTES = 4 * (MAX_LENGTH + 1);

/** Those of `paths` that are files of the workspace, and may be read. */
export async function filesAt(host: Host, paths: readonly string[]): Promise<readonly string[]> {
  const byFolder = new Map<string, string[]>();
  for (const path of paths) {
    const inside = byFolder.get(dirname(path));
    if (inside) inside.push(path);
    else byFolder.set(dirname(path), [path]);
  }
  const there: string[] = [];
  for (const [folder, inside] of byFolder) {
    const look = (at: string) => Promise.all(inside.map((path) => isFile(`${at}/${basename(path)}`)));
    const found = await orNothing(withFolder(host, folder, FOLDER, look));
    there.push(...inside.filter((_, at) => found[at]));
  }
  return there;
}

async function isFile(at: string): Promise<boolean> {
  const [stat] = await orNothing(lstat(at).then((found) => [found]));
  return stat?.isFile() ?? false;
}

/** The lines at `places` of the file at `path`; none if it may not be read, or is not there any more. */
export function linesAt(host: Host, path: string, places: readonly Place[]): Promise<readonly string[]> {
  const read = async (at: string): Promise<readonly string[]> => {
    const { file } = await openFile(at, "read");
    try {
      const lines: string[] = [];
      for (const place of places) lines.push(await lineAt(file, place));
      return lines;
    } finally {
      await file.close();
    }
  };
  return orNothing(withEntry(host, path, FILE, read));
}

/** What is refused, or gone, is nothing. */
async function orNothing<T>(looking: Promise<readonly T[]>): Promise<readonly T[]> {
  try {
    return await looking;
  } catch (error) {
    if (error instanceof Refusal || /^E[A-Z]/.test(codeOf(error) ?? "")) return [];
    throw error;
  }
}

/** Of a long line the part where the text was found. */
async function lineAt(file: FileHandle, { column, offset }: Place): Promise<string> {
  const skipped = column - 1 > MAX_LENGTH - LEAD ? column - 1 - LEAD : 0;
  const { buffer, bytesRead } = await file.read(Buffer.alloc(READ_BYTES), 0, READ_BYTES, offset + skipped);
  const bytes = buffer.subarray(0, bytesRead);
  let start = 0;
  while (skipped > 0 && isInsideCharacter(bytes[start])) start++;
  const newline = bytes.indexOf(NEWLINE, start);
  const characters = Array.from(bytes.toString("utf8", start, newline < 0 ? bytesRead : newline));
  const shown = printableLine(characters.slice(0, MAX_LENGTH).join(""));
  return `${skipped > 0 ? "..." : ""}${shown}${characters.length > MAX_LENGTH ? "..." : ""}`;
}

// The lines that a search found, read as every file is read: whatever the search was led to, only what may be read is shown.

import type { FileHandle } from "node:fs/promises";
import type { Host } from "../../../src/domain/authoring/module.ts";
import { openFile, withEntry, type Errand } from "../confine/confine.ts";
import { codeOf, Refusal } from "../refusal.ts";
import { isInsideCharacter, NEWLINE, printableLine } from "../text.ts";
import type { Place } from "./search.ts";

const FILE: Errand = { access: "read", lastLink: "keep", missingFolders: "refuse" };
const MAX_LENGTH = 500;
/** Before the text that was found, where a line is long. */
const LEAD = 100;
/** A character takes four at most. */
const READ_BYTES = 4 * (MAX_LENGTH + 1);

/** The lines at `places` of the file at `path`; none if it may not be read, or is not there any more. */
export async function linesAt(
  host: Host,
  path: string,
  places: readonly Place[],
): Promise<readonly string[]> {
  try {
    return await withEntry(host, path, FILE, async (at) => {
      const { file } = await openFile(at, "read");
      try {
        const lines: string[] = [];
        for (const place of places) lines.push(await lineAt(file, place));
        return lines;
      } finally {
        await file.close();
      }
    });
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

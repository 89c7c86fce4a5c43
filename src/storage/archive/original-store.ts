// What an agent of the original AI Legion left on disk: `memory`, and beside it in the agent's folder of its store `goals`
// and `notes/<title>`; or `memory.json`, `goals.json` and `notes/<title>.txt`. The folder may be anybody's.

import { isUtf8 } from "node:buffer";
import { lstat, readFile, readdir, stat } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import { readJson } from "../../base/text/json.ts";
import { kindOf, readReal } from "../../base/files/real-file.ts";
import type { Remains, Strange } from "./legacy.ts";

/** As long as a note may be here. */
const MAX_NOTE_BYTES = 1_048_576;
const MAX_TITLE_CHARS = 500;
/** The memory is one JSON value, and everything is read as a whole. */
const MAX_BYTES = 256 * 1_048_576;

/** The memory in an agent's folder of the store; any other path as it is. */
export async function memoryAt(path: string): Promise<string> {
  for (const name of ["memory", "memory.json"]) {
    const kind = await kindOf(join(path, name)).catch(() => undefined);
    if (kind === "file") return join(path, name);
  }
  return path;
}

/**
 * Reads a memory, and goals and notes beside it if it is in a store. `undefined` if it is not JSON or too long; rejects as
 * the file system does.
 */
export async function readRemains(path: string): Promise<Remains | undefined> {
  const { size } = await stat(path);
  if (size > MAX_BYTES) return undefined;
  const memory = parse(await readFile(path));
  if (memory === undefined) return undefined;
  const extension = extname(path);
  if (basename(path, extension).toLowerCase() !== "memory") return { memory };
  const folder = dirname(path);
  const goals = await readGoals(join(folder, `goals${extension}`));
  const { notes, strange } = await readNotes(join(folder, "notes"), extension === "" ? "" : ".txt");
  return { memory, notes, strange, ...(goals !== undefined && { goals }) };
}

/** Whatever is there in place of a list stands for one, to be named as not understood. */
async function readGoals(path: string): Promise<unknown> {
  const kind = await kindOf(path).catch(() => undefined);
  if (kind === undefined) return undefined;
  const bytes = kind === "file" ? await readReal(path, MAX_NOTE_BYTES) : Buffer.alloc(0);
  return parse(bytes) ?? bytes.toString("utf8");
}

async function readNotes(
  folder: string,
  extension: string,
): Promise<Required<Pick<Remains, "notes" | "strange">>> {
  const notes = new Map<string, string>();
  const strange: Strange[] = [];
  let left = MAX_BYTES;
  for (const name of await oldestFirst(folder)) {
    const title = titleOf(name, extension);
    const text = title === undefined || notes.has(title) ? undefined : await readNote(join(folder, name));
    left -= text?.length ?? 0;
    if (title === undefined || text === undefined || left < 0)
      strange.push({ kind: "of its notes", entry: name });
    else notes.set(title, text);
  }
  return { notes, strange };
}

/** Names in a folder; empty for a link, and for what is no folder. */
async function oldestFirst(folder: string): Promise<readonly string[]> {
  if ((await kindOf(folder).catch(() => undefined)) !== "folder") return [];
  const found: { readonly name: string; readonly changed: number }[] = [];
  for (const name of await readdir(folder))
    found.push({ name, changed: (await lstat(join(folder, name))).mtimeMs });
  return found.sort((a, b) => a.changed - b.changed).map(({ name }) => name);
}

/** `undefined` for what is no file, no text or too long. */
async function readNote(path: string): Promise<string | undefined> {
  if ((await kindOf(path)) !== "file") return undefined;
  const bytes = await readReal(path, MAX_NOTE_BYTES + 1);
  return bytes.length > MAX_NOTE_BYTES || !isUtf8(bytes) ? undefined : bytes.toString("utf8");
}

/** The characters that the original encodes in a file name. */
const CODES = /%(?:5c|2f|3a|2a|3f|22|3c|3e|7c)/gi;

/** `undefined` for what is no title here. */
function titleOf(name: string, extension: string): string | undefined {
  if (!name.endsWith(extension)) return undefined;
  const title = name
    .slice(0, name.length - extension.length)
    .replace(CODES, decodeURIComponent)
    .trim();
  return title === "" || title.length > MAX_TITLE_CHARS || /[\p{Cc}\p{Cs}\uFFFD]/u.test(title)
    ? undefined
    : title;
}

function parse(bytes: Buffer): unknown {
  return readJson(bytes.toString("utf8").replace(/^\uFEFF/, ""));
}

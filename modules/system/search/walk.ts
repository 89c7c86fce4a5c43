// The search without ripgrep, in a thread of its own: it says of the same files and lines what ripgrep says.

import { closeSync, constants, fstatSync, openSync, opendirSync, readSync, type Dirent } from "node:fs";
import { join } from "node:path";
import { fitting } from "./glob.ts";
import { NO_CHARACTER } from "./pattern.ts";
import { ignoredBy, MAX_BYTES, readRules, type Rules } from "./rules.ts";
import { MACHINERY, MAX_FILE_BYTES, MAX_IN_FILE, type Looking, type Place, type Search } from "./search.ts";

const NEWLINE = 10;
const RETURN = 13;

/** Says of each file that fits, as it comes upon it. Never follows a link. */
export function walk(search: Search, tell: Looking["tell"]): void {
  const { folder, file, rules, pattern } = search;
  const expression = pattern && new RegExp(pattern.source, pattern.flags);
  const isMeant = fitting(search.globs);
  const visit = (path: string): void => {
    if (!isMeant(path)) return;
    const places = expression ? placesIn(join(search.root, path), expression) : [];
    if (!expression || places.length > 0) tell(path, places);
  };
  if (file !== undefined) return visit([...folder, file].join("/"));
  const open = [{ names: folder, above: [{ folder: [], lines: rules } as Rules] }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { names, above } = next;
    const own = rulesOf(join(search.root, ...names), names);
    const all = own.lines.length > 0 ? [...above, own] : above;
    const isIgnored = ignoredBy(all, names);
    for (const entry of entriesOf(join(search.root, ...names))) {
      const inside = [...names, entry.name];
      if (MACHINERY.includes(entry.name)) continue;
      if (entry.isDirectory()) {
        if (!isIgnored(entry.name, "folder")) open.push({ names: inside, above: all });
      } else if (entry.isFile() && !isIgnored(entry.name, "file")) visit(inside.join("/"));
    }
  }
}

function rulesOf(at: string, folder: readonly string[]): Rules {
  return { folder, lines: readRules(contentOf(join(at, ".gitignore"), MAX_BYTES)?.toString("utf8") ?? "") };
}

/** What cannot be opened holds nothing. */
function* entriesOf(at: string): Generator<Dirent> {
  let folder;
  try {
    folder = opendirSync(at, { bufferSize: 1_024 });
  } catch {
    return;
  }
  try {
    for (let entry = folder.readSync(); entry; entry = folder.readSync()) yield entry;
  } finally {
    folder.closeSync();
  }
}

/** `undefined`: it is no regular file, longer than `most`, or cannot be read. */
function contentOf(path: string, most: number): Buffer | undefined {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  let file;
  try {
    file = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    const stat = fstatSync(file);
    if (!stat.isFile() || stat.size > most) return undefined;
    const content = Buffer.allocUnsafe(stat.size);
    let length = 0;
    for (let read = -1; length < stat.size && read !== 0; length += read)
      read = readSync(file, content, length, stat.size - length, null);
    return content.subarray(0, length);
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** None in what is no text. */
function placesIn(path: string, expression: RegExp): readonly Place[] {
  const content = contentOf(path, MAX_FILE_BYTES);
  if (!content || content.includes(0)) return [];
  const places: Place[] = [];
  for (let offset = 0, line = 1; offset < content.length && places.length < MAX_IN_FILE; line++) {
    const newline = content.indexOf(NEWLINE, offset);
    const next = newline < 0 ? content.length : newline + 1;
    let end = newline < 0 ? content.length : newline;
    if (end > offset && content[end - 1] === RETURN) end--;
    const text = decode(content.subarray(offset, end));
    const found = expression.exec(text);
    if (found) places.push({ line, column: bytesIn(text.slice(0, found.index)) + 1, offset });
    offset = next;
  }
  return places;
}

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function decode(line: Buffer): string {
  const text = line.toString("utf8");
  if (!text.includes("\ufffd")) return text;
  try {
    return strict.decode(line);
  } catch {
    return text.replaceAll("\ufffd", NO_CHARACTER);
  }
}

/** What is no character is taken for one byte. */
function bytesIn(text: string): number {
  const parts = text.split(NO_CHARACTER);
  return Buffer.byteLength(parts.join("")) + parts.length - 1;
}

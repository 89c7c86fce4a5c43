// What was entered at consoles, over sessions: the file `history` in the person's own folder, one JSON text a line, the
// newest last. Consoles that run at the same time each add their own lines to its end.

import { messageOf } from "../../../base/errors.ts";
import { NO_SECRETS } from "../../../base/redaction/redactor.ts";
import { readJson } from "../../../base/text/json.ts";
import type { PersonFolder } from "../../../storage/folder/person/folder.ts";

export interface ConsoleHistory {
  /** What was entered before this session, the newest last. */
  readonly entries: readonly string[];
  /** Adds to it, behind what was added before. A history that cannot be kept is none: `onTrouble` is told once. */
  add(entry: string): Promise<void>;
  /** Resolves when all that was added is kept, or could not be. */
  settled(): Promise<void>;
}

const FILE = "history";
const MAX_ENTRIES = 1_000;
/** A longer entry had better be pasted again. */
const MAX_LENGTH = 4_000;
/** Past this the oldest entries are left out. */
const MAX_CHARS = 200_000;

export async function openHistory(
  folder: PersonFolder,
  onTrouble: (text: string) => void,
  redactor = NO_SECRETS,
): Promise<ConsoleHistory> {
  let isLost = false;
  const lose = (error: unknown): readonly string[] => {
    if (!isLost) onTrouble(`What is entered here is not kept: ${messageOf(error)}`);
    isLost = true;
    return [];
  };
  const entries = await readEntries(folder).catch(lose);
  let newest = entries.at(-1);
  let added = 0;
  let last = Promise.resolve<unknown>(undefined);
  const append = async (line: string): Promise<void> => {
    await folder.append(FILE, line);
    added += line.length;
    if (added <= MAX_CHARS) return;
    added = 0;
    await readEntries(folder);
  };
  const settled = async (): Promise<void> => void (await last);
  return {
    entries,
    async add(entered) {
      const entry = redactor.text(entered);
      if (isLost || entry === newest || entry.length > MAX_LENGTH) return;
      newest = entry;
      last = last.then(() => append(`${JSON.stringify(entry)}\n`)).catch(lose);
      await settled();
    },
    settled,
  };
}

async function readEntries(folder: PersonFolder): Promise<readonly string[]> {
  const text = (await folder.read(FILE)) ?? "";
  const lines = text.split("\n").filter((line) => line !== "");
  const kept = lines.slice(-MAX_ENTRIES);
  if (text.length > MAX_CHARS || lines.length > 2 * MAX_ENTRIES) await shorten(folder, text, kept);
  // Another line is somebody else's.
  return kept.map(readJson).filter((entry) => typeof entry === "string");
}

/** Leaves out the oldest entries; what another console has added since `text` was read stays. */
async function shorten(folder: PersonFolder, text: string, lines: readonly string[]): Promise<void> {
  let left = MAX_CHARS / 2;
  const first = lines.findLastIndex((line) => (left -= line.length + 1) < 0) + 1;
  const now = (await folder.read(FILE)) ?? "";
  const added = now.startsWith(text) ? now.slice(text.length) : "";
  if (now === text || added !== "") await folder.write(FILE, `${lines.slice(first).join("\n")}\n${added}`);
}

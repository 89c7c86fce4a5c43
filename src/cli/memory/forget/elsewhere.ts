// Where else in the homes of a project texts of a memory stand: in the logs of agents that said or were shown them, in their
// notes, in other memories. Nothing is taken away there.

import { join } from "node:path";
import { isLegionError } from "../../../base/errors.ts";
import { createDisk, type Disk } from "../../../base/files/disk.ts";
import { shownPath } from "../../../base/files/project-file.ts";
import { MIN_SECRET } from "../../../base/redaction/forms.ts";
import { createSearch } from "../../../base/redaction/search.ts";
import type { MemoryId } from "../../../domain/memory/memory-id.ts";
import { memoryPaths } from "../../../storage/folder/memory-paths.ts";
import { legionPaths } from "../../../storage/folder/paths.ts";

/** A folder that goes as one. */
export interface Elsewhere {
  /** In the project. */
  readonly folder: string;
  /** Whose; absent: no agent's. */
  readonly agent?: string;
  /** Of which run; absent: of the project's own legion. */
  readonly run?: string;
  /** Which memory; absent: it is none. */
  readonly memory?: MemoryId;
  /** How many files of it hold one of the texts. */
  readonly files: number;
}

/** What is no text of anybody, or belongs to an agent's work, which is the person's to know. */
const SKIPPED = ["cache", "homes", "lock", "runs", "tmp", "workspaces"];
/** A longer file is not looked through. */
const MAX_BYTES = 256 * 1_048_576;
/** A shorter text stands everywhere: it counts where it is all that is said. */
const LEAST = 12;

/** The folders that hold one of `texts`, but for the memory `id` itself. @param onFolder told of each that is looked through */
export async function findElsewhere(
  project: string,
  id: MemoryId,
  texts: readonly string[],
  onFolder: (folder: string) => void,
): Promise<readonly Elsewhere[]> {
  const forms = new Set(texts.filter((text) => text.trim() !== "").flatMap(formsOf));
  const found: Elsewhere[] = [];
  if (forms.size === 0) return found;
  const holds = createLook(forms);
  const { root, tmp } = legionPaths(project);
  const disk = createDisk(tmp);
  const own = memoryPaths(project, id).root;
  for (const place of await placesIn(root, disk)) {
    if (place.path === own) continue;
    const { path, ...about } = place;
    const folder = shownPath(project, path);
    onFolder(folder);
    const files = await countIn(path, disk, holds);
    if (files > 0) found.push({ folder, ...about, files });
  }
  return found;
}

type TextSearch = (text: string) => boolean;

function createLook(forms: ReadonlySet<string>): TextSearch {
  const short = [...forms].filter(({ length }) => length < MIN_SECRET);
  const long = [...forms].filter(({ length }) => length >= MIN_SECRET);
  const search = createSearch(long.map((text) => ({ text, name: "" })));
  return (text) => search(text).length > 0 || short.some((form) => text.includes(form));
}

/** As it is, in a line of JSON, and as part of a text in such a line. */
function formsOf(text: string): readonly string[] {
  const json = JSON.stringify(text);
  const [once, twice] = [json.slice(1, -1), JSON.stringify(json).slice(1, -1)];
  if (text.length < LEAST) return [json, twice];
  return [text, once, twice.slice(2, -2)];
}

interface TextPlace {
  readonly path: string;
  readonly agent?: string;
  readonly run?: string;
  readonly memory?: MemoryId;
}

/** All that lies in the homes of the project, agent by agent, memory by memory. */
async function placesIn(root: string, disk: Disk): Promise<readonly TextPlace[]> {
  const places = [...(await placesOfHome(root, disk))];
  const runs = join(root, "runs");
  for (const run of await foldersIn(runs, disk))
    places.push(...(await placesOfHome(join(runs, run), disk)).map((place) => ({ ...place, run })));
  return places;
}

async function placesOfHome(home: string, disk: Disk): Promise<readonly TextPlace[]> {
  const places: TextPlace[] = [];
  for (const name of await disk.list(home)) {
    const path = join(home, name);
    if (SKIPPED.includes(name)) continue;
    if (name === "agents")
      for (const agent of await foldersIn(path, disk)) places.push({ path: join(path, agent), agent });
    else if (name === "memory")
      for (const vault of await foldersIn(path, disk))
        for (const memory of await foldersIn(join(path, vault), disk))
          places.push({ path: join(path, vault, memory), memory: `${vault}/${memory}` });
    else places.push({ path });
  }
  return places;
}

async function foldersIn(path: string, disk: Disk): Promise<readonly string[]> {
  const found: string[] = [];
  for (const name of await disk.list(path).catch(() => []))
    if ((await disk.kind(join(path, name))) === "folder") found.push(name);
  return found;
}

/** No link is followed. */
async function countIn(path: string, disk: Disk, holds: TextSearch): Promise<number> {
  const kind = await disk.kind(path);
  if (kind === "file") return (await isHolding(path, disk, holds)) ? 1 : 0;
  if (kind !== "folder") return 0;
  let files = 0;
  for (const name of await disk.list(path).catch(() => []))
    files += await countIn(join(path, name), disk, holds);
  return files;
}

async function isHolding(path: string, disk: Disk, holds: TextSearch): Promise<boolean> {
  try {
    if (((await disk.size(path)) ?? 0) > MAX_BYTES) return false;
    const bytes = await disk.read(path);
    return bytes !== undefined && holds(bytes.toString("utf8"));
  } catch (error) {
    // It goes meanwhile, or cannot be read by anybody here.
    if (!isLegionError(error, "STORAGE")) throw error;
    return false;
  }
}

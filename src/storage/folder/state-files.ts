// Readable copies of module state on disk. The log is the truth; the files follow it, and where a person changed one
// while the agent was not running, the file wins.

import { createHash } from "node:crypto";
import { basename, dirname, join } from "node:path";
import { readJson } from "../../base/text/json.ts";
import type { EditedEvent, StateChange } from "../../domain/event/event.ts";
import type { NoticeEvent } from "../../domain/event/notice.ts";
import { fileNameOf, foldName, markedNameOf, titleOf } from "./file-name.ts";
import type { Disk } from "../../base/files/disk.ts";
import type { Projector } from "../../past/shown/state.ts";
import type { Module } from "../../domain/authoring/module.ts";
import { earlierStates, keysOf, valueOf, type ModuleState } from "../../past/state.ts";

export interface ProjectionPlace {
  readonly disk: Disk;
  /** The agent's folder. */
  readonly folder: string;
  /** Where a file that cannot be read is set aside. */
  readonly corruptFolder: string;
}

export function createProjections(modules: readonly Module[], place: ProjectionPlace): Projector {
  const { disk, folder } = place;
  const shown = filesOf(modules);
  /** Files under a name of a person's own, to be removed when what they say is where it belongs. */
  const strays = new Map<string, EditedEvent>();
  return {
    async write(changes, state) {
      for (const [module, keys] of byModule(changes)) {
        const files = shown.get(module);
        if (!files) continue;
        const contents = files.contents(state);
        for (const path of files.touched(keys, state)) await put(place, path, contents.get(path));
        for (const [path, edit] of strays) {
          if (edit.module !== module || !keys.includes(edit.key)) continue;
          if (!contents.has(path)) await put(place, path, undefined);
          strays.delete(path);
        }
      }
    },
    async reconcile(state) {
      const events: (EditedEvent | NoticeEvent)[] = [];
      for (const files of shown.values()) {
        const inTheWay = files.subfolder && (await obstacle(place, files.subfolder, "folder"));
        if (inTheWay) {
          events.push(inTheWay);
          continue;
        }
        const wanted = files.contents(state);
        const before = earlierStates(state).map((earlier) => files.contents(earlier));
        const stale = before.flatMap((contents) => [...contents.keys()]);
        for (const path of new Set([...wanted.keys(), ...stale, ...(await files.present(place))])) {
          const notice = await obstacle(place, path, "file");
          if (notice) {
            events.push(notice);
            continue;
          }
          const bytes = await disk.read(join(folder, path));
          const found = bytes?.toString("utf8");
          const isNew = before.some((contents) => contents.get(path) !== wanted.get(path));
          if (found === wanted.get(path)) {
            if (isNew) await settle(place, path);
            continue;
          }
          const isLate = before.some((contents) => contents.get(path) === found);
          const edits = isLate ? [] : files.edits(path, found, state);
          if (edits === "unreadable") events.push(await setAside(place, path, bytes!));
          else events.push(...edits);
          if (edits === "unreadable" || edits.length === 0) await put(place, path, wanted.get(path));
          else if (!wanted.has(path)) strays.set(path, edits[0]!);
        }
      }
      return events;
    },
  };
}

/** How the state of each module lies in files, by the module's name. */
export function filesOf(modules: readonly Module[]): ReadonlyMap<string, Files> {
  const shown = new Map<string, Files>();
  for (const { name, projection } of modules) {
    if (projection?.kind === "file") shown.set(name, singleFile(name, projection.name));
    if (projection?.kind === "folder") shown.set(name, fileFolder(name, projection));
  }
  return shown;
}

/** What the files of `modules` hold in this state, by path in the agent's folder. */
export function contentsOf(modules: readonly Module[], state: ModuleState): ReadonlyMap<string, string> {
  return new Map([...filesOf(modules).values()].flatMap((files) => [...files.contents(state)]));
}

export async function put(
  { disk, folder }: Pick<ProjectionPlace, "disk" | "folder">,
  path: string,
  content: string | undefined,
): Promise<void> {
  if (content === undefined) await disk.remove(join(folder, path));
  else await disk.replace(join(folder, path), content);
}

/** Whoever wrote the file, or removed it, may have ended before that was flushed. */
async function settle({ disk, folder }: ProjectionPlace, path: string): Promise<void> {
  for (const flushed of [join(folder, path), dirname(join(folder, path))])
    if (disk.exists(flushed)) await disk.sync(flushed);
}

async function setAside(place: ProjectionPlace, path: string, bytes: Buffer): Promise<NoticeEvent> {
  const hash = createHash("sha256").update(bytes).digest("hex").slice(0, 8);
  const name = `${basename(place.folder)}-${hash}-${path}`;
  await place.disk.replace(join(place.corruptFolder, name), bytes);
  const content = `${path} could not be read and was put back as it was. Its content is in .ai-legion/corrupt/${name}.`;
  return { kind: "notice", reason: "gap", content };
}

/** Tells of what is there in place of the file or folder. It is left alone: nobody knows what it is for. */
async function obstacle(
  { disk, folder }: ProjectionPlace,
  path: string,
  expected: "file" | "folder",
): Promise<NoticeEvent | undefined> {
  const kind = await disk.kind(join(folder, path));
  if (kind === undefined || kind === expected) return undefined;
  const content = `${path} in your folder is not a ${expected}, so it does not show your state; a person has to move it away.`;
  return { kind: "notice", reason: "gap", content };
}

/** How one module's state lies in files. Paths are relative to the agent's folder. */
export interface Files {
  /** Where they lie, if not beside the others. */
  readonly subfolder?: string;
  /** What should be there, by path. */
  contents(state: ModuleState): ReadonlyMap<string, string>;
  /** Every path that a change of `keys` may concern; `state` is the one after it. */
  touched(keys: readonly string[], state: ModuleState): Iterable<string>;
  /** Every path that may be there, whoever put it there. */
  present(place: Pick<ProjectionPlace, "disk" | "folder">): Promise<readonly string[]>;
  /** What a person meant who left `found`, or nothing, at `path`. */
  edits(path: string, found: string | undefined, state: ModuleState): readonly EditedEvent[] | "unreadable";
}

function singleFile(module: string, path: string): Files {
  return {
    contents(state) {
      // Sorted: what stood before the newest commit is told by its value, whatever key changed last.
      const keys = [...keysOf(state, module)].sort();
      if (keys.length === 0) return new Map();
      const values = Object.fromEntries(keys.map((key) => [key, valueOf(state, module, key)]));
      return new Map([[path, `${JSON.stringify(values, null, 2)}\n`]]);
    },
    touched: () => [path],
    present: () => Promise.resolve([path]),
    edits(_, found, state) {
      const values = found === undefined ? {} : readObject(found);
      if (!values) return "unreadable";
      const keys = new Set([...keysOf(state, module), ...Object.keys(values)]);
      return [...keys]
        .filter((key) => JSON.stringify(values[key]) !== JSON.stringify(valueOf(state, module, key)))
        .map((key) => edited(module, key, values[key]));
    },
  };
}

interface FolderProjection {
  readonly name: string;
  readonly extension: string;
}

function fileFolder(module: string, { name: subfolder, extension }: FolderProjection): Files {
  const pathTo = (name: string): string => join(subfolder, `${name}${extension}`);
  /** Keys that would share a file, by the name that they would share. */
  const groups = (keys: Iterable<string>): ReadonlyMap<string, ReadonlySet<string>> => {
    const byName = new Map<string, Set<string>>();
    for (const key of keys) {
      const name = foldName(fileNameOf(key));
      byName.set(name, (byName.get(name) ?? new Set()).add(key));
    }
    return byName;
  };
  const placed = (state: ModuleState): ReadonlyMap<string, string> => {
    const keys = new Map<string, string>();
    for (const group of groups(keysOf(state, module)).values())
      for (const key of group) keys.set(pathTo(group.size > 1 ? markedNameOf(key) : fileNameOf(key)), key);
    return keys;
  };
  const textOf = (key: string, state: ModuleState): string | undefined => {
    const value = valueOf(state, module, key);
    // As it is read back: half of a pair of surrogates cannot be written.
    if (typeof value === "string") return Buffer.from(value).toString("utf8");
    return value === undefined ? undefined : JSON.stringify(value);
  };
  return {
    subfolder,
    contents: (state) => new Map([...placed(state)].map(([path, key]) => [path, textOf(key, state)!])),
    touched(keys, state) {
      const paths = new Set<string>();
      const all = groups([...keysOf(state, module), ...keys]);
      for (const name of groups(keys).keys())
        for (const key of all.get(name)!) paths.add(pathTo(fileNameOf(key))).add(pathTo(markedNameOf(key)));
      return paths;
    },
    async present({ disk, folder }) {
      const names = await disk.list(join(folder, subfolder));
      // No title's file begins with a dot; those of editors and of other systems do.
      return names
        .filter((name) => name.endsWith(extension) && !name.startsWith("."))
        .map((name) => join(subfolder, name));
    },
    edits(path, found, state) {
      const name = path.slice(subfolder.length + 1, -extension.length);
      const key = placed(state).get(path) ?? titleOf(name);
      return found === textOf(key, state) ? [] : [edited(module, key, found)];
    },
  };
}

function edited(module: string, key: string, value: unknown): EditedEvent {
  return { kind: "edited", module, key, value: value ?? null };
}

export function byModule(changes: readonly StateChange[]): Map<string, string[]> {
  const keys = new Map<string, string[]>();
  for (const [module, key] of changes) keys.set(module, [...(keys.get(module) ?? []), key]);
  return keys;
}

function readObject(text: string): Record<string, unknown> | undefined {
  const value = readJson(text);
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;
}

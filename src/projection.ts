// Readable copies of module state on disk. The log is the truth; the files follow it, and where a person changed one
// while the agent was not running, the file wins.

import { createHash } from "node:crypto";
import { join } from "node:path";
import type { EditedEvent, StateChange } from "./event.ts";
import type { Disk } from "./log/disk.ts";
import type { Projector } from "./memory.ts";
import type { Module } from "./module.ts";
import { keysOf, valueOf, type ModuleState } from "./state.ts";

const MAX_NAME_BYTES = 200;

export interface Projections extends Projector {
  /**
   * Brings the files up to the state after a start: a file that shows what stood before the newest commit is completed;
   * any other difference is a person's edit, which is returned to be committed.
   */
  reconcile(state: ModuleState): Promise<readonly EditedEvent[]>;
}

/** The files of one agent, under `folder`. */
export function createProjections(modules: readonly Module[], folder: string, disk: Disk): Projections {
  const files = new Map<string, Files>();
  for (const module of modules) {
    if (module.projection?.kind === "file") files.set(module.name, singleFile(module.name, module.projection.name));
    if (module.projection?.kind === "folder") files.set(module.name, fileFolder(module.name, module.projection));
  }
  const put = async (path: string, content: string | undefined): Promise<void> => {
    const at = join(folder, path);
    if (content === undefined) await disk.remove(at);
    else await disk.replace(at, content);
  };
  return {
    async write(changes, state) {
      for (const [module, keys] of byModule(changes)) {
        for (const path of files.get(module)?.paths(state, keys) ?? []) {
          await put(path, files.get(module)!.content(path, state));
        }
      }
    },
    async reconcile(state) {
      const edits: EditedEvent[] = [];
      const before = beforeLastCommit(state);
      for (const shown of files.values()) {
        const known = shown.paths(state, undefined).concat(shown.paths(before, undefined));
        const present = (await disk.list(join(folder, shown.folder))).filter(shown.owns).map((name) => join(shown.folder, name));
        for (const path of new Set([...known, ...present])) {
          const found = (await disk.read(join(folder, path)))?.toString("utf8");
          const wanted = shown.content(path, state);
          if (found === wanted) continue;
          if (found === shown.content(path, before)) await put(path, wanted);
          else edits.push(...shown.edits(path, found, state));
        }
      }
      return edits;
    },
  };
}

/** How one module's state lies in files. Paths are relative to the agent's folder. */
interface Files {
  readonly folder: string;
  /** Is this name in the folder one of these files? */
  readonly owns: (name: string) => boolean;
  /** The files that show `keys`, or all of them. */
  paths(state: ModuleState, keys: readonly string[] | undefined): string[];
  /** `undefined`: the file should not be there. */
  content(path: string, state: ModuleState): string | undefined;
  /** What a person meant who left `found` there. */
  edits(path: string, found: string | undefined, state: ModuleState): EditedEvent[];
}

function singleFile(module: string, path: string): Files {
  const content = (state: ModuleState): string | undefined => {
    const keys = keysOf(state, module);
    if (keys.length === 0) return undefined;
    const values = Object.fromEntries(keys.map((key) => [key, valueOf(state, module, key)]));
    return `${JSON.stringify(values, null, 2)}\n`;
  };
  return {
    folder: "",
    owns: (name) => name === path,
    paths: () => [path],
    content: (_, state) => content(state),
    edits(_, found, state) {
      const values = found === undefined ? {} : readObject(found);
      if (!values) return [];
      const keys = new Set([...keysOf(state, module), ...Object.keys(values)]);
      return [...keys]
        .filter((key) => JSON.stringify(values[key]) !== JSON.stringify(valueOf(state, module, key)))
        .map((key) => edited(module, key, values[key]));
    },
  };
}

function fileFolder(module: string, { name: folder, extension }: { name: string; extension: string }): Files {
  const path = (name: string): string => join(folder, `${name}${extension}`);
  /** Keys whose names differ only in case would share a file on many disks. */
  const clashing = (key: string, state: ModuleState): readonly string[] =>
    keysOf(state, module).filter((other) => fold(fileNameOf(other)) === fold(fileNameOf(key)));
  const pathOf = (key: string, state: ModuleState): string =>
    path(clashing(key, state).length > 1 ? marked(key) : fileNameOf(key));
  const keyOf = (path: string, state: ModuleState): string | undefined =>
    keysOf(state, module).find((key) => pathOf(key, state) === path);
  return {
    folder,
    owns: (name) => name.endsWith(extension),
    paths(state, keys) {
      if (!keys) return keysOf(state, module).map((key) => pathOf(key, state));
      const touched = new Set(keys.flatMap((key) => [key, ...clashing(key, state)]));
      return [...touched].flatMap((key) => [path(marked(key)), path(fileNameOf(key))]);
    },
    content(path, state) {
      const key = keyOf(path, state);
      return key === undefined ? undefined : String(valueOf(state, module, key));
    },
    edits(path, found, state) {
      const name = path.slice(folder.length + 1, -extension.length);
      return [edited(module, keyOf(path, state) ?? decodeFileName(name), found)];
    },
  };
}

function edited(module: string, key: string, value: unknown): EditedEvent {
  return { kind: "edited", module, key, value: value ?? null };
}

/** The state as it was before the newest commit that changed it. */
function beforeLastCommit(state: ModuleState): ModuleState {
  const modules = new Map([...state.modules].map(([name, values]) => [name, new Map(values)]));
  for (const { module, key, value } of state.before) {
    if (value === undefined) modules.get(module)?.delete(key);
    else modules.get(module)?.set(key, value);
  }
  return { modules, before: [] };
}

function byModule(changes: readonly StateChange[]): Map<string, string[]> {
  const keys = new Map<string, string[]>();
  for (const [module, key] of changes) keys.set(module, [...(keys.get(module) ?? []), key]);
  return keys;
}

function readObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

/** A file name for any title: percent-encoded where a file system needs it, cut at 200 bytes plus a hash. */
export function fileNameOf(title: string): string {
  const encoded = [...title].map((char) => (UNSAFE.test(char) ? percent(char) : char)).join("");
  const dots = encoded.replace(/^\.+|\.+$/g, (run) => run.replaceAll(".", "%2E"));
  const spaces = dots.replace(/ $/, "%20");
  const reserved = DEVICE_NAME.test(spaces) ? `%${spaces.charCodeAt(0).toString(16)}${spaces.slice(1)}` : spaces;
  return Buffer.byteLength(reserved) <= MAX_NAME_BYTES ? reserved : cut(reserved, title);
}

const UNSAFE = /[\\/:*?"<>|%\p{Cc}\p{Cs}]/u;
const DEVICE_NAME = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

function percent(char: string): string {
  return [...Buffer.from(char)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join("");
}

/** The name of a title that would otherwise share its file with another one. */
function marked(title: string): string {
  return `${fileNameOf(title)}-${hashOf(title)}`;
}

function fold(name: string): string {
  return name.normalize("NFC").toLowerCase();
}

function hashOf(title: string): string {
  return createHash("sha256").update(title).digest("hex").slice(0, 8);
}

function cut(name: string, title: string): string {
  const kept = Buffer.from(name).subarray(0, MAX_NAME_BYTES).toString("utf8").replace(/(\uFFFD|%[0-9A-F]?)$/, "");
  return `${kept}-${hashOf(title)}`;
}

/** The title that a person meant by a file of their own. */
function decodeFileName(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

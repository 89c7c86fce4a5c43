// What stood in the workspace before it was changed, so that a person can have it back: for each agent a folder in the home, with the
// bytes under their hashes and a file for each call that says what it changed.
//
//   U7. What a call is about to replace is flushed before it is replaced.
//   U8. A call that runs again keeps what stood there first, and what somebody else put there meanwhile.
//   U9. What holds a known secret is not kept, nor what is past the limits; it is named.

import { join } from "node:path";
import type { Disk } from "../../base/files/disk.ts";
import type { Redactor } from "../../base/redaction/redactor.ts";
import { readJson } from "../../base/text/json.ts";
import type { Replacement, Contents, Unkept } from "../../domain/authoring/workspace.ts";
import type { AgentId } from "../../domain/message/message.ts";
import { sha256 } from "../log/blobs.ts";
import {
  isSame,
  keptCallSchema,
  type Edit,
  type FileVersion,
  type KeptCall,
  type PathVersion,
} from "./version.ts";

export interface KeptFiles {
  /**
   * Keeps what the call `key` is about to replace in the folder `root` of the home, where the paths begin; durable when it resolves.
   * Resolves with what is not kept.
   *
   * @param command of a command what is known of its changes, which stand already; absent: of an action that says what it changes
   */
  keep(
    key: string,
    root: string,
    replaced: readonly Replacement[],
    command?: Pick<KeptCall, "isShared" | "unknown">,
  ): Promise<readonly Unkept[]>;
  /** Does it keep anything of the call? Nothing is read of it. */
  holds(key: string): Promise<boolean>;
  /** What the call changed, or was about to; `undefined` if nothing is kept of it. */
  call(key: string): Promise<KeptCall | undefined>;
  /** The bytes of a version; `undefined` if they are not there, or not what they were. */
  bytes(version: FileVersion): Promise<Uint8Array | undefined>;
}

export interface KeptPlace {
  /** The folder of an agent in the home. */
  readonly folder: (agent: AgentId) => string;
  /** The folder in which those of all agents are. */
  readonly agents: string;
  readonly disk: Pick<Disk, "read" | "replace" | "list" | "folders">;
  readonly redactor: Pick<Redactor, "marksIn">;
}

/** In bytes. */
export interface KeptLimits {
  readonly agent: number;
  readonly home: number;
}

const LIMITS: KeptLimits = { agent: 256 * 1024 * 1024, home: 1024 * 1024 * 1024 };
/** In the folder of an agent. */
const KEPT_FOLDER = "undo";
const KEPT_BYTES = /^[0-9a-f]{64}\.(\d+)$/;

/** For the agents of one home, which no other process changes meanwhile. */
export function keepFiles(place: KeptPlace, limits = LIMITS): (agent: AgentId) => KeptFiles {
  const { folder, agents, disk } = place;
  const opened = new Map<AgentId, KeptFolder>();
  const of = (agent: AgentId): KeptFolder => {
    const found = opened.get(agent) ?? keptFolder(join(folder(agent), KEPT_FOLDER), disk);
    opened.set(agent, found);
    return found;
  };
  let total: Promise<number> | undefined;
  const totalOf = async (): Promise<number> => {
    let sum = 0;
    // One after the other, and nothing is held of them: there may be very many agents.
    for (const agent of await disk.folders(agents))
      sum += bytesIn(await disk.list(join(folder(agent), KEPT_FOLDER)));
    return sum;
  };
  return (agent) => {
    const kept = of(agent);
    /** Resolves with why it is not kept, if so. */
    const keepBytes = async (before: Contents, version: PathVersion): Promise<string | undefined> => {
      if (before.kind === "other") return before.why;
      if (before.kind !== "file" || version.kind !== "file") return undefined;
      const { content } = before;
      const text = typeof content === "string" ? content : Buffer.from(content).toString("utf8");
      if (place.redactor.marksIn(text).length > 0) return "it holds a secret";
      const held = await kept.held();
      if (held.names.has(keptName(version))) return undefined;
      const all = await (total ??= totalOf());
      if (held.bytes + version.size > limits.agent || all + version.size > limits.home)
        return "no more is kept; `legion prune` makes room";
      await disk.replace(join(kept.path, keptName(version)), content);
      held.names.add(keptName(version));
      held.bytes += version.size;
      total = total.then((sum) => sum + version.size);
      return undefined;
    };
    const editOf = async ({ path, before, after }: Replacement): Promise<Edit> => {
      const edit = { path, before: versionOf(before), after: versionOf(after) };
      const unkept = await keepBytes(before, edit.before);
      return unkept === undefined ? edit : { ...edit, unkept };
    };
    return {
      ...kept,
      async keep(key, root, replaced, command) {
        const before = await kept.call(key);
        const known = before?.edits ?? [];
        const edits: Edit[] = [];
        for (const one of replaced) edits.push(await editOf(one));
        const added = edits.filter((edit) => !known.some((other) => isOfFirstRun(edit, other)));
        if (added.length > 0 || command)
          await kept.write(key, { ...before, ...command, root, edits: [...known, ...added] });
        return edits.flatMap(({ path, unkept }) => (unkept === undefined ? [] : { path, why: unkept }));
      },
    };
  };
}

/** What the first run of the call found, or left: nobody else was there in between. */
function isOfFirstRun({ path, before, after }: Edit, other: Edit): boolean {
  if (other.path !== path || !isSame(other.after, after)) return false;
  return isSame(before, other.before) || isSame(before, other.after);
}

type KeptFolder = ReturnType<typeof keptFolder>;

function keptFolder(path: string, disk: KeptPlace["disk"]) {
  let listing: Promise<{ readonly names: Set<string>; bytes: number }> | undefined;
  const list = async () => {
    const names = new Set(await disk.list(path));
    return { names, bytes: bytesIn([...names]) };
  };
  const held = () => (listing ??= list());
  return {
    path,
    held,
    holds: async (key: string): Promise<boolean> => (await held()).names.has(fileOf(key)),
    async call(key: string): Promise<KeptCall | undefined> {
      const text = (await disk.read(join(path, fileOf(key))))?.toString("utf8");
      return text === undefined ? undefined : keptCallSchema.safeParse(readJson(text)).data;
    },
    async write(key: string, call: KeptCall): Promise<void> {
      await disk.replace(join(path, fileOf(key)), JSON.stringify(call));
      (await held()).names.add(fileOf(key));
    },
    async bytes(version: FileVersion): Promise<Uint8Array | undefined> {
      const bytes = await disk.read(join(path, keptName(version)));
      return bytes && sha256(bytes) === version.hash ? bytes : undefined;
    },
  };
}

/** Of all versions among those names. */
function bytesIn(names: readonly string[]): number {
  return names.reduce((sum, name) => sum + Number(KEPT_BYTES.exec(name)?.[1] ?? 0), 0);
}

function fileOf(key: string): string {
  return `${sha256(key)}.json`;
}

/** Where the bytes of a version are, if they are kept: in the folder of the agent. */
export function keptPath(folder: string, version: FileVersion): string {
  return join(folder, KEPT_FOLDER, keptName(version));
}

/** The file with its bytes. */
export function keptName({ hash, size }: FileVersion): string {
  return `${hash}.${size}`;
}

export function versionOf(contents: Contents): PathVersion {
  if (contents.kind !== "file") return contents;
  const { content, mode } = contents;
  const size = Buffer.byteLength(content);
  return { kind: "file", hash: sha256(content), size, ...(mode !== undefined && { mode }) };
}

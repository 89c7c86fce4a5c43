import { join } from "node:path";
import { parseMemoryId, type MemoryId } from "../../domain/memory/memory-id.ts";
import { legionPaths } from "./paths.ts";

/** Where a long-term memory is: a home of its own, in that of the project's legion. */
export interface MemoryPaths {
  readonly root: string;
  readonly lock: string;
  readonly log: string;
  /** The words of its records. */
  readonly texts: string;
  readonly tmp: string;
  /** What the names of damaged lines begin with that are set aside. */
  readonly corrupt: string;
  /** The current context, for people to read, and to edit while nobody writes. */
  readonly context: string;
  /** How it stood when it was closed; whoever opens it next goes on from there. */
  readonly standing: string;
}

/** Throws USAGE for what is no name of a memory. */
export function memoryPaths(project: string, id: MemoryId): MemoryPaths {
  const { vault, memory } = parseMemoryId(id);
  const root = join(memoryFolder(project), vault, memory);
  return {
    root,
    lock: join(root, "lock"),
    log: join(root, "log"),
    texts: join(root, "texts"),
    tmp: join(root, "tmp"),
    corrupt: join(legionPaths(project).corrupt, `memory-${vault}~${memory}`),
    context: join(root, "context.md"),
    standing: join(root, "standing.json"),
  };
}

/** Where all memories of a project are, whatever run of it has to do with them. */
export function memoryFolder(project: string): string {
  return join(legionPaths(project).root, "memory");
}

/**
 * Where what is searched of a memory is indexed: a cache.
 *
 * @param legion of one that is kept elsewhere, its name; absent: the project's own
 */
export function indexFolder(project: string, id: MemoryId, legion?: string): string {
  const { vault, memory } = parseMemoryId(id);
  const cache = join(legionPaths(project).root, "cache");
  return join(cache, legion === undefined ? "memory" : `memory-of-${legion}`, vault, memory);
}

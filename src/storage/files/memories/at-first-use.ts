import { atFirstUse } from "../../contract/memory/at-first-use.ts";
import type { Memories } from "../../contract/memory/memories.ts";
import type { FileMemoriesOptions } from "./memories.ts";

/** The memories of a project in files; nothing of it is loaded before something is asked of them. */
export function fileMemories(options: FileMemoriesOptions): Memories {
  return atFirstUse(async () => (await import("./memories.ts")).createFileMemories(options));
}

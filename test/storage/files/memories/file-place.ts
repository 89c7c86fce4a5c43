import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { NO_SECRETS } from "../../../../src/base/redaction/redactor.ts";
import type { MemoryEvent, NewMemoryEvent } from "../../../../src/domain/memory/record.ts";
import type { Memories, PlanChange } from "../../../../src/storage/contract/memory/memories.ts";
import {
  createFileMemories,
  type FileMemoriesOptions,
} from "../../../../src/storage/files/memories/memories.ts";
import { memoryPaths, type MemoryPaths } from "../../../../src/storage/folder/memory-paths.ts";
import { openPersonFolder } from "../../../../src/storage/folder/person/folder.ts";
import { createTempProject } from "../../../temp-project.ts";
import { eventsOf, ID, type MemoriesPlace } from "../../contract/memory/memory-letters.ts";

export interface FilePlace extends MemoriesPlace {
  readonly project: string;
  readonly paths: MemoryPaths;
  open(more?: Partial<FileMemoriesOptions>): Promise<Memories>;
  /** Opens it, does `work`, and closes it. */
  visit<T>(work: (memories: Memories) => Promise<T>, more?: Partial<FileMemoriesOptions>): Promise<T>;
  events(): Promise<readonly MemoryEvent[]>;
  /** Changes the bytes of a file of the memory, as no program of ours does. */
  spoil(path: string, change: (bytes: Buffer) => Buffer): Promise<void>;
}

export async function filePlace(project?: string): Promise<FilePlace> {
  const folder = project ?? (await createTempProject());
  const open = async (more: Partial<FileMemoriesOptions> = {}): Promise<Memories> => {
    const person = openPersonFolder(process.env);
    const order = { project: folder, person, durability: "process", redactor: NO_SECRETS } as const;
    const memories = createFileMemories({ ...order, ...more });
    onTestFinished(() => memories.close());
    return memories;
  };
  return {
    project: folder,
    paths: memoryPaths(folder, ID),
    open,
    // What it holds in this process is lost; its lock is free, as that of a process that is gone.
    kill: (memories) => memories.close(),
    async visit(work, more) {
      const memories = await open(more);
      try {
        return await work(memories);
      } finally {
        await memories.close();
      }
    },
    events: async () => eventsOf(await open()),
    async spoil(path, change) {
      await writeFile(path, change(await readFile(path)));
    },
    async bytes() {
      const root = join(folder, ".ai-legion");
      const names = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => []);
      const files = names.filter((name) => name.isFile() && !name.parentPath.endsWith("lock"));
      const texts = files.map((name) => readFile(join(name.parentPath, name.name), "latin1"));
      return (await Promise.all(texts)).join("\n");
    },
  };
}

/** Everything in which `text` stands is to be forgotten. */
export function forgetting(text: string): PlanChange {
  return async (_, reader): Promise<readonly NewMemoryEvent[]> => {
    const found: MemoryEvent[] = [];
    for await (const event of reader.events()) if (wordsOf(event).includes(text)) found.push(event);
    const entries = found.filter(({ kind }) => kind === "entry").length;
    return [{ kind: "forgotten", seqs: found.map(({ seq }) => seq), entries, by: "0" }];
  };
}

export function wordsOf(event: MemoryEvent): string {
  if (event.kind === "entry") return event.raw;
  return event.kind === "context" ? event.content : "";
}

/** What the entries say, and after that what the shards of context do. */
export function said(events: readonly MemoryEvent[], kind: "entry" | "context" = "entry"): readonly string[] {
  return events.filter((event) => event.kind === kind).map(wordsOf);
}

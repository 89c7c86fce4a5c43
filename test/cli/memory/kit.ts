// A project with long-term memories, and what a person types about them.

import type { EntryNote } from "../../../src/domain/memory/record.ts";
import type { Delivery } from "../../../src/domain/message/message.ts";
import type { Memories } from "../../../src/storage/contract/memory/memories.ts";
import { openBackend } from "../../../src/storage/open.ts";
import { createTempProject } from "../../temp-project.ts";
import { context, entry } from "../../storage/contract/memory/memory-letters.ts";
import type { Words } from "../../mail/letter.ts";
import { legion, type Seen, type Typing } from "../legion.ts";

export const ID = "main/legion";
export const FOLDER = ".ai-legion/memory/main/legion";

/** Does something with the memories of a project as another process would. */
export async function inMemories<T>(project: string, use: (memories: Memories) => Promise<T>): Promise<T> {
  const backend = await openBackend({ project, bus: { kind: "memory" } });
  try {
    return await use(backend.memories);
  } finally {
    await backend.close();
  }
}

/** Has a memory take in what agents sent. */
export async function fill(
  project: string,
  deliveries: readonly Delivery[],
  memory: string = ID,
): Promise<void> {
  await inMemories(project, async (memories) => {
    for (const delivery of deliveries) await memories.receive(memory, delivery);
  });
}

export const said = (n: number, content: string, note: Partial<EntryNote> = {}, words: Words = {}) =>
  entry(n, { content, note: { summary: content.slice(0, 512), ...note }, ...words });

/**
 * Of a project in which three things were said and two documents made: #2 boats, #3 planes, #5 the document of these (#4 is its
 * keeper's claim), #6 trains, #7 the next document, and #8 one of somebody else's.
 */
export async function rememberingProject(files: Readonly<Record<string, string>> = {}): Promise<string> {
  const project = await createTempProject(files);
  await fill(project, [
    said(1, "Boats are built in Bergen."),
    said(2, "Planes are built in Toulouse.", {
      ...{ speaker: "2", role: "assistant", thread: "0,2", said: "2026-02-01T00:00:00.000Z" },
      tags: { topic: "planes" },
    }),
    context(1, { from: "scribe", content: "# Places\nBergen, Toulouse", upTo: 3 }),
    said(3, "Trains are built in Kassel.", { said: "2026-03-01T00:00:00.000Z" }),
    context(2, { from: "scribe", content: "# Places\nBergen, Toulouse, Kassel", upTo: 6, base: 5 }),
    context(1, { from: "other", content: "# Lies", upTo: 6 }),
  ]);
  return project;
}

export const memory = (
  cwd: string,
  argv: readonly string[] = [],
  typing: Partial<Typing> = {},
): Promise<Seen> => legion(["memory", ...argv], { cwd, ...typing });

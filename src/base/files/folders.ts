import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { flush } from "./real-file.ts";

export type Folders = ReturnType<typeof createFolders>;

/**
 * The way to every file: without it the file is lost in a power cut, however well its own bytes are kept.
 *
 * @param top what is above it was there before
 */
export function createFolders(top: string) {
  /** Folders that were flushed since this process has put a folder into them. */
  const flushed = new Set<string>();
  /** No longer than it takes: a promise holds on to all that it was begun in. */
  const flushing = new Map<string, Promise<void>>();
  const flushOnce = async (folder: string): Promise<void> => {
    if (flushed.has(folder)) return;
    const running = flushing.get(folder) ?? flush(folder);
    flushing.set(folder, running);
    const isNewest = (): boolean => flushing.get(folder) === running;
    try {
      await running;
      if (isNewest()) flushed.add(folder);
    } finally {
      if (isNewest()) flushing.delete(folder);
    }
  };
  return {
    /** Makes a folder, and what is missing of the way to it. */
    make(folder: string): void {
      const made = mkdirSync(folder, { recursive: true, mode: 0o700 });
      if (made !== undefined)
        for (let at = folder; at.length >= made.length;) {
          flushed.delete((at = dirname(at)));
          flushing.delete(at);
        }
    },
    /** Flushes what is at `path`, and the way to it, whoever made that. */
    async settle(path: string): Promise<void> {
      await flush(path);
      for (let at = path; at !== top && at.startsWith(join(top, "/"));) await flushOnce((at = dirname(at)));
    },
  };
}

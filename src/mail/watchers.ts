import type { Message } from "../domain/message.ts";

/** Those who are shown every message that was accepted. */
export interface Watchers {
  watch(listener: (message: Message) => void): () => void;
  /** Shows `message` to all; one that throws is never shown anything again. */
  show(message: Message): void;
}

export function createWatchers(): Watchers {
  const watchers = new Set<(message: Message) => void>();
  return {
    watch(listener) {
      watchers.add(listener);
      return () => watchers.delete(listener);
    },
    show(message) {
      for (const watch of watchers) {
        try {
          watch(message);
        } catch {
          watchers.delete(watch);
        }
      }
    },
  };
}

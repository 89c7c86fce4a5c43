/** Who listens to which channel. */
export interface Ears {
  channels(): readonly string[];
  /** Returns how to stop. */
  add(channel: string, listener: (text: string) => void): () => "others listen" | "nobody listens";
  hear(channel: string, text: string): void;
}

export function createEars(): Ears {
  const listeners = new Map<string, Set<(text: string) => void>>();
  return {
    channels: () => [...listeners.keys()],
    add(channel, listener) {
      const hear = (text: string) => listener(text);
      const here = listeners.get(channel) ?? new Set();
      listeners.set(channel, here.add(hear));
      return () => {
        if (!here.delete(hear) || here.size > 0) return "others listen";
        if (listeners.get(channel) === here) listeners.delete(channel);
        return "nobody listens";
      };
    },
    hear(channel, text) {
      for (const hear of listeners.get(channel) ?? []) hear(text);
    },
  };
}

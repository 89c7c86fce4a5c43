// How a person's word reaches a legion: over a node here, a node elsewhere, or with nobody running.

import type { Reach, ReachOptions } from "./api/reach.ts";

/** Has `word` said to the legion. It is said again if it rejects with LOCKED: then nothing of it was heard. */
export async function reach<T>(options: ReachOptions, word: (legion: Reach) => Promise<T>): Promise<T> {
  const { nodes } = options.backend;
  if (!nodes) {
    const { reachHere } = await import("./socket/reach.ts");
    return reachHere(options, word);
  }
  const { reachNodes } = await import("./nodes/reach.ts");
  return reachNodes({ ...options, nodes }, word);
}

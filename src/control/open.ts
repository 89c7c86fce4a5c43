// How a command has a legion do something: through a node here, through nodes elsewhere, or itself while nobody runs it.

import type { LegionClient, LegionSite } from "./api/legion-client.ts";

/** Does `use` with the legion, and again if it rejects with LOCKED: then nothing of it was heard. */
export async function withLegion<T>(
  options: LegionSite,
  use: (legion: LegionClient) => Promise<T>,
): Promise<T> {
  const { nodes } = options.backend;
  if (!nodes) {
    const { withOneNode } = await import("./socket/legion-client.ts");
    return withOneNode(options, use);
  }
  const { withNodes } = await import("./nodes/legion-client.ts");
  return withNodes({ ...options, nodes }, use);
}

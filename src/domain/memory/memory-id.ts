import { LegionError } from "../../base/errors.ts";
import { quote } from "../../base/text/wording.ts";
import { isFolderName } from "../message/message.ts";

/** `<vault>/<memory>`: where a peer is named, the slash tells a memory from an agent. */
export type MemoryId = string;

/** The one that is meant where nobody names one. */
export const USUAL_MEMORY: MemoryId = "main/legion";

export function isMemoryId(id: string): boolean {
  const parts = id.split("/");
  return parts.length === 2 && parts.every(isFolderName);
}

/** Throws USAGE for what is no name of a memory. */
export function parseMemoryId(id: string): { readonly vault: string; readonly memory: string } {
  const [vault, memory] = id.split("/");
  if (isMemoryId(id)) return { vault: vault!, memory: memory! };
  throw new LegionError(
    "USAGE",
    `${quote(id)} is no memory; one is named <vault>/<memory>, both of small letters, digits, "-", "_" and ".", like ${USUAL_MEMORY}`,
  );
}

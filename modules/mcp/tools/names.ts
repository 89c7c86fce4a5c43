// Under which name a tool is an action: `server__tool`.

import { createHash } from "node:crypto";

const MAX_NAME = 64;
const HASH = 8;

/** No two servers with different names of this form can have a tool in common, whatever that is called. */
export function prefixOf(server: string): string {
  const plain = replaced(server).replace(/_+/g, "_").replace(/_$/, "").slice(0, 32);
  return `${/^[A-Za-z]/.test(plain) ? plain : `s${plain}`}__`;
}

/** Does one of `names` mean it? As in names of tools, where of two servers with the same prefix none can be told from the other. */
export function isAmong(names: "all" | readonly string[], server: string): boolean {
  return names === "all" || names.some((name) => prefixOf(name) === prefixOf(server));
}

/**
 * Other characters than letters, digits, `_` and `-` become `_`; at most 64. Where that is cut, or `taken` in lower case, a hash tells it
 * from the others.
 */
export function nameTool(server: string, tool: string, taken: ReadonlySet<string>): string {
  const whole = prefixOf(server) + replaced(tool);
  if (whole.length <= MAX_NAME && !taken.has(whole.toLowerCase())) return whole;
  const hash = createHash("sha256")
    .update(JSON.stringify([server, tool]))
    .digest("hex")
    .slice(0, HASH);
  return `${whole.slice(0, MAX_NAME - HASH - 1)}_${hash}`;
}

function replaced(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, "_");
}

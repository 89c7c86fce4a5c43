import { sep } from "node:path";

/** What the machinery keeps to itself, at any depth of the workspace. */
const FOLDERS = new Set([".git", "node_modules", ".ai-legion"]);
const FILES = new Set([".npmrc", ".mcp.json", ".netrc", ".pypirc", ".git-credentials"]);
const KEY_FILE = /\.(?:pem|key|p12|pfx)$/;
/** `id_rsa.old`, `id_work`, `id_work.pub`; not `id_map.py`. */
const SSH_KEY = /^id_(?:rsa|dsa|ecdsa|ed25519|[^.]*$|[^.]*\.pub$)/;

/** Of the top of the workspace: what agents are, and so what code the next start runs. */
const DEFINITIONS = "agents";

/** True if one of `names`, the parts of a path inside the workspace, is off-limits for reading and writing. */
export function isProtected(names: readonly string[]): boolean {
  return names.map(fold).some((name) => {
    if (FOLDERS.has(name) || FILES.has(name) || name.startsWith(".env")) return true;
    return KEY_FILE.test(name) || SSH_KEY.test(name);
  });
}

/**
 * True if what lies at `names` may be read but not changed: definitions, and each of `protectedPaths` with what is in it.
 * The next start runs what these say, also where commands are refused.
 */
export function isReadOnly(names: readonly string[], protectedPaths: readonly string[]): boolean {
  return readOnly(protectedPaths).some((kept) => beginsWith(names.map(fold), kept));
}

/** True if something that may not be changed lies in the folder at `names`, and would go with it. */
export function holdsReadOnly(names: readonly string[], protectedPaths: readonly string[]): boolean {
  return readOnly(protectedPaths).some((kept) => beginsWith(kept, names.map(fold)));
}

function readOnly(protectedPaths: readonly string[]): readonly (readonly string[])[] {
  return [DEFINITIONS, ...protectedPaths].map((path) => path.split(sep).map(fold));
}

function beginsWith(names: readonly string[], start: readonly string[]): boolean {
  return start.every((name, index) => names[index] === name);
}

/**
 * One spelling for all names that some file system takes for the same: macOS ignores case, composition and invisible
 * characters, Windows ignores case, trailing dots and spaces and what follows a colon.
 */
function fold(name: string): string {
  const visible = name.normalize("NFKC").replace(/[\p{Cc}\p{Cf}]/gu, "");
  const [stem = ""] = visible.split(":");
  let end = stem.length;
  while (end > 0 && (stem[end - 1] === "." || stem[end - 1] === " ")) end--;
  return stem.slice(0, end).toLowerCase();
}

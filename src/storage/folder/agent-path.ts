// Which files may lie in an agent's folder beside its journals.

import { foldName } from "./file-name.ts";

const MAX_PATH_PARTS = 2;
const MAX_NAME_BYTES = 255;
const UNSAFE_NAME = /^\.|[\\/:\p{Cc}]/u;
const JOURNALS = ["log", "mailbox"];
export const BLOB = /^[0-9a-f]{64}$/;

/** May an archive put a file there? `path` is relative to the agent's folder; journals have lines of their own. */
export function isPathInAgent(path: unknown): path is string {
  if (typeof path !== "string") return false;
  const names = path.split("/");
  const [top = "", name] = names;
  if (names.length > MAX_PATH_PARTS || names.some((part) => !isSafeName(part))) return false;
  if (foldName(top) === "blobs") return top === "blobs" && name !== undefined && BLOB.test(name);
  return !JOURNALS.includes(foldName(top));
}

function isSafeName(name: string): boolean {
  return name !== "" && !UNSAFE_NAME.test(name) && Buffer.byteLength(name) <= MAX_NAME_BYTES;
}
